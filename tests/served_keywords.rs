//! Each keyword that a client can be served is enforced: a call that violates it is refused, and nothing is invoked.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use test_host::{Fixture, message};

fn valid() -> Value {
    json!({
        "integer": 1, "number": 0.5, "boolean": true, "null": null, "text": "abc", "moment": "2026-01-02T03:04:05Z",
        "choice": "red", "list": [1], "map": {"a": 1}, "closed": {"inner": 1}, "either": true,
    })
}

/// What is put where, and what the answer names: the keyword that this violates, and its place.
fn violations() -> Vec<(&'static str, Value, &'static str, &'static str)> {
    vec![
        ("/integer", json!("1"), "type", "/integer"),
        ("/integer", json!(1.5), "type", "/integer"),
        ("/number", json!("0.5"), "type", "/number"),
        ("/boolean", json!("true"), "type", "/boolean"),
        ("/null", json!("null"), "type", "/null"),
        ("/text", json!(7), "type", "/text"),
        ("/list", json!("[1]"), "type", "/list"),
        ("/list", json!([1, "2"]), "type", "/list/1"),
        ("/map", json!({"undeclared": "1"}), "type", "/map"),
        ("/closed", json!([]), "type", "/closed"),
        ("/closed/inner", json!("1"), "type", "/closed/inner"),
        ("/integer", json!(0), "minimum", "/integer"),
        ("/integer", json!(10), "maximum", "/integer"),
        ("/text", json!("a"), "minLength", "/text"),
        ("/text", json!("abcde"), "maxLength", "/text"),
        ("/text", json!("ABC"), "pattern", "/text"),
        ("/moment", json!("2026-01-02"), "format", "/moment"),
        ("/choice", json!("green"), "enum", "/choice"),
        ("/list", json!([]), "minItems", "/list"),
        ("/list", json!([1, 2, 3]), "maxItems", "/list"),
        ("/either", json!("1"), "type", "/either"),
        ("/closed", json!({"inner": 1, "outer": 1}), "additionalProperties", "/closed"),
        ("/closed", json!({}), "required", "/closed"),
        ("", json!({}), "required", ""),
    ]
}

/// Keywords that only lead to others, or only say something.
const HARMLESS: [&str; 3] = ["description", "items", "properties"];

/// The keywords of `schema` that a value can violate.
fn keywords(schema: &Value, found: &mut BTreeSet<String>) {
    let Value::Object(keywords_here) = schema else { return };
    for (keyword, value) in keywords_here {
        if !HARMLESS.contains(&keyword.as_str()) {
            found.insert(keyword.clone());
        }
        match value {
            Value::Object(map) if keyword == "properties" => map.values().for_each(|schema| keywords(schema, found)),
            Value::Array(list) if keyword == "anyOf" => list.iter().for_each(|schema| keywords(schema, found)),
            inner => keywords(inner, found),
        }
    }
}

#[test]
fn a_call_that_violates_a_served_keyword_is_refused_by_path_and_keyword() {
    let fixture = Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["keywords"]);
    let mut session = fixture.initialized();
    session.send(&message::list(1));
    let mut served = BTreeSet::new();
    keywords(&session.answer_to(1).tools()[0]["inputSchema"], &mut served);
    let violations = violations();
    let mut violated: BTreeSet<String> = violations.iter().map(|(.., keyword, _)| (*keyword).to_owned()).collect();
    // `either`: a choice of types is told as the types.
    violated.insert("anyOf".to_owned());
    assert_eq!(violated, served, "each served keyword, and no other");

    for (at, value, keyword, path) in violations {
        let mut arguments = valid();
        *arguments.pointer_mut(at).expect("a member") = value.clone();
        session.call(2, &fixture.tool("keywords"), arguments);
        let diagnostic = session.answer_to(2).assert_failure("invalid-input", "input", "not-started");
        let problems = diagnostic["details"]["paths"].as_array().expect("problems");
        let told = problems.iter().any(|problem| problem["path"] == path && problem["keyword"] == keyword);
        assert!(told, "{value} at {at}: {diagnostic}");
    }
    assert_eq!(fixture.effects(), ["constructor"]);

    session.call(3, &fixture.tool("keywords"), valid());
    assert_eq!(session.answer_to(3).output(), json!(null));
    assert_eq!(fixture.effects(), ["constructor", "start", "keywords", "stop"]);
}
