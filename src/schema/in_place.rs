//! The schemas that apply to one value, whatever they are composed of.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::{inside, resolve};

/// The members that are declared for a value of `schema`, whichever of its alternatives and conditions hold.
pub(crate) fn member_names<'s>(schema: &'s Value, root: &'s Value) -> BTreeSet<&'s str> {
    let declared = InPlace::of([schema], root);
    declared.get("properties").filter_map(Value::as_object).flatten().map(|(name, _)| name.as_str()).collect()
}

/// Every schema that may apply to one value, whichever alternatives and conditions hold; and those of them that apply
/// without a condition. What only a condition requires is required in words alone, and a null does not meet it.
pub(super) struct InPlace<'s> {
    pub(super) all: Vec<&'s Map<String, Value>>,
    unconditional: Vec<&'s Map<String, Value>>,
}

impl<'s> InPlace<'s> {
    pub(super) fn of(schemas: impl IntoIterator<Item = &'s Value>, root: &'s Value) -> Self {
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

    /// What all of them say under one keyword.
    pub(super) fn get(&self, keyword: &'static str) -> impl Iterator<Item = &'s Value> {
        self.all.iter().filter_map(move |keywords| keywords.get(keyword))
    }

    /// What those say that hold in any case.
    pub(super) fn get_unconditional(&self, keyword: &'static str) -> impl Iterator<Item = &'s Value> {
        self.unconditional.iter().filter_map(move |keywords| keywords.get(keyword))
    }
}
