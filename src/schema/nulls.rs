//! Optional members that are null: served as merely optional, so a null means as much as absence, and goes before
//! validation. What is validated is then exactly what runs.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::kinds::{Kinds, accepted};
use super::{inside, resolve};

/// Removes from `input` each null of a member that the effective schema `root` declares, allows to be null and nowhere
/// requires.
pub(crate) fn remove_optional_nulls(root: &Value, input: &mut Value) {
    if has_null(input) {
        remove(input, &Place::of([root], root), root);
    }
}

fn has_null(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.iter().any(has_null),
        Value::Object(members) => members.values().any(has_null),
        _ => false,
    }
}

/// Every schema that may apply to one value, whichever alternatives and conditions hold; and those of them that apply
/// without a condition. What only a condition requires is required in words alone, and a null does not meet it.
struct Place<'s> {
    all: Vec<&'s Map<String, Value>>,
    unconditional: Vec<&'s Map<String, Value>>,
}

impl<'s> Place<'s> {
    fn of(schemas: impl IntoIterator<Item = &'s Value>, root: &'s Value) -> Self {
        let mut place = Self { all: Vec::new(), unconditional: Vec::new() };
        let mut seen = BTreeSet::new();
        for schema in schemas {
            place.add(schema, root, false, &mut seen);
        }
        place
    }

    fn add(&mut self, schema: &'s Value, root: &'s Value, sometimes: bool, seen: &mut BTreeSet<(usize, bool)>) {
        let Value::Object(keywords) = schema else { return };
        if !seen.insert((std::ptr::from_ref(keywords).addr(), sometimes)) {
            return;
        }
        self.all.push(keywords);
        if !sometimes {
            self.unconditional.push(keywords);
        }
        if let Some(target) = keywords.get("$ref").and_then(|reference| resolve(reference, root)) {
            self.add(target, root, sometimes, seen);
        }
        for schema in inside(keywords, |keyword| ["allOf", "anyOf", "oneOf"].contains(&keyword)) {
            self.add(schema, root, sometimes, seen);
        }
        for schema in inside(keywords, |keyword| ["if", "then", "else", "dependentSchemas"].contains(&keyword)) {
            self.add(schema, root, true, seen);
        }
    }

    fn get(&self, keyword: &'static str) -> impl Iterator<Item = &'s Value> {
        self.all.iter().filter_map(move |keywords| keywords.get(keyword))
    }

    /// The schemas that are declared for the member called `name`.
    fn declared(&self, name: &str) -> Vec<&'s Value> {
        self.get("properties").filter_map(|properties| properties.get(name)).collect()
    }

    fn requires(&self, name: &str) -> bool {
        let lists = |value: &Value| value.as_array().is_some_and(|names| names.iter().any(|required| required == name));
        self.unconditional.iter().filter_map(|keywords| keywords.get("required")).any(lists)
    }

    fn allows_absence(&self, name: &str, root: &Value) -> bool {
        let declared = self.declared(name);
        let nullable = |schema: &&Value| {
            let kinds = accepted(schema, root);
            kinds.has(Kinds::NULL) && kinds != Kinds::ALL
        };
        !declared.is_empty() && declared.iter().all(nullable) && !self.requires(name)
    }

    /// The schemas for the value of a member.
    fn member(&self, name: &str, root: &'s Value) -> Self {
        let schemas = self.all.iter().flat_map(|keywords| {
            let own = keywords.get("properties").and_then(|properties| properties.get(name));
            let patterns =
                keywords.get("patternProperties").and_then(Value::as_object).into_iter().flat_map(Map::values);
            let others = ["additionalProperties", "unevaluatedProperties"].map(|keyword| keywords.get(keyword));
            let others = others.into_iter().flatten().filter(move |_| own.is_none());
            own.into_iter().chain(patterns).chain(others)
        });
        Self::of(schemas, root)
    }

    /// The schemas for an item at `index`.
    fn item(&self, index: usize, root: &'s Value) -> Self {
        let first = self.get("prefixItems").filter_map(|first| first.get(index));
        Self::of(first.chain(self.get("items")).chain(self.get("unevaluatedItems")), root)
    }
}

fn remove<'s>(value: &mut Value, place: &Place<'s>, root: &'s Value) {
    match value {
        Value::Object(members) => {
            members.retain(|name, value| !(value.is_null() && place.allows_absence(name, root)));
            for (name, value) in members.iter_mut().filter(|(_, value)| has_null(value)) {
                remove(value, &place.member(name, root), root);
            }
        }
        Value::Array(items) => {
            for (index, value) in items.iter_mut().enumerate().filter(|(_, value)| has_null(value)) {
                remove(value, &place.item(index, root), root);
            }
        }
        _ => {}
    }
}
