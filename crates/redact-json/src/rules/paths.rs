//! Declared secret places: JSON Pointers in which `*` stands for any member or item.
//!
//! The pointers form one trie. While a value is written, each open container has the set of nodes that lead to it.

use crate::MASK;

use super::RulesError;

/// The trie. Node 0 is the root of the value.
#[derive(Clone)]
pub(crate) struct Paths {
    nodes: Vec<Node>,
}

#[derive(Clone, Default)]
struct Node {
    members: Vec<(Box<str>, usize)>,
    any: Option<usize>,
    secret: bool,
}

impl Default for Paths {
    fn default() -> Self {
        Self { nodes: vec![Node::default()] }
    }
}

impl Paths {
    pub(crate) const ROOT: usize = 0;

    pub(crate) fn add(&mut self, pointer: &str) -> Result<(), RulesError> {
        let refused = || RulesError::Pointer { pointer: pointer.to_owned() };
        let segments = match pointer.strip_prefix('/') {
            Some(rest) => rest.split('/').map(unescape).collect::<Option<Vec<_>>>().ok_or_else(refused)?,
            None if pointer.is_empty() => Vec::new(),
            None => return Err(refused()),
        };
        // A pointer to a masked key would match on the second pass only.
        if segments.iter().any(|segment| segment.contains(MASK)) {
            return Err(refused());
        }
        let mut at = Self::ROOT;
        for segment in segments {
            at = self.step_or_insert(at, &segment);
        }
        if let Some(node) = self.nodes.get_mut(at) {
            node.secret = true;
        }
        Ok(())
    }

    fn step_or_insert(&mut self, at: usize, segment: &str) -> usize {
        let fresh = self.nodes.len();
        let Some(node) = self.nodes.get_mut(at) else { return at };
        let known = match segment {
            "*" => node.any,
            name => node.members.iter().find(|(known, _)| **known == *name).map(|(_, next)| *next),
        };
        if let Some(next) = known {
            return next;
        }
        match segment {
            "*" => node.any = Some(fresh),
            name => node.members.push((name.into(), fresh)),
        }
        self.nodes.push(Node::default());
        fresh
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.nodes.len() == 1 && !self.is_secret(Self::ROOT)
    }

    pub(crate) fn is_secret(&self, node: usize) -> bool {
        self.nodes.get(node).is_some_and(|node| node.secret)
    }

    /// The nodes that `segment` leads to from `node`: at most one by its name and one by `*`.
    pub(crate) fn step(&self, node: usize, segment: &str) -> impl Iterator<Item = usize> {
        let node = self.nodes.get(node);
        let named =
            node.and_then(|node| node.members.iter().find(|(name, _)| **name == *segment)).map(|(_, next)| *next);
        named.into_iter().chain(node.and_then(|node| node.any))
    }
}

fn unescape(segment: &str) -> Option<String> {
    let mut plain = String::with_capacity(segment.len());
    let mut chars = segment.chars();
    while let Some(c) = chars.next() {
        plain.push(match c {
            '~' => match chars.next()? {
                '0' => '~',
                '1' => '/',
                _ => return None,
            },
            c => c,
        });
    }
    Some(plain)
}
