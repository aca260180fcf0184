//! A panic is a failed call: the right outcome, its text nowhere in the answer, and the next call works.

use serde_json::json;
use test_host::{Fixture, Frame};

fn fixture(operations: &[&str]) -> Fixture {
    Fixture::beside(env!("CARGO_BIN_EXE_opgate"), operations)
}

#[track_caller]
fn assert_silent(answer: &Frame) {
    let told = answer.to_string();
    for text in ["hunter2", "panic", ".rs", "thread"] {
        assert!(!told.contains(text), "{text:?} in {told}");
    }
}

#[test]
fn in_an_operation_the_outcome_is_unknown_and_the_next_call_works() {
    for operation in ["panic_now", "panic_at_work"] {
        let fixture = fixture(&[operation, "echo"]);
        let mut session = fixture.initialized();
        for id in 0..3 {
            session.call(id, &fixture.tool(operation), json!({}));
            let answer = session.answer_to(id);
            answer.assert_failure("invocation-failed", "invoke", "unknown");
            assert!(!answer.text().contains("hunter2"), "{answer}");
        }
        session.call("next", &fixture.tool("echo"), json!({"text": "a"}));
        assert_eq!(session.answer_to("next").output(), json!("a"));
        session.close();
        let effects = fixture.effects();
        assert_eq!(effects[1..4], ["start", operation, "stop"], "it is cleaned up after");
        assert_eq!(effects.iter().filter(|line| *line == "stop").count(), 4);
    }
}

#[test]
fn in_start_nothing_has_happened() {
    let fixture = fixture(&["echo"]).switch("START", "panic");
    let mut session = fixture.initialized();
    for id in 0..3 {
        session.call(id, &fixture.tool("echo"), json!({"text": "a"}));
        let answer = session.answer_to(id);
        answer.assert_failure("initialization-failed", "setup", "not-started");
        assert_silent(&answer);
    }
    session.close();
    // What did not start is not stopped.
    assert_eq!(fixture.effects(), ["constructor", "start", "start", "start"]);
}

#[test]
fn in_stop_the_work_is_done_and_its_result_is_withheld() {
    let fixture = fixture(&["echo"]).switch("STOP", "panic");
    let mut session = fixture.initialized();
    for id in 0..3 {
        session.call(id, &fixture.tool("echo"), json!({"text": "raspberry"}));
        let answer = session.answer_to(id);
        answer.assert_failure("cleanup-failed", "cleanup", "completed");
        assert!(!answer.to_string().contains("raspberry"), "{answer}");
        assert_silent(&answer);
    }
    session.close();
}

#[test]
fn in_the_result_the_work_is_done() {
    let fixture = fixture(&["panic_in_value", "echo"]);
    let mut session = fixture.initialized();
    session.call(1, &fixture.tool("panic_in_value"), json!({}));
    let answer = session.answer_to(1);
    answer.assert_failure("serialization-failed", "output", "completed");
    assert!(!answer.text().contains("hunter2"), "{answer}");
    session.call(2, &fixture.tool("echo"), json!({"text": "a"}));
    assert_eq!(session.answer_to(2).output(), json!("a"));
    assert_eq!(fixture.effects()[1..4], ["start", "panic_in_value", "stop"]);
}

#[test]
fn in_a_binding_nothing_is_invoked() {
    for (switch, operation, code, phase) in [
        ("CONTEXT", "tenant", "binding-failed", "binding"),
        ("CONFIRM", "confirmed", "confirmation-required", "confirm"),
        ("APPROVE", "approved", "approval-required", "approve"),
    ] {
        let fixture = fixture(&[operation, "echo"]).switch("BIND", "code").switch(switch, "panic");
        let mut session = fixture.initialized();
        session.call(1, &fixture.tool(operation), json!({}));
        let answer = session.answer_to(1);
        answer.assert_failure(code, phase, "not-started");
        assert_silent(&answer);
        session.call(2, &fixture.tool("echo"), json!({"text": "a"}));
        assert_eq!(session.answer_to(2).output(), json!("a"));
        let effects = fixture.effects();
        assert!(!effects.contains(&operation.to_owned()), "{effects:?}");
        assert_eq!(effects.iter().filter(|line| *line == "stop").count(), 2, "{effects:?}");
    }
}

#[test]
fn in_what_an_operation_leaves_behind_it_is_contained_too() {
    for (operation, code, phase, outcome) in [
        ("panic_payload", "invocation-failed", "invoke", "unknown"),
        ("panic_in_error", "invocation-failed", "invoke", "unknown"),
        ("panic_in_cause", "not-found", "invoke", "unknown"),
    ] {
        let fixture = fixture(&[operation, "echo"]);
        let mut session = fixture.initialized();
        for id in 0..3 {
            session.call(id, &fixture.tool(operation), json!({}));
            let answer = session.answer_to(id);
            answer.assert_failure(code, phase, outcome);
            assert!(!answer.text().contains("hunter2"), "{answer}");
        }
        session.call("next", &fixture.tool("echo"), json!({"text": "a"}));
        assert_eq!(session.answer_to("next").output(), json!("a"));
        session.close();
        let stops = fixture.effects().iter().filter(|line| *line == "stop").count();
        assert_eq!(stops, 4, "{operation}: it is cleaned up after");
    }
}

#[test]
fn in_the_drop_of_a_result_the_result_is_still_given() {
    let fixture = fixture(&["panic_in_drop", "echo"]);
    let mut session = fixture.initialized();
    for id in 0..3 {
        session.call(id, &fixture.tool("panic_in_drop"), json!({}));
        assert_eq!(session.answer_to(id).output(), json!(true));
    }
    session.call("next", &fixture.tool("echo"), json!({"text": "a"}));
    assert_eq!(session.answer_to("next").output(), json!("a"));
}

#[test]
fn in_an_error_that_is_shown_each_phase_fails_as_with_any_other_error() {
    for (switch, operation, [code, phase, outcome], stops) in [
        ("START", "echo", ["initialization-failed", "setup", "not-started"], 0),
        ("CONTEXT", "tenant", ["binding-failed", "binding", "not-started"], 1),
        ("CONFIRM", "confirmed", ["confirmation-required", "confirm", "not-started"], 1),
        ("APPROVE", "approved", ["approval-required", "approve", "not-started"], 1),
        ("STOP", "echo", ["cleanup-failed", "cleanup", "completed"], 1),
    ] {
        let fixture = fixture(&[operation]).switch("BIND", "code").switch(switch, "rude");
        let arguments = if operation == "echo" { json!({"text": "a"}) } else { json!({}) };
        let mut session = fixture.initialized();
        session.call(1, &fixture.tool(operation), arguments);
        session.answer_to(1).assert_failure(code, phase, outcome);
        session.close();
        assert_eq!(fixture.effects().iter().filter(|line| *line == "stop").count(), stops, "{switch}");
    }
}
