//! Input schemas: what a declared one must be, the effective one that is validated, and the one that is served.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

/// The largest declared schema, in bytes of canonical JSON.
const LARGEST: usize = 1 << 16;
/// The deepest one, in nested JSON values.
const DEEPEST: usize = 64;
/// The one dialect.
const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// Keywords whose value is a schema.
const ONE: [&str; 12] = [
    "additionalProperties",
    "contains",
    "contentSchema",
    "else",
    "if",
    "items",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
    "additionalItems",
];
/// Keywords whose value is a list of schemas.
const LIST: [&str; 4] = ["allOf", "anyOf", "oneOf", "prefixItems"];
/// Keywords whose value is a map of schemas.
const MAP: [&str; 5] = ["$defs", "definitions", "dependentSchemas", "patternProperties", "properties"];
/// Keywords that apply to the same instance, so that a cycle through them alone consumes nothing.
const IN_PLACE: [&str; 8] = ["allOf", "anyOf", "dependentSchemas", "else", "if", "not", "oneOf", "then"];

/// Refuses a declared schema that cannot be validated or served; the text says what to change.
pub(crate) fn check(schema: &Value) -> Result<(), String> {
    let Value::Object(root) = schema else { return Err("its input schema is missing or is no object".to_owned()) };
    if root.get("type") != Some(&json!("object")) {
        return Err("its input schema is not an object at its root: use a struct, or NoInput".to_owned());
    }
    match root.get("$schema") {
        None => {}
        Some(Value::String(dialect)) if dialect.trim_end_matches('#') == DIALECT => {}
        Some(other) => {
            return Err(format!("its input schema is written in {other}; only JSON Schema 2020-12 is supported"));
        }
    }
    let bytes = crate::gate::canonical_length(schema);
    if bytes > LARGEST {
        return Err(format!("its input schema has {bytes} bytes; at most {LARGEST} are allowed"));
    }
    if deeper_than(schema, DEEPEST) {
        return Err(format!("its input schema is nested deeper than {DEEPEST} levels"));
    }
    references(schema, schema)?;
    consumes(schema)
}

fn deeper_than(value: &Value, levels: usize) -> bool {
    match value {
        Value::Array(items) => levels == 0 || items.iter().any(|item| deeper_than(item, levels - 1)),
        Value::Object(members) => levels == 0 || members.values().any(|member| deeper_than(member, levels - 1)),
        _ => false,
    }
}

/// The schemas directly inside `schema`, as far as `wanted` names their keyword.
fn inside(schema: &Map<String, Value>, wanted: impl Fn(&str) -> bool) -> Vec<&Value> {
    let mut found = Vec::new();
    for (keyword, value) in schema.iter().filter(|(keyword, _)| wanted(keyword)) {
        let keyword = keyword.as_str();
        match value {
            Value::Array(list) if LIST.contains(&keyword) => found.extend(list),
            Value::Object(map) if MAP.contains(&keyword) => found.extend(map.values()),
            Value::Object(_) if ONE.contains(&keyword) => found.push(value),
            _ => {}
        }
    }
    found
}

fn references(schema: &Value, root: &Value) -> Result<(), String> {
    let Value::Object(keywords) = schema else { return Ok(()) };
    if let Some(reference) = keywords.get("$ref") {
        resolve(reference, root)?;
    }
    if let Some(keyword) = ["$dynamicRef", "$recursiveRef", "$id", "$anchor", "$dynamicAnchor"]
        .into_iter()
        .find(|keyword| keywords.contains_key(*keyword))
    {
        return Err(format!(
            "its input schema uses {keyword}; only $ref with a JSON Pointer inside the document is supported"
        ));
    }
    inside(keywords, |_| true).into_iter().try_for_each(|schema| references(schema, root))
}

fn resolve<'s>(reference: &Value, root: &'s Value) -> Result<&'s Value, String> {
    let text = reference.as_str().unwrap_or_default();
    match text.strip_prefix('#') {
        Some(pointer) => {
            root.pointer(pointer).ok_or_else(|| format!("its input schema refers to {text:?}, which is not in it"))
        }
        None => Err(format!("its input schema refers outside itself, to {text:?}")),
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
        if let Some(reference) = keywords.get("$ref") {
            visit(resolve(reference, root)?, root, open, done)?;
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

/// The schema that arguments are validated with: the declared one, its root closed where it says nothing about further
/// members.
pub(crate) fn effective(declared: &Value) -> Value {
    let mut schema = declared.clone();
    if let Value::Object(root) = &mut schema {
        root.remove("$schema");
        if !root.contains_key("additionalProperties") && !root.contains_key("unevaluatedProperties") {
            let composed = root.keys().any(|keyword| keyword == "$ref" || IN_PLACE.contains(&keyword.as_str()));
            let keyword = if composed { "unevaluatedProperties" } else { "additionalProperties" };
            root.insert(keyword.to_owned(), Value::Bool(false));
        }
    }
    schema
}

/// The schema that clients see: the effective one without defaults, examples and titles, with the parts written out
/// that weak clients need.
pub(crate) fn served(effective: &Value) -> Value {
    let mut schema = effective.clone();
    strip(&mut schema);
    if let Value::Object(root) = &mut schema {
        root.entry("properties").or_insert_with(|| json!({}));
        let required = root.entry("required").or_insert_with(|| json!([]));
        if let Value::Array(names) = required {
            names.sort_by(|a, b| a.as_str().cmp(&b.as_str()));
        }
        if !root.contains_key("unevaluatedProperties") {
            root.entry("additionalProperties").or_insert(Value::Bool(false));
        }
    }
    schema
}

fn strip(schema: &mut Value) {
    let Value::Object(keywords) = schema else { return };
    for annotation in ["$schema", "$comment", "default", "examples", "title"] {
        keywords.remove(annotation);
    }
    for (keyword, value) in keywords {
        match (keyword.as_str(), value) {
            (keyword, Value::Array(list)) if LIST.contains(&keyword) => list.iter_mut().for_each(strip),
            (keyword, Value::Object(map)) if MAP.contains(&keyword) => map.values_mut().for_each(strip),
            (keyword, value) if ONE.contains(&keyword) => strip(value),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refused_schemas_say_why() {
        let deep = (0..70).fold(json!({}), |inner, _| json!({"items": inner}));
        for (schema, expected) in [
            (Value::Null, "missing"),
            (json!(true), "missing"),
            (json!({"type": "string"}), "not an object at its root"),
            (json!({"type": ["object", "null"]}), "not an object at its root"),
            (
                json!({"type": "object", "$schema": "http://json-schema.org/draft-07/schema#"}),
                "only JSON Schema 2020-12",
            ),
            (
                json!({"type": "object", "properties": {"a": {"$ref": "https://example.com/x"}}}),
                "refers outside itself",
            ),
            (json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/no"}}}), "which is not in it"),
            (json!({"type": "object", "$ref": "#"}), "without consuming"),
            (
                json!({"type": "object", "allOf": [{"$ref": "#/$defs/a"}], "$defs": {"a": {"anyOf": [{"$ref": "#/$defs/a"}]}}}),
                "without consuming",
            ),
            (
                json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}),
                "without consuming",
            ),
            (json!({"type": "object", "properties": {"a": deep}}), "nested deeper"),
            (json!({"type": "object", "description": "x".repeat(1 << 16)}), "at most 65536"),
            (json!({"type": "object", "$id": "https://example.com/x"}), "uses $id"),
        ] {
            let refused = check(&schema).expect_err("must be refused");
            assert!(refused.contains(expected), "{refused}");
        }
    }

    #[test]
    fn recursion_through_members_and_names_like_keywords_are_fine() {
        for schema in [
            json!({"type": "object", "properties": {"child": {"$ref": "#"}}}),
            json!({"type": "object", "properties": {"list": {"$ref": "#/$defs/l"}}, "$defs": {"l": {"items": {"$ref": "#/$defs/l"}}}}),
            json!({"type": "object", "properties": {"$ref": {"type": "string"}, "$id": {"type": "string"}}}),
            json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/s"}, "b": {"$ref": "#/$defs/s"}}, "$defs": {"s": {"type": "string"}}}),
        ] {
            assert_eq!(check(&schema), Ok(()), "{schema}");
        }
    }

    #[test]
    fn the_root_is_closed_where_it_says_nothing() {
        assert_eq!(effective(&json!({"type": "object"}))["additionalProperties"], json!(false));
        assert_eq!(
            effective(&json!({"type": "object", "additionalProperties": true}))["additionalProperties"],
            json!(true)
        );
        let composed = effective(&json!({"type": "object", "allOf": [{"properties": {"a": {}}}]}));
        assert_eq!((&composed["unevaluatedProperties"], composed.get("additionalProperties")), (&json!(false), None));
    }

    #[test]
    fn annotations_go_and_members_of_the_same_name_stay() {
        let schema = json!({"type": "object", "title": "T", "$schema": DIALECT, "required": ["title", "default"],
            "properties": {"default": {"type": "string", "default": "x"}, "title": {"examples": [1], "type": "integer"}}});
        assert_eq!(
            served(&effective(&schema)),
            json!({"type": "object", "required": ["default", "title"],
            "properties": {"default": {"type": "string"}, "title": {"type": "integer"}}, "additionalProperties": false})
        );
    }
}
