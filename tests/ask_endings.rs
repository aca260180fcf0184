//! A prompt is gone with its time-out, its call and its process, and none of them is ever a yes.

use std::time::Duration;

use serde_json::json;
use test_host::{Fixture, Session, Signal, message};

fn fixture(more: &str) -> Fixture {
    Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["remove", "guarded", "echo"])
        .private()
        .line("[binding.confirm]\nask = \"terminal\"")
        .line(more)
}

fn remove(session: &mut Session, id: i64) {
    session.call(id, "operation_0", json!({"id": "A-7", "password": "hunter2-is-short"}));
}

#[track_caller]
fn nothing_is_left(fixture: &Fixture) {
    let left: Vec<_> = std::fs::read_dir(fixture.folder().join(format!("opgate-{}", user())))
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.file_name())
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

fn user() -> u32 {
    rustix::process::getuid().as_raw()
}

#[test]
fn a_prompt_that_nobody_answers_ends_with_no() {
    let fixture = fixture("timeout_seconds = 1");
    let mut session = fixture.initialized();
    remove(&mut session, 1);
    let prompt = fixture.wait_for_prompt(&session);
    let diagnostic = session.answer_to(1).assert_failure("confirmation-required", "confirm", "not-started");
    assert!(diagnostic["message"].as_str().unwrap_or_default().contains("in time"), "{diagnostic}");
    fixture.answer("allow", &prompt).assert_code(1);
    assert_eq!(fixture.count("remove "), 0);
    session.close();
    nothing_is_left(&fixture);
}

#[test]
fn a_cancelled_call_takes_its_prompt_with_it() {
    let fixture = fixture("");
    let mut session = fixture.initialized();
    remove(&mut session, 1);
    let prompt = fixture.wait_for_prompt(&session);
    session.send(&message::notification("notifications/cancelled", json!({"requestId": 1})));
    fixture.wait_for_effect("stop");
    fixture.answer("allow", &prompt).assert_code(1);
    session.call(2, "operation_2", json!({"text": "next"}));
    assert_eq!(session.answer_to(2).output(), json!("next"));
    assert_eq!(fixture.count("remove "), 0);
    session.close();
    nothing_is_left(&fixture);
}

#[test]
fn end_of_input_and_signals_refuse_an_open_prompt() {
    for how in [None, Some(Signal::INT), Some(Signal::TERM), Some(Signal::HUP)] {
        let fixture = fixture("");
        let mut session = fixture.initialized();
        remove(&mut session, 1);
        let prompt = fixture.wait_for_prompt(&session);
        match how {
            None => session.close_input(),
            Some(signal) => session.signal(signal),
        }
        session.answer_to(1).assert_failure("confirmation-required", "confirm", "not-started");
        session.wait().assert_code(0);
        fixture.answer("allow", &prompt).assert_code(1);
        assert_eq!(fixture.count("remove "), 0);
        nothing_is_left(&fixture);
    }
}

#[test]
fn what_a_killed_process_leaves_is_swept_and_answers_nothing() {
    let fixture = fixture("");
    let mut session = fixture.initialized();
    remove(&mut session, 1);
    let prompt = fixture.wait_for_prompt(&session);
    session.signal(Signal::KILL);
    while session.runs() {
        std::thread::sleep(Duration::from_millis(2));
    }
    fixture.answer("allow", &prompt).assert_code(1);
    assert!(fixture.prompts(&session).is_empty());
    drop(session);
    nothing_is_left(&fixture);
    assert_eq!(fixture.count("remove "), 0);
}

#[test]
fn answers_and_time_outs_do_not_wait_for_application_code() {
    let fixture = fixture("").switch("BACKGROUND", "3000");
    let mut session = fixture.initialized();
    remove(&mut session, 1);
    let prompt = fixture.wait_for_prompt(&session);
    fixture.wait_for_effect("blocked");
    fixture.answer("allow", &prompt).assert_code(0);
    assert!(!fixture.effects().contains(&"unblocked".to_owned()));
    assert_eq!(session.answer_to(1).output(), json!("A-7"));
    session.close();
    let fixture = self::fixture("timeout_seconds = 1").switch("BACKGROUND", "3000");
    let mut session = fixture.initialized();
    remove(&mut session, 1);
    let prompt = fixture.wait_for_prompt(&session);
    fixture.wait_for_effect("blocked");
    while !fixture.prompts(&session).is_empty() {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(!fixture.effects().contains(&"unblocked".to_owned()));
    fixture.answer("allow", &prompt).assert_code(1);
    session.answer_to(1).assert_failure("confirmation-required", "confirm", "not-started");
    session.close();
}

#[test]
fn a_signal_ends_a_question_of_the_command_line() {
    let fixture =
        Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &[]).private().line("[cli.binding.confirm]\nask = \"terminal\"");
    let mut session =
        fixture.command("call").args(["fixture", "remove", "--input", r#"{"id":"A-7"}"#]).text_output().spawn();
    let prompt = fixture.wait_for_prompt(&session);
    session.signal(Signal::INT);
    session.wait().assert_code(1);
    fixture.answer("allow", &prompt).assert_code(1);
    assert_eq!(fixture.count("remove "), 0);
    nothing_is_left(&fixture);
}
