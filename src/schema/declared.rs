//! What a declared schema must be. The texts say what to change; the caller says which operation it is.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::keywords::judge;
use super::kinds::{Kinds, accepted};
use super::places::{Wrong, each};
use super::{IN_PLACE, draft07, inside, resolve};

/// The largest declared schema, in bytes of canonical JSON.
const LARGEST: usize = 1 << 16;
/// The deepest one, in nested JSON values.
const DEEPEST: usize = 64;
/// The most schemas in one.
const MOST: usize = 2000;

/// What is said of a root that could be anything else.
pub(crate) const NOT_AN_OBJECT: &str = "its input schema is not an object at its root";

/// Refuses a declared schema that cannot be validated.
pub(crate) fn check(schema: &Value) -> Result<(), String> {
    let Value::Object(_) = schema else { return Err("its input schema is missing or is no object".to_owned()) };
    let bytes = crate::gate::canonical_length(schema);
    if bytes > LARGEST {
        return Err(format!("its input schema has {bytes} bytes; at most {LARGEST} are allowed"));
    }
    if deeper_than(schema, DEEPEST) {
        return Err(format!("its input schema is nested deeper than {DEEPEST} levels"));
    }
    let translated = draft07::translated(schema)?;
    let root = translated.as_ref();
    let mut places = BTreeSet::new();
    each(root, &mut |schema| {
        places.insert(std::ptr::from_ref(schema).addr());
        Ok(())
    })
    .map_err(Wrong::told)?;
    let count = places.len();
    if count > MOST {
        return Err(format!("its input schema holds {count} schemas; at most {MOST} are allowed"));
    }
    each(root, &mut |schema| match schema {
        Value::Object(keywords) => {
            keywords_are_known(keywords)?;
            judge(schema)?;
            refers_to_a_schema(keywords, root, &places)
        }
        other => judge(other),
    })
    .map_err(Wrong::told)?;
    consumes(root)?;
    if !accepted(root, root).within(Kinds::OBJECT) {
        return Err(NOT_AN_OBJECT.to_owned());
    }
    Ok(())
}

fn deeper_than(value: &Value, levels: usize) -> bool {
    match value {
        Value::Array(items) => levels == 0 || items.iter().any(|item| deeper_than(item, levels - 1)),
        Value::Object(members) => levels == 0 || members.values().any(|member| deeper_than(member, levels - 1)),
        _ => false,
    }
}

/// A keyword, which of its values means something else or nothing in 2020-12, and what to write.
type Foreign = (&'static str, fn(&Value) -> bool, &'static str);

const FOREIGN: [Foreign; 7] = [
    ("items", Value::is_array, "a list of items is prefixItems, or say with \"$schema\" that it is draft-07"),
    ("additionalItems", |_| true, "what follows prefixItems is items, or say with \"$schema\" that it is draft-07"),
    (
        "dependencies",
        |_| true,
        "write dependentRequired and dependentSchemas, or say with \"$schema\" that it is draft-07",
    ),
    ("exclusiveMinimum", Value::is_boolean, "it is the bound itself, a number"),
    ("exclusiveMaximum", Value::is_boolean, "it is the bound itself, a number"),
    ("nullable", |value| *value == Value::Bool(true), "write \"null\" among its types"),
    ("$schema", |dialect| !draft07::is_current(dialect), "all of it must be written in one dialect"),
];

fn keywords_are_known(keywords: &Map<String, Value>) -> Result<(), String> {
    let unsupported = ["$dynamicRef", "$recursiveRef", "$id", "$anchor", "$dynamicAnchor"];
    if let Some(keyword) = unsupported.into_iter().find(|keyword| keywords.contains_key(*keyword)) {
        return Err(format!(
            "uses {keyword}; only $ref with a JSON Pointer inside the document is supported, such as \"#/$defs/Name\""
        ));
    }
    let is_null = keywords.get("type").is_some_and(|types| Kinds::named(types).has(Kinds::NULL));
    for (keyword, is_foreign, advice) in FOREIGN {
        if keywords.get(keyword).is_some_and(is_foreign) && !(keyword == "nullable" && is_null) {
            return Err(format!("uses {keyword} as JSON Schema 2020-12 does not know it: {advice}"));
        }
    }
    Ok(())
}

fn refers_to_a_schema(keywords: &Map<String, Value>, root: &Value, places: &BTreeSet<usize>) -> Result<(), String> {
    let Some(reference) = keywords.get("$ref") else { return Ok(()) };
    match (reference.as_str().filter(|text| text.starts_with('#')), resolve(reference, root)) {
        (None, _) => Err(format!("refers outside itself, to {reference}")),
        (Some(text), None) => Err(format!("refers to {text:?}, which is not in it")),
        (Some(_), Some(target)) if places.contains(&std::ptr::from_ref(target).addr()) => Ok(()),
        (Some(text), Some(_)) => {
            Err(format!("refers to {text:?}, which is no place for a schema: write it under $defs"))
        }
    }
}

/// Refuses references that lead back to themselves without going into a member or an item: they would accept anything.
fn consumes(root: &Value) -> Result<(), String> {
    fn visit(schema: &Value, root: &Value, open: &mut Vec<usize>, done: &mut BTreeSet<usize>) -> Result<(), String> {
        let Value::Object(keywords) = schema else { return Ok(()) };
        let place = std::ptr::from_ref(schema).addr();
        if open.contains(&place) {
            return Err(
                "its input schema has a reference that leads back to itself without consuming anything".to_owned()
            );
        }
        if !done.insert(place) {
            return Ok(());
        }
        open.push(place);
        if let Some(target) = keywords.get("$ref").and_then(|reference| resolve(reference, root)) {
            visit(target, root, open, done)?;
        }
        for next in inside(keywords, |keyword| IN_PLACE.contains(&keyword)) {
            visit(next, root, open, done)?;
        }
        open.pop();
        // What goes into a member or an item starts anew.
        for next in inside(keywords, |keyword| !IN_PLACE.contains(&keyword)) {
            visit(next, root, &mut Vec::new(), done)?;
        }
        Ok(())
    }
    visit(root, root, &mut Vec::new(), &mut BTreeSet::new())
}
