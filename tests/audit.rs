//! The audit file answers "did it happen?": a line before an operation is invoked, one when its call has ended, and no
//! call where a line cannot be written. No value is ever in it.
#![expect(clippy::expect_used, reason = "a test that cannot do its part fails")]

use std::path::PathBuf;

use serde_json::{Value, json};
use test_host::{Fixture, Signal, message};

const CANARY: &str = "canary-in-an-argument-4711";

fn fixture(operations: &[&str]) -> Fixture {
    Fixture::beside(env!("CARGO_BIN_EXE_opgate"), operations).line("[audit]\nfile = \"audit.jsonl\"")
}

fn path(fixture: &Fixture) -> PathBuf {
    fixture.folder().join("audit.jsonl")
}

fn lines(fixture: &Fixture) -> Vec<Value> {
    let text = std::fs::read_to_string(path(fixture)).unwrap_or_default();
    assert!(!text.contains(CANARY), "{text}");
    text.lines().map(|line| serde_json::from_str(line).expect("each line is JSON")).collect()
}

#[test]
fn a_call_leaves_one_line_before_it_is_invoked_and_one_at_its_end() {
    let fixture = fixture(&["echo", "fail_safe"]);
    let mut session = fixture.initialized();
    session.call(1, "operation_0", json!({"text": CANARY}));
    let text = session.answer_to(1).text().to_owned();
    // The last line is written before the first byte of the answer.
    let found = lines(&fixture);
    assert_eq!(found.len(), 2, "{found:?}");
    for (line, event) in found.iter().zip(["invoke", "end"]) {
        assert_eq!(line["event"], event);
        assert_eq!((&line["identity"], &line["operation"]), (&json!("tester"), &json!("fixture.echo")));
        assert_eq!((&line["call"], &line["arguments"]), (&found[0]["call"], &found[0]["arguments"]));
        assert_eq!(line["process"], session.id());
    }
    assert_eq!(found[0]["call"].as_str().map(str::len), Some(32));
    // As in the frame, where its two quotation marks are escaped.
    assert_eq!((&found[1]["outcome"], &found[1]["bytes"]), (&json!("completed"), &json!(text.len() + 2)));
    assert!(found[0]["outcome"].is_null() && found[1]["milliseconds"].is_u64() && found[1]["code"].is_null());
    session.call(2, "operation_0", json!({"text": "other"}));
    let _ = session.answer_to(2);
    session.call(3, "operation_0", json!({"text": CANARY}));
    let _ = session.answer_to(3);
    session.call(4, "operation_1", json!({"code": "not-found", "message": CANARY}));
    let _ = session.answer_to(4);
    let found = lines(&fixture);
    assert_ne!(found[2]["arguments"], found[0]["arguments"]);
    assert_eq!(found[4]["arguments"], found[0]["arguments"]);
    assert_ne!(found[4]["call"], found[0]["call"]);
    assert_eq!((&found[7]["outcome"], &found[7]["code"]), (&json!("unknown"), &json!("not-found")));
    session.close();
}

#[test]
fn a_call_that_is_not_invoked_leaves_one_line() {
    let fixture = fixture(&["echo", "tenant", "confirmed"]);
    let mut session = fixture.initialized();
    for (id, tool, arguments, code) in [
        (1, "operation_0", json!({"text": 1}), "invalid-input"),
        (2, "operation_1", json!({}), "missing-context-binding"),
        (3, "operation_2", json!({}), "confirmation-required"),
    ] {
        session.call(id, tool, arguments);
        let _ = session.answer_to(id);
        let found = lines(&fixture);
        let last = found.last().expect("a line");
        assert_eq!(
            (&last["event"], &last["code"], &last["outcome"]),
            (&json!("end"), &json!(code), &json!("not-started"))
        );
    }
    assert_eq!(lines(&fixture).len(), 3);
    session.close();
}

#[test]
fn answers_and_cancellations_are_recorded() {
    let fixture = fixture(&["guarded", "wait"]).switch("BIND", "code").switch("CONFIRM", "yes").switch("APPROVE", "no");
    let mut session = fixture.initialized();
    session.call(1, "operation_0", json!({}));
    let _ = session.answer_to(1);
    let last = lines(&fixture).pop().expect("a line");
    assert_eq!((&last["confirm"]["answer"], &last["approve"]["answer"]), (&json!("yes"), &json!("no")));
    session.call(2, "operation_1", json!({"ms": 200}));
    fixture.wait_for_effect("wait");
    session.send(&message::notification("notifications/cancelled", json!({"requestId": 2})));
    fixture.wait_for_effect("waited");
    session.close();
    let last = lines(&fixture).pop().expect("a line");
    assert_eq!((&last["cancelled"], &last["outcome"]), (&json!(true), &json!("completed")));
    let fixture = self::fixture(&["confirmed"]).switch("BIND", "code").switch("CONFIRM", "never");
    let mut session = fixture.initialized();
    session.call(1, "operation_0", json!({}));
    fixture.wait_for_effect("confirm fixture.confirmed {}");
    session.send(&message::notification("notifications/cancelled", json!({"requestId": 1})));
    fixture.wait_for_effect("stop");
    session.close();
    let last = lines(&fixture).pop().expect("a line");
    assert_eq!((&last["code"], &last["outcome"]), (&json!("request-cancelled"), &json!("not-started")));
}

#[test]
fn a_killed_process_leaves_the_first_line_alone() {
    let fixture = fixture(&["wait"]);
    let mut session = fixture.initialized();
    session.call(1, "operation_0", json!({"ms": 60_000}));
    fixture.wait_for_effect("wait");
    session.signal(Signal::KILL);
    drop(session);
    let found = lines(&fixture);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0]["event"], "invoke");
}

#[test]
fn a_call_whose_line_cannot_be_written_is_refused() {
    let fixture = fixture(&["echo"]);
    let elsewhere = fixture.folder().join("elsewhere");
    std::fs::write(&elsewhere, "").expect("a file");
    let mut session = fixture.initialized();
    std::os::unix::fs::symlink(&elsewhere, path(&fixture)).expect("a link");
    session.call(1, "operation_0", json!({"text": "a"}));
    let diagnostic = session.answer_to(1).assert_failure("invocation-failed", "invoke", "not-started");
    assert!(diagnostic["message"].as_str().is_some_and(|message| message.contains("audit")), "{diagnostic}");
    assert!(!fixture.effects().contains(&"echo".to_owned()));
    assert_eq!(std::fs::read_to_string(&elsewhere).expect("text"), "", "no link is followed");
    std::fs::remove_file(path(&fixture)).expect("the link");
    session.call(2, "operation_0", json!({"text": "a"}));
    assert_eq!(session.answer_to(2).output(), json!("a"));
    session.close();
    assert_eq!(lines(&fixture).len(), 2);
}

#[test]
fn a_file_that_may_not_grow_refuses_the_call_and_kills_nothing() {
    let fixture = fixture(&["echo"]);
    std::fs::write(path(&fixture), format!("{{\"before\":\"{}\"}}\n", "x".repeat(600))).expect("a file");
    let mut session = fixture.initialized();
    let limit = rustix::process::Rlimit { current: Some(512), maximum: Some(512) };
    let id = rustix::process::Pid::from_raw(i32::try_from(session.id()).expect("an id"));
    rustix::process::prlimit(id, rustix::process::Resource::Fsize, limit).expect("our own child");
    session.call(1, "operation_0", json!({"text": "a"}));
    session.answer_to(1).assert_failure("invocation-failed", "invoke", "not-started");
    assert!(!fixture.effects().contains(&"echo".to_owned()));
    session.close();
}

#[test]
fn a_file_that_cannot_be_an_audit_file_refuses_the_launch() {
    for file in [".", "no/such/folder", "/dev/null"] {
        let fixture =
            Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["echo"]).line(&format!("[audit]\nfile = {file:?}"));
        fixture.host().run().assert_refused(&["launch.toml:4:", ": audit.file: "]);
    }
    let fixture = fixture(&["echo"]);
    fixture.command("check").text_output().run().assert_code(0);
    assert!(!path(&fixture).exists(), "check creates nothing");
}

#[test]
fn the_command_line_is_audited_as_itself() {
    let fixture = fixture(&[]);
    fixture.command("call").args(["fixture", "echo", "--input", r#"{"text":"a"}"#]).text_output().run().assert_code(0);
    let found = lines(&fixture);
    assert_eq!(found.iter().map(|line| line["side"].as_str()).collect::<Vec<_>>(), [Some("cli"), Some("cli")]);
}
