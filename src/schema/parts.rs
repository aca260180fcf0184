//! What the schemas of one place say about members and items.

use std::collections::BTreeMap;
use std::rc::Rc;

use serde_json::{Map, Value};

/// References that are open around a schema, to see recursion.
pub(super) type Trail = Rc<Vec<usize>>;

/// A schema, or schemas put together, that a value must satisfy.
#[derive(Clone)]
pub(super) enum Term<'s> {
    Schema(&'s Value, Trail),
    /// All of them.
    All(Vec<Term<'s>>),
    /// At least one of them; of none, nothing.
    Either(Vec<Term<'s>>),
}

impl<'s> Term<'s> {
    /// What its schema is called, for want of a better word.
    pub(super) fn title(&self) -> Option<&'s str> {
        match self {
            Self::Schema(schema, _) => schema.get("title")?.as_str(),
            _ => None,
        }
    }
}

/// What one schema says about the members of an object.
#[derive(Clone, Default)]
pub(super) struct Members<'s> {
    /// By name; nothing where any value will do.
    pub(super) named: BTreeMap<&'s str, Option<Term<'s>>>,
    /// All other members; nothing where any value will do.
    pub(super) others: Option<Term<'s>>,
    /// Made of `unevaluatedProperties`: its names only say which members are not others.
    pub(super) is_closure: bool,
}

/// What one schema says about the items of an array.
#[derive(Clone)]
pub(super) struct Items<'s> {
    pub(super) first: Vec<Term<'s>>,
    pub(super) rest: Option<Term<'s>>,
}

impl<'s> Members<'s> {
    /// What `properties`, `patternProperties` and `additionalProperties` of one schema say together.
    pub(super) fn of(keywords: &'s Map<String, Value>, trail: &Trail) -> Self {
        let term = |schema| Term::Schema(schema, Rc::clone(trail));
        let properties = keywords.get("properties").and_then(Value::as_object);
        let named =
            properties.into_iter().flatten().map(|(name, schema)| (name.as_str(), Some(term(schema)))).collect();
        let patterns = keywords.get("patternProperties").and_then(Value::as_object);
        let patterns: Vec<&Value> = patterns.into_iter().flat_map(Map::values).collect();
        let others = match keywords.get("additionalProperties") {
            // Which names a pattern means is not served: a member may be any of what some pattern or the rest allows.
            Some(additional) if !patterns.is_empty() => {
                Some(Term::Either(patterns.into_iter().chain([additional]).map(term).collect()))
            }
            Some(additional) => Some(term(additional)),
            None => None,
        };
        Self { named, others, is_closure: false }
    }

    /// The term for the member called `name`.
    pub(super) fn term(&self, name: &str) -> Option<&Term<'s>> {
        match self.named.get(name) {
            Some(term) => term.as_ref(),
            None => self.others.as_ref(),
        }
    }
}

impl<'s> Items<'s> {
    pub(super) fn of(keywords: &'s Map<String, Value>, trail: &Trail) -> Self {
        let term = |schema| Term::Schema(schema, Rc::clone(trail));
        let first = keywords.get("prefixItems").and_then(Value::as_array);
        Self { first: first.into_iter().flatten().map(term).collect(), rest: keywords.get("items").map(term) }
    }
}
