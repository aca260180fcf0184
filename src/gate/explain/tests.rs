//! Explanations, for shapes that models get wrong.

use serde_json::json;

use super::*;
use crate::gate::Validator;

fn problems(schema: &Value, input: &Value) -> Vec<(String, String, String)> {
    Validator::new(schema.clone()).problems(input).into_iter().map(Problem::into_parts).collect()
}

fn one(path: &str, keyword: &str, expected: &str) -> Vec<(String, String, String)> {
    vec![(path.to_owned(), keyword.to_owned(), expected.to_owned())]
}

fn shapes() -> Value {
    json!({"type": "object", "properties": {"shape": {"oneOf": [
        {"type": "object", "properties": {"kind": {"const": "circle"}, "radius": {"type": "number"}},
            "required": ["kind", "radius"], "additionalProperties": false},
        {"type": "object", "properties": {"kind": {"const": "box"}, "width": {"type": "integer"}},
            "required": ["kind", "width"], "additionalProperties": false}]},
        "id": {"anyOf": [{"type": "integer"}, {"type": "object"}]},
        "either": {"anyOf": [{"type": "object", "required": ["a"], "properties": {"a": {}}},
            {"type": "object", "required": ["b"], "properties": {"b": {}}}]}}})
}

#[test]
fn the_alternative_that_was_meant_is_explained() {
    assert_eq!(
        problems(&shapes(), &json!({"shape": {"kind": "circle", "radius": "5"}})),
        one("/shape/radius", "type", "number; send it as a JSON value, not as text")
    );
    assert_eq!(problems(&shapes(), &json!({"shape": {"kind": "box"}})), one("/shape", "required", "the member width"));
}

#[test]
fn without_a_meant_alternative_the_choice_is_explained() {
    assert_eq!(
        problems(&shapes(), &json!({"shape": {"kind": "secret"}})),
        one("/shape/kind", "enum", r#"one of ["circle","box"]"#)
    );
    assert_eq!(
        problems(&shapes(), &json!({"id": "{\"secret\":1}"})),
        one("/id", "type", "integer or object; send it as a JSON value, not as text")
    );
    assert_eq!(
        problems(&shapes(), &json!({"either": {"secret": 1}})),
        one("/either", "anyOf", "one of the alternatives: the member a; or the member b")
    );
}

/// The usual filter: and, or, or a leaf.
fn filter(alternatives: &str) -> Value {
    json!({"type": "object", "properties": {"filter": {"$ref": "#/$defs/Filter"}}, "$defs": {"Filter": {alternatives: [
        {"type": "object", "properties": {"and": {"type": "array", "items": {"$ref": "#/$defs/Filter"}}}, "required": ["and"], "additionalProperties": false},
        {"type": "object", "properties": {"or": {"type": "array", "items": {"$ref": "#/$defs/Filter"}}}, "required": ["or"], "additionalProperties": false},
        {"type": "object", "properties": {"field": {"type": "string"}}, "required": ["field"], "additionalProperties": false}]}}})
}

#[test]
fn a_deep_tree_with_a_wrong_leaf_is_explained_at_once() {
    for alternatives in ["anyOf", "oneOf"] {
        let deep = (0..40).fold(json!({"field": 1}), |inner, _| json!({ "and": [inner] }));
        let began = std::time::Instant::now();
        let found = problems(&filter(alternatives), &json!({ "filter": deep }));
        assert!(began.elapsed() < std::time::Duration::from_secs(2), "{alternatives}: {:?}", began.elapsed());
        assert!(found.iter().any(|(path, ..)| path.ends_with("/field")), "{found:?}");
    }
}

#[test]
fn many_bad_items_times_many_alternatives_are_explained_at_once() {
    let alternatives: Vec<Value> = (0..50).map(|n| json!({"type": "object", "required": [format!("m{n}")]})).collect();
    let schema =
        json!({"type": "object", "properties": {"items": {"type": "array", "items": {"anyOf": alternatives}}}});
    let items: Vec<Value> = (0..80_000).map(|_| json!({})).collect();
    let began = std::time::Instant::now();
    let found = problems(&schema, &json!({ "items": items }));
    assert!(began.elapsed() < std::time::Duration::from_secs(5), "{:?}", began.elapsed());
    assert!(!found.is_empty() && found.len() <= 10);
}

#[test]
fn a_name_of_digits_is_a_name_all_the_same() {
    let schema = json!({"type": "object", "properties": {"cards": {"additionalProperties": {
        "type": "array", "items": {"type": "object", "properties": {"limit": {"type": "integer"}}}}}}});
    assert_eq!(
        problems(&schema, &json!({"cards": {"4111111111111111": [{"limit": "secret"}]}})),
        one("/cards", "type", "in each member, at /0/limit: integer; send it as a JSON value, not as text")
    );
}

#[test]
fn members_that_no_schema_is_about_are_told_the_declared_ones_wherever_these_are() {
    let composed = |others: Value| {
        json!({"type": "object", "unevaluatedProperties": others, "properties": {"id": {}},
            "allOf": [{"$ref": "#/$defs/Base"}], "anyOf": [{"properties": {"size": {}}}, {"properties": {"color": {}}}],
            "$defs": {"Base": {"properties": {"name": {}}}}})
    };
    let input = json!({"id": 1, "secret": 1});
    let closed = "no members but color, id, name, size";
    assert_eq!(problems(&composed(json!(false)), &input), one("", "unevaluatedProperties", closed));
    let texts = r#"members, beside the declared ones, that fit {"type":"string"}"#;
    assert_eq!(problems(&composed(json!({"type": "string"})), &input), one("", "unevaluatedProperties", texts));
}

#[test]
fn items_are_told_how_many_must_fit_and_whether_there_may_be_more() {
    let list = |list: Value| json!({"type": "object", "properties": {"list": list}});
    let some = json!({"contains": {"type": "string"}, "minContains": 2, "maxContains": 3});
    let few = r#"at least 2 items that fit {"type":"string"}"#;
    assert_eq!(problems(&list(some.clone()), &json!({"list": ["a", 1]})), one("/list", "contains", few));
    let many = r#"at most 3 items that fit {"type":"string"}"#;
    assert_eq!(problems(&list(some), &json!({"list": ["a", "b", "c", "d"]})), one("/list", "contains", many));
    let pair = json!({"allOf": [{"prefixItems": [{}, {}]}], "unevaluatedItems": false});
    assert_eq!(
        problems(&list(pair), &json!({"list": [1, 2, 3]})),
        one("/list", "unevaluatedItems", "no further items")
    );
}

#[test]
fn what_has_not_been_looked_at_is_not_taken_as_fitting() {
    let long: Vec<Value> = (0..2 * STEPS).map(Value::from).collect();
    let numbers = json!({"type": "array", "items": {"type": "integer"}, "contains": {"type": "string"}});
    let schema = json!({"type": "object", "properties": {"list": {"oneOf": [numbers, {"type": "array", "items": {"type": "string"}}]}}});
    let found = problems(&schema, &json!({ "list": long }));
    assert!(found.iter().all(|(.., expected)| !expected.contains("exactly one")), "{found:?}");
    assert!(!found.is_empty());
}
