//! A drain with a deadline ends at it, and says that it does not know what the call did.

use std::time::Duration;

use serde_json::{Value, json};
use test_host::{Fixture, Program, Signal, message};

#[test]
fn a_call_that_takes_longer_is_answered_with_an_unknown_outcome() {
    for (operation, end) in [("wait", None), ("block", Some(Signal::TERM))] {
        let launch = "allow = [\"fixture.wait\", \"fixture.block\"]\n[limits]\ndrain_seconds = 1\n";
        let fixture = Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["wait", "block"]).launch(launch);
        let mut session = fixture.initialized();
        session.call(1, &fixture.tool(operation), json!({"ms": 5000}));
        fixture.wait_for_effect(operation);
        match end {
            None => session.close_input(),
            Some(signal) => session.signal(signal),
        }
        session.answer_to(1).assert_failure("invocation-failed", "invoke", "unknown");
        let ended = session.wait();
        ended.assert_code(4);
        assert!(ended.took < Duration::from_secs(3), "{:?}", ended.took);
    }
}

#[test]
fn a_call_that_is_in_time_is_drained() {
    let launch = "allow = [\"fixture.wait\"]\n[limits]\ndrain_seconds = 5\n";
    let fixture = Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["wait"]).launch(launch);
    let mut session = fixture.initialized();
    session.call(1, &fixture.tool("wait"), json!({"ms": 300}));
    fixture.wait_for_effect("wait");
    session.close_input();
    assert_eq!(session.answer_to(1).output(), json!("waited"));
    session.wait().assert_code(0);
}

/// So many answers that nothing more is taken in: the end of the input is behind what was sent.
#[test]
fn it_begins_when_the_input_ends_although_nobody_reads() {
    for reads in [true, false] {
        let launch = "allow = [\"fixture.wait\"]\n[limits]\ndrain_seconds = 1\n";
        let fixture = Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["wait"]).launch(launch);
        let mut session = fixture.host().output_unread().spawn();
        session.send(&message::initialize("first", "2025-11-25"));
        session.send(&message::notification("notifications/initialized", Value::Null));
        session.call("call", &fixture.tool("wait"), json!({"ms": 60_000}));
        fixture.wait_for_effect("wait");
        session.offer(message::lines((0..4000).map(message::ping)).as_bytes(), Duration::from_secs(1));
        session.close_input();
        session.wait_for_stderr("abandoned");
        if reads {
            session.start_reading();
            session.answer_to("call").assert_failure("invocation-failed", "invoke", "unknown");
        }
        let ended = session.wait();
        ended.assert_code(if reads { 4 } else { 1 });
        assert_eq!(ended.took > Duration::from_secs(4), !reads, "{:?}", ended.took);
    }
}

#[test]
fn a_call_from_the_command_line_ends_at_it_and_says_what_it_waits_for() {
    let program = slow("", "drain_seconds = 1");
    let mut session =
        program.command("call").args(["app", "slow", "--input", r#"{"seconds": 20}"#]).text_output().spawn();
    program.wait_for_effect("slow");
    session.signal(Signal::TERM);
    let ended = session.wait();
    ended.assert_code(4);
    assert!(ended.took < Duration::from_secs(3), "{:?}", ended.took);
    assert_eq!(ended.text(), "");
    for said in ["waiting for app.slow to end, running for 0 s", "\"outcome\":\"unknown\""] {
        assert!(ended.stderr.contains(said), "{}", ended.stderr);
    }
}

#[test]
fn whoever_waited_learns_which_operation_it_was_and_how_to_look() {
    let look = "The adapter ended before the operation did. Look at the state with app.echo before repeating the call.";
    let effects = [("write", look), ("read", "The adapter ended before the operation did.")];
    for (effect, message) in effects {
        let program = || slow(&format!("effect = {effect:?}\nreconcile = \"app.echo\""), "drain_seconds = 1");
        let told = |diagnostic: &Value| {
            assert_eq!(diagnostic["message"], message, "{diagnostic}");
            assert_eq!((&diagnostic["plugin"], &diagnostic["operation"]), (&json!("app"), &json!("slow")));
            let with = if effect == "write" { json!("app.echo") } else { Value::Null };
            assert_eq!(diagnostic["reconcile"], with, "{diagnostic}");
        };
        let served = program();
        let mut session = served.initialized();
        session.call(1, &served.tool("slow"), json!({"seconds": 20}));
        served.wait_for_effect("slow");
        session.close_input();
        told(&session.answer_to(1).assert_failure("invocation-failed", "invoke", "unknown"));
        session.wait().assert_code(4);

        let called = program();
        let mut session =
            called.command("call").args(["app", "slow", "--input", r#"{"seconds": 20}"#]).text_output().spawn();
        called.wait_for_effect("slow");
        session.signal(Signal::TERM);
        let ended = session.wait();
        ended.assert_code(4);
        let diagnostic = ended.stderr.lines().find(|line| line.starts_with('{'));
        told(&diagnostic.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default());
    }
}

#[test]
fn a_second_signal_says_how_long_is_waited() {
    let program = slow("", "drain_seconds = 3");
    let mut session = program.initialized();
    session.call(1, &program.tool("slow"), json!({"seconds": 20}));
    program.wait_for_effect("slow");
    session.signal(Signal::TERM);
    session.signal(Signal::INT);
    session.wait_for_stderr("waiting for app.slow to end, running for ");
    session.wait_for_stderr("; it is abandoned in ");
    assert!(!session.stderr().contains("nothing is forced"), "{}", session.stderr());
    session.signal(Signal::KILL);
}

fn slow(lines: &str, limits: &str) -> Program {
    Program::new(env!("CARGO_BIN_EXE_opgate"), include_str!("process/misbehaves.py"))
        .operation("slow", lines)
        .operation("echo", "")
        .launch_line(&format!("[limits]\n{limits}"))
}
