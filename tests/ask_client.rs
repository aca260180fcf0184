//! A client of a handshake revision that can be asked is asked while its call is held. Only its own yes, to that question,
//! in time, lets the operation run.
//!
//! Source: specification page `client/elicitation` (2025-06-18 and 2025-11-25).

use std::time::Duration;

use serde_json::{Value, json};
use test_host::{Fixture, Frame, Session, message};

const QUIET: Duration = Duration::from_millis(200);

fn fixture(operations: &[&str], timeout: u32) -> Fixture {
    Fixture::beside(env!("CARGO_BIN_EXE_opgate"), operations).line(&format!(
        "[binding.context]\ntenant = \"acme\"\n[binding.confirm]\nask = \"client\"\ntimeout_seconds = {timeout}\n\
         [binding.approve]\nask = \"client\"\ntrust_host = true"
    ))
}

fn connect(fixture: &Fixture, revision: &str, capabilities: &Value) -> Session {
    let mut session = fixture.host().spawn();
    let mut hello = message::initialize("initialize", revision);
    hello["params"]["capabilities"] = capabilities.clone();
    session.send(&hello);
    assert!(session.answer_to("initialize")["result"].is_object());
    session
}

fn forms() -> Value {
    json!({"elicitation": {}})
}

/// Calls the confirmed operation, and the question that comes of it.
fn asked(session: &mut Session, fixture: &Fixture) -> Frame {
    session.call(1, &fixture.tool("confirmed"), json!({}));
    let question = session.receive();
    assert_eq!(question["method"], "elicitation/create", "{question}");
    question
}

fn response(question: &Frame, result: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": question["id"], "result": result})
}

fn yes() -> Value {
    json!({"action": "accept", "content": {"approved": true}})
}

#[test]
fn a_yes_lets_exactly_this_call_run_once() {
    for revision in ["2025-06-18", "2025-11-25"] {
        let fixture = fixture(&["confirmed"], 50);
        let mut session = connect(&fixture, revision, &forms());
        let question = asked(&mut session, &fixture);
        let params = &question["params"];
        let text = params["message"].as_str().expect("a message");
        assert!(
            text.contains("Confirm this call?") && text.contains("fixture.confirmed") && text.contains("tester"),
            "{text}"
        );
        assert_eq!(params["requestedSchema"]["required"], json!(["approved"]));
        assert_eq!(params.get("mode").is_some(), revision == "2025-11-25");
        assert_eq!(fixture.effects(), ["constructor", "start"]);
        session.send(&response(&question, &yes()));
        assert_eq!(session.receive().output(), Value::Null);
        session.send(&response(&question, &yes()));
        session.assert_quiet(QUIET);
        assert_eq!(fixture.effects(), ["constructor", "start", "confirmed", "stop"]);
    }
}

#[test]
fn everything_else_is_a_no() {
    let fixture = fixture(&["confirmed"], 50);
    let mut session = connect(&fixture, "2025-11-25", &forms());
    for result in [
        json!({"action": "decline"}),
        json!({"action": "cancel", "content": {"approved": true}}),
        json!({"action": "accept", "content": {"approved": false}}),
        json!({"action": "accept", "content": {"approved": "true"}}),
        json!({"action": "accept"}),
        json!({"action": "yes", "content": {"approved": true}}),
        json!([]),
        json!(null),
    ] {
        let question = asked(&mut session, &fixture);
        session.send(&response(&question, &result));
        session.receive().assert_failure("confirmation-required", "confirm", "not-started");
    }
    let question = asked(&mut session, &fixture);
    session.send(&json!({"jsonrpc": "2.0", "id": question["id"], "error": {"code": -1, "message": "no"}}));
    session.receive().assert_failure("confirmation-required", "confirm", "not-started");
    let question = asked(&mut session, &fixture);
    session.send(
        &json!({"jsonrpc": "2.0", "id": question["id"], "result": yes(), "error": {"code": -1, "message": "no"}}),
    );
    session.receive().assert_failure("confirmation-required", "confirm", "not-started");
    assert!(!fixture.effects().contains(&"confirmed".to_owned()));
}

#[test]
fn answers_to_nothing_are_ignored_and_the_rest_is_served_meanwhile() {
    let fixture = fixture(&["confirmed", "echo"], 50);
    let mut session = connect(&fixture, "2025-11-25", &forms());
    for id in [json!(1), json!("opgate-0"), json!(null), json!("initialize")] {
        session.send(&json!({"jsonrpc": "2.0", "id": id, "result": yes()}));
    }
    let question = asked(&mut session, &fixture);
    let id = question["id"].as_str().expect("a text").to_owned();
    assert!(id.len() >= 32, "{id}");
    let other = if id.ends_with('0') { "1" } else { "0" };
    for id in [json!(1), json!(null), json!(id[..id.len() - 1].to_owned() + other), json!(id.to_uppercase())] {
        session.send(&json!({"jsonrpc": "2.0", "id": id, "result": yes()}));
    }
    session.send(&message::ping(2));
    assert!(session.receive().answers(&json!(2)));
    session.call(3, &fixture.tool("echo"), json!({"text": "a"}));
    session.receive().assert_failure("adapter-busy", "admit", "not-started");
    session.assert_quiet(QUIET);
    session.send(&response(&question, &json!({"action": "decline"})));
    session.answer_to(1).assert_failure("confirmation-required", "confirm", "not-started");
    let next = asked(&mut session, &fixture);
    assert_ne!(next["id"], question["id"], "no two questions have one id");
    session.send(&response(&question, &yes()));
    session.assert_quiet(QUIET);
    assert!(!fixture.effects().contains(&"confirmed".to_owned()));
}

#[test]
fn two_answers_at_once_are_a_no() {
    let fixture = fixture(&["confirmed"], 50).switch("BACKGROUND", "1000");
    let mut session = connect(&fixture, "2025-11-25", &forms());
    let question = asked(&mut session, &fixture);
    // Nobody looks at the first before the second is there.
    fixture.wait_for_effect("blocked");
    let twice = [response(&question, &yes()), response(&question, &json!({"action": "decline"}))];
    session.send_bytes(message::lines(twice));
    session.receive().assert_failure("confirmation-required", "confirm", "not-started");
    assert!(!fixture.effects().contains(&"confirmed".to_owned()));
}

#[test]
fn nobody_answers_in_time() {
    let fixture = fixture(&["confirmed"], 1);
    let mut session = connect(&fixture, "2025-11-25", &forms());
    let question = asked(&mut session, &fixture);
    let withdrawn = session.receive();
    assert_eq!(withdrawn["method"], "notifications/cancelled");
    assert_eq!(withdrawn["params"]["requestId"], question["id"]);
    session.receive().assert_failure("confirmation-required", "confirm", "not-started");
    session.send(&response(&question, &yes()));
    session.assert_quiet(QUIET);
    assert_eq!(fixture.effects(), ["constructor", "start", "stop"]);
}

#[test]
fn a_cancelled_call_is_silent_and_a_late_yes_is_none() {
    let fixture = fixture(&["confirmed"], 50);
    let mut session = connect(&fixture, "2025-11-25", &forms());
    let question = asked(&mut session, &fixture);
    session.send_bytes(message::lines([message::cancel(1), response(&question, &yes())]));
    fixture.wait_for_effect("stop");
    session.assert_quiet(QUIET);
    assert_eq!(fixture.effects(), ["constructor", "start", "stop"]);
}

#[test]
fn end_of_input_is_a_no_and_the_answer_is_still_owed() {
    let fixture = fixture(&["confirmed"], 50);
    let mut session = connect(&fixture, "2025-11-25", &forms());
    asked(&mut session, &fixture);
    session.close_input();
    let ended = session.wait();
    ended.assert_code(0);
    ended.answer_to(1).assert_failure("confirmation-required", "confirm", "not-started");
    assert!(!fixture.effects().contains(&"confirmed".to_owned()));
}

#[test]
fn who_cannot_be_asked_is_refused_and_sent_nothing() {
    let fixture = fixture(&["confirmed"], 50);
    for (revision, capabilities) in [
        ("2025-11-25", json!({})),
        ("2025-11-25", json!({"elicitation": {"url": {}}})),
        ("2025-11-25", json!({"elicitation": true})),
        ("2025-03-26", forms()),
        ("2024-11-05", forms()),
    ] {
        let mut session = connect(&fixture, revision, &capabilities);
        session.call(1, &fixture.tool("confirmed"), json!({}));
        session.receive().assert_failure("confirmation-required", "confirm", "not-started");
    }
    assert!(!fixture.effects().contains(&"confirmed".to_owned()));
}

#[test]
fn both_questions_are_asked_one_after_the_other() {
    let fixture = fixture(&["guarded"], 50);
    let mut session = connect(&fixture, "2025-11-25", &forms());
    session.call(1, &fixture.tool("guarded"), json!({}));
    let confirm = session.receive();
    assert!(confirm["params"]["message"].as_str().is_some_and(|text| text.starts_with("Confirm")));
    session.send(&response(&confirm, &yes()));
    let approve = session.receive();
    assert!(approve["params"]["message"].as_str().is_some_and(|text| text.starts_with("Approve")));
    session.send(&response(&approve, &yes()));
    assert_eq!(session.receive().output(), json!("acme"));
    session.call(2, &fixture.tool("guarded"), json!({}));
    let confirm = session.receive();
    session.send(&response(&confirm, &yes()));
    let approve = session.receive();
    session.send(&response(&approve, &json!({"action": "decline"})));
    session.receive().assert_failure("approval-required", "approve", "not-started");
    assert_eq!(fixture.effects().iter().filter(|effect| *effect == "guarded").count(), 1);
}

#[test]
fn arguments_and_metadata_answer_nothing() {
    let fixture = fixture(&["confirmed"], 1);
    let mut session = connect(&fixture, "2025-11-25", &json!({}));
    let params = json!({"name": fixture.tool("confirmed"), "arguments": {}, "inputResponses": {"confirm": yes()},
        "requestState": "x", "confirm": yes(), "_meta": {"confirm": true, "approved": true, "io.modelcontextprotocol/inputResponses": {"confirm": yes()}}});
    session.send(&message::request(1, "tools/call", params));
    session.receive().assert_failure("confirmation-required", "confirm", "not-started");
    for name in ["approved", "confirm", "_meta", "context"] {
        session.call(2, &fixture.tool("confirmed"), json!({ name: true }));
        session.receive().assert_failure("invalid-input", "input", "not-started");
    }
    assert!(!fixture.effects().contains(&"confirmed".to_owned()));
}
