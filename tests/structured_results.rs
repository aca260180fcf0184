//! With `structured = true` a result is given as a value, too: the same one, redacted, and both within the budget.
//!
//! Source: specification page `server/tools`, section Structured Content: from 2025-06-18 an object, in 2026-07-28 any value.

use serde_json::{Value, json};
use test_host::{Fixture, Frame, message};

fn fixture(operations: &[&str]) -> Fixture {
    Fixture::beside(env!("CARGO_BIN_EXE_opgate"), operations)
}

fn structured(operations: &[&str]) -> Fixture {
    fixture(operations).line("[tools]\nstructured = true")
}

fn call(fixture: &Fixture, revision: &str, operation: &str, arguments: &Value) -> Frame {
    let mut session = fixture.host().env("FIXTURE_PASSWORD", "correct-horse-battery").spawn();
    let params = json!({"name": fixture.tool(operation), "arguments": arguments});
    if revision == "2026-07-28" {
        session.send(&message::stateless(1, "tools/call", params));
        session.receive()
    } else {
        session.initialize(revision);
        session.send(&message::request(1, "tools/call", params));
        session.receive()
    }
}

const ORDER: &str = r#"{"count":1,"kind":"new","lines":[{"id":9007199254740993}],"name":"a","ratio":0.5}"#;

#[test]
fn both_are_the_same_value_and_only_where_the_revision_knows_it() {
    let fixture = structured(&["order", "nothing", "password"]);
    let order: Value = serde_json::from_str(ORDER).expect("JSON");
    for (revision, known, wrapped) in [
        ("2024-11-05", false, false),
        ("2025-03-26", false, false),
        ("2025-06-18", true, true),
        ("2025-11-25", true, true),
        ("2026-07-28", true, false),
    ] {
        let wrap = |value: Value| if wrapped { json!({ "result": value }) } else { value };
        for (operation, arguments, expected) in [
            ("order", order.clone(), order.clone()),
            ("nothing", json!({}), wrap(Value::Null)),
            ("password", json!({}), wrap(json!("The password is [REDACTED], keep it."))),
        ] {
            let answer = call(&fixture, revision, operation, &arguments);
            let content = answer["result"].get("structuredContent");
            assert_eq!(content, known.then_some(&expected), "{revision} {operation}");
            let text = answer.output();
            assert!(expected == text || expected["result"] == text, "{revision} {operation}");
        }
    }
}

#[test]
fn the_list_has_no_output_schema_and_a_failure_no_structured_content() {
    let fixture = structured(&["order"]);
    let mut session = fixture.initialized();
    session.send(&message::list(1));
    assert_eq!(session.receive().tools()[0].get("outputSchema"), None);
    session.call(2, &fixture.tool("order"), json!({}));
    let refused = session.receive();
    refused.assert_failure("invalid-input", "input", "not-started");
    assert_eq!(refused["result"].get("structuredContent"), None);
}

#[test]
fn both_together_are_within_the_budget() {
    let budget = "[limits]\nmax_output_bytes = 1000";
    let (once, twice) = (fixture(&["echo"]).line(budget), structured(&["echo"]).line(budget));
    for (length, fits_once, fits_twice) in
        [(400, true, true), (498, true, true), (499, true, false), (998, true, false), (999, false, false)]
    {
        let arguments = json!({"text": "x".repeat(length)});
        for (fixture, fits) in [(&once, fits_once), (&twice, fits_twice)] {
            let answer = call(fixture, "2025-11-25", "echo", &arguments);
            if fits {
                assert_eq!(answer.output(), arguments["text"]);
            } else {
                answer.assert_failure("output-too-large", "output", "completed");
            }
        }
    }
}
