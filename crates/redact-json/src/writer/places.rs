//! Which declared places the writer is at, or on the way to.
//!
//! One stack of nodes: the set of each open container lies above that of the container around it, and on top the set of the
//! value that comes next.

use crate::rules::Paths;

pub(super) struct Places {
    declared: bool,
    nodes: Vec<usize>,
    /// The set of each open container.
    open: Vec<(usize, usize)>,
    /// Where the set of the next value begins.
    next: usize,
    root_is_secret: bool,
}

impl Places {
    pub(super) fn new(paths: &Paths) -> Self {
        let declared = !paths.is_empty();
        Self {
            declared,
            nodes: if declared { vec![Paths::ROOT] } else { Vec::new() },
            open: Vec::new(),
            next: 0,
            root_is_secret: paths.is_secret(Paths::ROOT),
        }
    }

    pub(super) fn root_is_secret(&self) -> bool {
        self.root_is_secret
    }

    #[inline]
    pub(super) fn open(&mut self) {
        if self.declared {
            self.open.push((self.next, self.nodes.len()));
        }
    }

    #[inline]
    pub(super) fn close(&mut self) {
        self.open.pop();
    }

    /// Whether there are any.
    #[inline]
    pub(super) fn are_declared(&self) -> bool {
        self.declared
    }

    /// Goes on to a member of the innermost container. `true`: it is a declared place.
    pub(super) fn member(&mut self, paths: &Paths, key: &str) -> bool {
        self.step(paths, key)
    }

    /// Goes on to an item of the innermost container. `true`: it is a declared place.
    #[inline]
    pub(super) fn item(&mut self, paths: &Paths, index: usize) -> bool {
        self.declared && self.step(paths, itoa::Buffer::new().format(index))
    }

    fn step(&mut self, paths: &Paths, segment: &str) -> bool {
        let (from, to) = self.open.last().copied().unwrap_or((0, 0));
        self.nodes.truncate(to);
        self.next = to;
        let mut secret = false;
        for at in from..to {
            let Some(&node) = self.nodes.get(at) else { break };
            for next in paths.step(node, segment) {
                secret |= paths.is_secret(next);
                self.nodes.push(next);
            }
        }
        secret
    }
}
