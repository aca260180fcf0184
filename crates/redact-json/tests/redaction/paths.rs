//! Declared places are masked, whatever stands there.

use redact_json::{Rules, RulesError};
use serde_json::json;

use super::{text, transcoded};

fn declared(pointers: &[&str]) -> Rules {
    Rules::default().with_paths(pointers).unwrap()
}

#[test]
fn places_are_found_by_name_by_index_and_by_star() {
    let rules = declared(&["/card/number", "/items/*/pin", "/list/1", "/any/*", "/a~1b/~0", "/deep/*/*/x"]);
    let value = json!({
        "card": {"number": 1, "name": 2},
        "items": [{"pin": 1, "id": 2}, {"pin": {"a": 1}}, [{"pin": 3}]],
        "list": [1, 2, 3],
        "any": {"b": [1], "a": {}},
        "a/b": {"~": 1, "x": 2},
        "deep": {"p": {"q": {"x": 1, "y": {"x": 2}}}, "x": 3},
        "number": 4,
    });
    let masked = r#"{"a/b":{"x":2,"~":"[REDACTED]"},"any":{"a":"[REDACTED]","b":"[REDACTED]"},"#.to_owned()
        + r#""card":{"name":2,"number":"[REDACTED]"},"deep":{"p":{"q":{"x":"[REDACTED]","y":{"x":2}}},"x":3},"#
        + r#""items":[{"id":2,"pin":"[REDACTED]"},{"pin":"[REDACTED]"},[{"pin":3}]],"list":[1,"[REDACTED]",3],"number":4}"#;
    assert_eq!(text(&value, &rules), masked);
    assert_eq!(transcoded(&value.to_string(), &rules), masked);
}

#[test]
fn the_empty_pointer_is_the_whole_value() {
    assert_eq!(text(&json!({"a": 1}), &declared(&[""])), "\"[REDACTED]\"");
    assert_eq!(transcoded(" [1] ", &declared(&[""])), "\"[REDACTED]\"");
    assert_eq!(transcoded("[1]", &declared(&["/*"])), "[\"[REDACTED]\"]");
}

#[test]
fn places_add_up_and_leave_the_rules_they_came_from() {
    let first = declared(&["/a"]);
    let both = first.with_paths(["/b"]).unwrap();
    assert_eq!(text(&json!({"a": 1, "b": 2}), &first), r#"{"a":"[REDACTED]","b":2}"#);
    assert_eq!(text(&json!({"a": 1, "b": 2}), &both), r#"{"a":"[REDACTED]","b":"[REDACTED]"}"#);
}

#[test]
fn what_is_no_pointer_is_refused() {
    for pointer in ["a", "/~", "/~2", "#/a", "/[REDACTED]"] {
        let refused = RulesError::Pointer { pointer: pointer.into() };
        assert_eq!(Rules::default().with_paths([pointer]).unwrap_err(), refused);
        assert_eq!(Rules::builder().path(pointer).build().unwrap_err(), refused);
    }
}
