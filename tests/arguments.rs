//! Arguments are what the schema says, or nothing is started; params are those of tools/call, or it is no call.
//!
//! Source: specification page `server/tools`, section Error Handling: input validation is a tool execution error.

use serde_json::{Value, json};
use test_host::{Fixture, message};

fn fixture() -> Fixture {
    Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["nothing", "order", "echo"])
}

fn order() -> Value {
    json!({"count": 1, "ratio": 0.5, "name": "abc", "kind": "new", "lines": [{"id": 1}]})
}

/// The order with one member replaced, or one more.
fn with(member: &str, value: Value) -> Value {
    let mut order = order();
    order[member] = value;
    order
}

#[test]
fn absent_arguments_are_an_empty_object() {
    let fixture = fixture();
    let mut session = fixture.initialized();
    session.send(&message::request(1, "tools/call", json!({"name": fixture.tool("nothing")})));
    assert_eq!(session.answer_to(1).output(), json!(null));
    session.call(2, &fixture.tool("nothing"), json!({}));
    assert_eq!(session.answer_to(2).output(), json!(null));
}

#[test]
fn arguments_of_any_other_type_are_invalid_params() {
    let fixture = fixture();
    let mut session = fixture.initialized();
    for arguments in [json!(null), json!([]), json!("{}"), json!(7), json!(true)] {
        session.call(1, &fixture.tool("nothing"), arguments.clone());
        session.answer_to(1).assert_error(-32602);
    }
    let name = fixture.tool("nothing");
    let all = [
        json!({}),
        json!({"arguments": {}}),
        json!({"name": null}),
        json!({"name": 0, "arguments": {}}),
        json!({"name": [name], "arguments": {}}),
    ];
    for params in all {
        session.send(&message::request(1, "tools/call", params));
        session.answer_to(1).assert_error(-32602);
    }
    session.send(&message::request(1, "tools/call", Value::Null));
    session.answer_to(1).assert_error(-32602);
    assert_eq!(fixture.effects(), ["constructor"]);
}

#[test]
fn what_the_schema_refuses_is_named_by_path_and_starts_nothing() {
    let fixture = fixture();
    let mut session = fixture.initialized();
    let mut short = order();
    short.as_object_mut().expect("an object").remove("kind");
    for (arguments, path) in [
        (with("count", json!("1")), "count"),
        (with("count", json!(-1)), "count"),
        (with("count", json!(1.5)), "count"),
        (with("count", json!(4_294_967_296_u64)), "count"),
        (with("ratio", json!(1.5)), "ratio"),
        (with("ratio", json!("0.5")), "ratio"),
        (with("name", json!("")), "name"),
        (with("name", json!("abcdef")), "name"),
        (with("kind", json!("odd")), "kind"),
        (with("lines", json!("[]")), "lines"),
        (with("lines", json!([{"id": 1}, {"id": "x"}])), "id"),
        (with("lines", json!([{}])), "lines"),
        (short, "kind"),
    ] {
        session.call(1, &fixture.tool("order"), arguments.clone());
        let diagnostic = session.answer_to(1).assert_failure("invalid-input", "input", "not-started");
        let paths = &diagnostic["details"]["paths"];
        assert!(paths.is_array() && paths.to_string().contains(path), "{arguments}: {diagnostic}");
    }
    assert_eq!(fixture.effects(), ["constructor"]);
}

#[test]
fn forged_members_are_refused_and_not_repeated() {
    let fixture = fixture();
    let mut session = fixture.initialized();
    for member in ["owner", "actor", "session", "confirmed", "context", "tenant", "Count", "_meta", "__proto__"] {
        session.call(1, &fixture.tool("order"), with(member, json!("mallory")));
        let answer = session.answer_to(1);
        answer.assert_failure("invalid-input", "input", "not-started");
        assert!(!answer.text().contains("mallory"), "{answer}");
        assert!(!answer.text().contains(&format!("\"{member}\"")), "an unknown member is not named: {answer}");
        assert!(!answer.text().contains(&format!("/{member}")), "an unknown member is not named: {answer}");
    }
    // Written as an escape it is the same member.
    let line = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"operation_2","arguments":{"text":"a","\u006fwner":"mallory"}}}"#;
    session.send_bytes(format!("{line}\n"));
    session.answer_to(1).assert_failure("invalid-input", "input", "not-started");
    assert_eq!(fixture.effects(), ["constructor"]);
}

#[test]
fn what_the_schema_accepts_arrives_as_it_is() {
    let fixture = fixture();
    let mut session = fixture.initialized();
    session.call(1, &fixture.tool("order"), order());
    assert_eq!(session.answer_to(1).output(), order());
    // JSON Schema calls 1.0 an integer.
    session.call(2, &fixture.tool("order"), with("count", json!(1.0)));
    assert_eq!(session.answer_to(2).output(), order());
    session.call(3, &fixture.tool("order"), with("name", json!(null)));
    assert_eq!(session.answer_to(3).output(), with("name", json!(null)));
    for text in ["", "\u{0}\u{7f}\u{2028}\"\\", "{\"text\":1}", "null", "🦀", &"x".repeat(200_000)] {
        session.call(4, &fixture.tool("echo"), json!({"text": text}));
        assert_eq!(session.answer_to(4).output(), json!(text));
    }
}

#[test]
fn integers_that_nothing_can_hold_are_invalid_input() {
    let fixture = fixture();
    let mut session = fixture.initialized();
    for number in ["18446744073709551616", "-9223372036854775809", "1e400", "123456789012345678901234567890"] {
        let line = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{}","arguments":{{"count":1,"ratio":0.5,"kind":"new","lines":[{{"id":{number}}}]}}}}}}"#,
            fixture.tool("order")
        );
        session.send_bytes(format!("{line}\n"));
        session.answer_to(1).assert_failure("invalid-input", "input", "not-started");
    }
    assert_eq!(fixture.effects(), ["constructor"]);
}

#[test]
fn a_mask_is_no_value_for_an_operation_that_may_change_something() {
    let fixture = Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["fail_safe", "echo"]);
    let mut session = fixture.initialized();
    for message in ["[REDACTED]", "Bearer [REDACTED]"] {
        session.call(1, &fixture.tool("fail_safe"), json!({"code": "not-found", "message": message}));
        session.answer_to(1).assert_failure("invalid-input", "input", "not-started");
        session.call(2, &fixture.tool("echo"), json!({"text": message}));
        assert_eq!(session.answer_to(2).output(), json!(message), "a read may have it");
    }
}
