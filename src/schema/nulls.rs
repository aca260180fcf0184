//! Optional members that are null: served as merely optional, so a null means as much as absence, and goes before
//! validation. What is validated is then exactly what runs.

use serde_json::{Map, Value};

use super::in_place::InPlace;
use super::kinds::{Kinds, accepted};

/// Removes from `input` each null of a member that the effective schema `root` declares, allows to be null and nowhere
/// requires.
pub(crate) fn remove_optional_nulls(root: &Value, input: &mut Value) {
    if has_null(input) {
        remove(input, &InPlace::of([root], root), root);
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

/// What the schemas of one place say about members that are null.
impl<'s> InPlace<'s> {
    /// The schemas that are declared for the member called `name`.
    fn declared(&self, name: &str) -> Vec<&'s Value> {
        self.get("properties").filter_map(|properties| properties.get(name)).collect()
    }

    fn requires(&self, name: &str) -> bool {
        let lists = |value: &Value| value.as_array().is_some_and(|names| names.iter().any(|required| required == name));
        self.get_unconditional("required").any(lists)
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

fn remove<'s>(value: &mut Value, place: &InPlace<'s>, root: &'s Value) {
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
