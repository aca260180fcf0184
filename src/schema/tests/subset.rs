//! What Gemini's function declarations, `OpenAI`'s structured outputs and Claude's tools all take, written down from their
//! documentation: a written checker, independent of how schemas are made.

use serde_json::{Map, Value};

const KEYWORDS: [&str; 16] = [
    "additionalProperties",
    "anyOf",
    "description",
    "enum",
    "format",
    "items",
    "maxItems",
    "maxLength",
    "maximum",
    "minItems",
    "minLength",
    "minimum",
    "pattern",
    "properties",
    "required",
    "type",
];

/// # Panics
/// If `schema` is not a whole input schema for the weakest client.
pub(super) fn assert_served(schema: &Value) {
    let root = schema.as_object().expect("an object");
    assert_eq!(root.get("type"), Some(&Value::from("object")), "{schema}");
    assert!(!root.contains_key("anyOf"), "{schema}");
    check(schema, schema, "");
}

fn check(schema: &Value, whole: &Value, at: &str) {
    let Value::Object(keywords) = schema else { panic!("{at} is no object in {whole}") };
    assert!(!keywords.is_empty(), "{at} is empty in {whole}");
    for (keyword, value) in keywords {
        assert!(KEYWORDS.contains(&keyword.as_str()), "{keyword} at {at} in {whole}");
        match (keyword.as_str(), value) {
            ("type", kind) => assert!(
                ["string", "number", "integer", "boolean", "array", "object", "null"].iter().any(|known| kind == known),
                "{at} in {whole}"
            ),
            ("anyOf", Value::Array(alternatives)) => {
                assert!(alternatives.len() > 1, "{at} in {whole}");
                // Beside alternatives some clients take nothing but a description.
                assert!(keywords.keys().all(|other| other == "anyOf" || other == "description"), "{at} in {whole}");
                for alternative in alternatives {
                    check(alternative, whole, &format!("{at}/anyOf"));
                }
            }
            ("enum", Value::Array(values)) => {
                assert!(
                    !values.is_empty() && values.iter().all(|value| is_of(value, &keywords["type"])),
                    "{at} in {whole}"
                );
            }
            ("format", format) => assert!(format == "date-time", "{at} in {whole}"),
            ("items", items) => check(items, whole, &format!("{at}/items")),
            ("additionalProperties", Value::Bool(_)) => {}
            ("additionalProperties", others) => check(others, whole, &format!("{at}/additionalProperties")),
            ("properties", Value::Object(properties)) => {
                properties.iter().for_each(|(name, property)| check(property, whole, &format!("{at}/{name}")));
            }
            ("required", Value::Array(names)) => check_required(names, keywords, whole),
            ("properties" | "required" | "anyOf" | "enum", _) => panic!("{keyword} at {at} in {whole}"),
            _ => {}
        }
    }
    let needed: &[&str] = match keywords.get("type").and_then(Value::as_str) {
        Some("object") => &["properties", "required", "additionalProperties"],
        Some("array") => &["items"],
        Some(_) => &[],
        None => {
            return assert!(keywords.contains_key("anyOf") || keywords.contains_key("description"), "{at} in {whole}");
        }
    };
    assert!(needed.iter().all(|keyword| keywords.contains_key(*keyword)), "{at} in {whole}");
}

fn check_required(names: &[Value], keywords: &Map<String, Value>, whole: &Value) {
    let names: Vec<&str> = names.iter().filter_map(Value::as_str).collect();
    assert!(names.is_sorted(), "{whole}");
    assert!(names.iter().all(|name| keywords["properties"].get(name).is_some()), "{whole}");
}

fn is_of(value: &Value, kind: &Value) -> bool {
    match kind.as_str() {
        Some("string") => value.is_string(),
        Some("integer") => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        Some("number") => value.is_number(),
        Some("boolean") => value.is_boolean(),
        _ => false,
    }
}
