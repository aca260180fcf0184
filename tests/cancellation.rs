//! A cancelled call is never answered; it is not invoked if the cancel came in time, and keeps its place if it was.
//!
//! Source: specification pages `basic/utilities/cancellation` (to 2025-11-25), `basic/patterns/cancellation` and
//! `basic/transports/stdio` (2026-07-28).

use std::time::Duration;

use serde_json::json;
use test_host::{Fixture, Session, message};

fn fixture() -> Fixture {
    Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["wait", "echo", "confirmed"])
}

/// Calls until the place is free; the answer is that of a call that ran.
fn echo_when_free(session: &mut Session, tool: &str) {
    for attempt in 0..500 {
        let id = format!("attempt {attempt}");
        session.call(id.as_str(), tool, json!({"text": "a"}));
        let answer = session.receive();
        assert_eq!(answer["id"], id, "{answer}");
        if answer["result"]["isError"] != true {
            assert_eq!(answer.output(), json!("a"));
            return;
        }
        answer.assert_failure("adapter-busy", "admit", "not-started");
        std::thread::sleep(Duration::from_millis(5));
    }
    panic!("the place is never freed");
}

#[test]
fn a_cancel_right_behind_its_call_takes_effect() {
    let fixture = fixture().switch("START", "300");
    let mut session = fixture.initialized();
    let call = message::call(1, &fixture.tool("wait"), &json!({"ms": 0}));
    session.send_bytes(message::lines([call, message::cancel(1)]));
    echo_when_free(&mut session, &fixture.tool("echo"));
    session.close_input();
    let ended = session.wait();
    ended.assert_code(0);
    assert_eq!(ended.frames.len(), 0, "nothing is sent for a cancelled call");
    let effects = fixture.effects();
    assert!(!effects.contains(&"wait".to_owned()), "it was not invoked: {effects:?}");
    let count = |what| effects.iter().filter(|line| *line == what).count();
    assert_eq!(count("start"), count("stop"), "what was started is stopped: {effects:?}");
}

#[test]
fn an_invoked_call_runs_on_in_its_place() {
    let fixture = fixture();
    let mut session = fixture.initialized();
    session.call(1, &fixture.tool("wait"), json!({"ms": 600}));
    fixture.wait_for_effect("wait");
    session.send(&message::cancel(1));
    session.call(2, &fixture.tool("echo"), json!({"text": "a"}));
    session.receive().assert_failure("adapter-busy", "admit", "not-started");
    fixture.wait_for_effect("stop");
    assert_eq!(fixture.effects(), ["constructor", "start", "wait", "waited", "stop"]);
    echo_when_free(&mut session, &fixture.tool("echo"));
    // It is the call that was silenced, not its id.
    session.call(1, &fixture.tool("echo"), json!({"text": "b"}));
    assert_eq!(session.receive().output(), json!("b"));
    session.close_input();
    let ended = session.wait();
    ended.assert_code(0);
    assert_eq!(ended.frames.len(), 0);
}

#[test]
fn an_open_question_is_withdrawn() {
    let fixture = fixture().switch("BIND", "code").switch("CONFIRM", "never");
    let mut session = fixture.initialized();
    session.call(1, &fixture.tool("confirmed"), json!({}));
    fixture.wait_for_effect("confirm fixture.confirmed {}");
    session.send(&message::cancel(1));
    echo_when_free(&mut session, &fixture.tool("echo"));
    let effects = fixture.effects();
    assert_eq!(effects[1..4], ["start", "confirm fixture.confirmed {}", "stop"]);
    session.assert_quiet(Duration::from_millis(50));
}

#[test]
fn the_drain_waits_for_a_cancelled_call() {
    let fixture = fixture();
    let mut session = fixture.initialized();
    session.call(1, &fixture.tool("wait"), json!({"ms": 500}));
    fixture.wait_for_effect("wait");
    session.send(&message::cancel(1));
    session.close_input();
    let ended = session.wait();
    ended.assert_code(0);
    assert_eq!(ended.frames.len(), 0);
    assert_eq!(fixture.effects(), ["constructor", "start", "wait", "waited", "stop"]);
}

#[test]
fn cancels_that_name_nothing_change_nothing() {
    let fixture = fixture();
    let mut session = fixture.host().spawn();
    session.send_bytes(message::lines([message::initialize(0, "2025-11-25"), message::cancel(0)]));
    assert!(session.receive()["result"].is_object(), "initialize cannot be cancelled");

    session.call(1, &fixture.tool("wait"), json!({"ms": 300}));
    // Another id, the same id as a text, no id, one that is none.
    for params in
        [json!({"requestId": 2}), json!({"requestId": "1"}), json!({}), json!({"requestId": null}), json!(null)]
    {
        session.send(&message::notification("notifications/cancelled", params));
    }
    assert_eq!(session.receive().output(), json!("waited"));
    // One that was answered.
    session.send(&message::cancel(1));
    session.call(1, &fixture.tool("echo"), json!({"text": "a"}));
    assert_eq!(session.receive().output(), json!("a"));
    session.assert_quiet(Duration::from_millis(50));
}

#[test]
fn a_cancel_in_the_same_write_as_its_call_keeps_it_from_being_invoked() {
    let fixture = fixture();
    let mut session = fixture.initialized();
    for id in 0..200 {
        session.send_bytes(message::lines([
            message::call(id, &fixture.tool("echo"), &json!({"text": "never"})),
            message::cancel(id),
            message::ping(format!("after {id}")),
        ]));
        // The one before may still have its place: then this one is told busy, which is not invoked either.
        assert!(session.answer_to(format!("after {id}"))["result"].is_object());
    }
    session.close_input();
    let ended = session.wait();
    ended.assert_code(0);
    let invoked = fixture.effects().iter().filter(|effect| *effect == "echo").count();
    assert_eq!(invoked, 0);
}

#[test]
fn a_cancel_whose_parameters_are_a_list_cancels_nothing() {
    let fixture = fixture();
    let mut session = fixture.initialized();
    session.call(1, &fixture.tool("wait"), json!({"ms": 300}));
    fixture.wait_for_effect("wait");
    session.send(&message::notification("notifications/cancelled", json!([1])));
    assert_eq!(session.answer_to(1).output(), json!("waited"));
}
