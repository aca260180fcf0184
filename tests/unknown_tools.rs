//! A tool that does not exist and one that is not allowed look the same, to the byte.
//!
//! Source: specification page `server/tools`, section Error Handling: an unknown tool is a protocol error.

use serde_json::json;
use test_host::{Fixture, message};

#[test]
fn every_unknown_name_gets_the_same_bytes() {
    let fixture = Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["echo"]);
    let mut session = fixture.initialized();
    let names =
        ["operation_1", "operation_00", "Operation_0", "fixture.echo", "fixture.block", "fixture_block", "", "\u{0}"];
    let mut answers = Vec::new();
    for name in names {
        session.call(1, name, json!({"text": "a"}));
        let answer = session.receive();
        answer.assert_error(-32602);
        answers.push(answer.bytes);
    }
    // Also with arguments that no tool takes.
    session.call(1, "operation_1", json!({"x": 1}));
    answers.push(session.receive().bytes);
    for (name, answer) in names.iter().zip(&answers) {
        assert_eq!(answer, &answers[0], "{name:?}: {}", answer.escape_ascii());
    }
    assert_eq!(answers.last(), answers.first());
    assert_eq!(fixture.effects(), ["constructor"], "nothing was started");
}

#[test]
fn while_a_call_runs_too() {
    let fixture = Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["wait"]);
    let mut session = fixture.initialized();
    session.call(1, "operation_7", json!({}));
    let idle = session.receive().bytes;
    session.call("wait", &fixture.tool("wait"), json!({"ms": 500}));
    fixture.wait_for_effect("wait");
    session.call(1, "operation_7", json!({}));
    assert_eq!(session.receive().bytes, idle);
    assert_eq!(session.answer_to("wait").output(), json!("waited"));
}

#[test]
fn an_operation_of_the_command_line_alone_cannot_be_reached() {
    let fixture = Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["echo"]).switch("DECLARE", "mcp-values");
    let mut session = fixture.initialized();
    session.send(&message::list(1));
    assert_eq!(session.receive().tools().len(), 1);
    for name in ["operation_1", "fixture.block", "block"] {
        session.call(2, name, json!({"ms": 0}));
        session.receive().assert_error(-32602);
    }
    assert_eq!(fixture.effects(), ["constructor"]);
}
