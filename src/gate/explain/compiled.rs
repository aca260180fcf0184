//! Validators of parts of a schema, each compiled when it is first needed.

use std::collections::HashMap;

use jsonschema::{Registry, Validator};
use serde_json::{Map, Value, json};

use crate::gate::validator::options;
use crate::schema::as_fragment;

/// What the document is called while parts of it are compiled.
const DOCUMENT: &str = "opgate:document";
/// Keywords that look at one value and at nothing inside it.
const LOCAL: [&str; 18] = [
    "type",
    "enum",
    "const",
    "multipleOf",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
    "required",
];

pub(super) struct Compiled<'s> {
    root: &'s Value,
    /// Of the local keywords of schemas, and of patterns, by their addresses.
    local: HashMap<usize, Option<Validator>>,
    /// Of whole schemas, by their pointers.
    whole: HashMap<String, Option<Validator>>,
}

impl<'s> Compiled<'s> {
    pub(super) fn new(root: &'s Value) -> Self {
        Self { root, local: HashMap::new(), whole: HashMap::new() }
    }

    /// What a schema says of a value and of nothing inside it.
    pub(super) fn local(&mut self, keywords: &'s Map<String, Value>) -> Option<&Validator> {
        let compile = || {
            let local = keywords.iter().filter(|(keyword, _)| LOCAL.contains(&keyword.as_str()));
            let local: Map<String, Value> = local.map(|(keyword, value)| (keyword.clone(), value.clone())).collect();
            (!local.is_empty()).then(|| options().build(&Value::Object(local)).ok()).flatten()
        };
        self.local.entry(std::ptr::from_ref(keywords).addr()).or_insert_with(compile).as_ref()
    }

    /// Whether a member of this name is one that the pattern is about.
    pub(super) fn matches(&mut self, pattern: &'s String, name: &str) -> bool {
        let compile = || options().build(&json!({ "pattern": pattern })).ok();
        let validator = self.local.entry(std::ptr::from_ref(pattern).addr()).or_insert_with(compile);
        validator.as_ref().is_some_and(|validator| validator.is_valid(&Value::from(name)))
    }

    /// Whether the whole schema at `pointer` accepts `value`.
    pub(super) fn holds(&mut self, pointer: &str, value: &Value) -> bool {
        let root = self.root;
        let validator = self.whole.entry(pointer.to_owned()).or_insert_with(|| {
            let registry = Registry::new().add(DOCUMENT, root.clone()).ok()?.prepare().ok()?;
            let schema = json!({ "$ref": format!("{DOCUMENT}#{}", as_fragment(pointer)) });
            options().with_registry(&registry).build(&schema).ok()
        });
        validator.as_ref().is_none_or(|validator| validator.is_valid(value))
    }
}
