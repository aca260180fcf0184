//! SIGTERM, SIGINT and SIGHUP drain: the admitted call is answered, later ones are refused, exit is 0.

use std::path::Path;
use std::thread;
use std::time::Duration;

use serde_json::json;
use test_host::{Fixture, Host, Session, Signal, message};

const SIGNALS: [Signal; 3] = [Signal::TERM, Signal::INT, Signal::HUP];

fn fixture() -> Fixture {
    Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["wait", "block", "echo"])
}

/// Waits until the signal has been noticed: a call is then refused for another reason than the one that runs.
fn until_refused(session: &mut Session, tool: &str) {
    for attempt in 0..500 {
        session.call(format!("attempt {attempt}"), tool, json!({"text": "a"}));
        let answer = session.answer_to(format!("attempt {attempt}"));
        if answer.diagnostic()["code"] != "adapter-busy" {
            answer.assert_failure("adapter-closed", "admit", "not-started");
            return;
        }
        thread::sleep(Duration::from_millis(2));
    }
    panic!("the signal was not noticed");
}

#[test]
fn a_call_in_flight_is_answered_and_later_ones_are_refused() {
    for signal in SIGNALS {
        let fixture = fixture().switch("STOP", "100");
        let mut session = fixture.initialized();
        session.call(1, &fixture.tool("block"), json!({"ms": 800}));
        fixture.wait_for_effect("block");
        session.signal(signal);
        until_refused(&mut session, &fixture.tool("echo"));
        session.call(2, &fixture.tool("echo"), json!({"text": "a"}));
        session.send(&message::ping(3));
        session.answer_to(2).assert_failure("adapter-closed", "admit", "not-started");
        assert_eq!(session.answer_to(3)["result"], json!({}));
        assert_eq!(session.answer_to(1).output(), json!("blocked"), "{signal:?}");
        // The input is still open.
        session.wait().assert_code(0);
        assert_eq!(fixture.effects(), ["constructor", "start", "block", "blocked", "stop", "stop slowly"]);
    }
}

#[test]
fn a_call_of_8_s_is_answered_after_sigterm() {
    let fixture = fixture();
    let mut session = fixture.host().deadline(Duration::from_secs(20)).spawn();
    session.initialize("2025-11-25");
    session.call(1, &fixture.tool("wait"), json!({"ms": 8000}));
    fixture.wait_for_effect("wait");
    session.signal(Signal::TERM);
    assert_eq!(session.answer_to(1).output(), json!("waited"));
    session.wait().assert_code(0);
    assert_eq!(fixture.effects(), ["constructor", "start", "wait", "waited", "stop"]);
}

#[test]
fn an_idle_entry_ends_at_once_before_and_after_the_handshake() {
    for signal in SIGNALS {
        for handshake in [false, true] {
            let fixture = fixture();
            let mut session = fixture.host().spawn();
            session.send(&message::ping(1));
            assert_eq!(session.answer_to(1)["result"], json!({}));
            if handshake {
                session.initialize("2025-11-25");
            }
            session.signal(signal);
            let ended = session.wait();
            ended.assert_code(0);
            assert!(ended.took < Duration::from_secs(1), "{signal:?}: {:?}", ended.took);
        }
    }
}

#[test]
fn a_signal_during_launch_ends_it() {
    let fixture = fixture().switch("CONSTRUCTOR", "700");
    let mut session = fixture.host().spawn();
    fixture.wait_for_effect("constructor");
    session.signal(Signal::TERM);
    let ended = session.wait();
    ended.assert_code(0);
    assert_eq!(ended.stdout, b"");
}

#[test]
fn an_open_question_is_refused() {
    let fixture =
        Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["approved"]).switch("BIND", "code").switch("APPROVE", "never");
    let mut session = fixture.initialized();
    session.call(1, &fixture.tool("approved"), json!({}));
    fixture.wait_for_effect("approve fixture.approved {}");
    session.signal(Signal::TERM);
    session.answer_to(1).assert_failure("approval-required", "approve", "not-started");
    session.wait().assert_code(0);
    assert_eq!(fixture.effects().last().map(String::as_str), Some("stop"));
}

#[test]
fn a_second_signal_says_what_is_waited_for_and_forces_nothing() {
    let fixture = fixture();
    let mut session = fixture.initialized();
    session.call(1, &fixture.tool("wait"), json!({"ms": 1500}));
    fixture.wait_for_effect("wait");
    session.signal(Signal::TERM);
    until_refused(&mut session, &fixture.tool("echo"));
    let before = session.stderr().len();
    session.signal(Signal::TERM);
    session.wait_for_stderr_after(before, "fixture.wait");
    assert_eq!(session.answer_to(1).output(), json!("waited"));
    session.wait().assert_code(0);
    assert_eq!(fixture.effects().last().map(String::as_str), Some("stop"));
}

#[test]
fn a_signal_that_was_ignored_at_start_stays_ignored() {
    let fixture = fixture();
    let mut session = fixture.host().ignoring("HUP").spawn();
    session.initialize("2025-11-25");
    session.signal(Signal::HUP);
    session.call(1, &fixture.tool("wait"), json!({"ms": 200}));
    assert_eq!(session.answer_to(1).output(), json!("waited"));
    session.call(2, &fixture.tool("echo"), json!({"text": "still here"}));
    assert_eq!(session.answer_to(2).output(), json!("still here"));
    session.signal(Signal::TERM);
    session.wait().assert_code(0);
}

#[test]
fn a_signal_that_a_parent_left_blocked_comes_through() {
    let fixture = fixture();
    let program = Path::new(env!("CARGO_BIN_EXE_opgate")).parent().expect("a folder").join("examples/fixture");
    let blocked = "import os, signal, sys\n\
                   signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGINT, signal.SIGHUP})\n\
                   os.execv(sys.argv[1], sys.argv[1:])";
    for signal in SIGNALS {
        let host = Host::new("python3").args(["-c", blocked]).arg(&program).arg("serve").arg(fixture.launch_file());
        let mut session = host.env("FIXTURE_LOG", fixture.folder().join("effects")).spawn();
        session.initialize("2025-11-25");
        session.signal(signal);
        session.wait().assert_code(0);
    }
}

#[test]
fn a_signal_that_came_while_it_was_blocked_ends_the_entry_in_order() {
    let fixture = fixture();
    let program = Path::new(env!("CARGO_BIN_EXE_opgate")).parent().expect("a folder").join("examples/fixture");
    let sent = "import os, signal, sys\n\
                signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})\n\
                os.kill(os.getpid(), signal.SIGTERM)\n\
                os.execv(sys.argv[1], sys.argv[1:])";
    let host = Host::new("python3").args(["-c", sent]).arg(&program).arg("serve").arg(fixture.launch_file());
    let ended = host.env("FIXTURE_LOG", fixture.folder().join("effects")).spawn().wait();
    ended.assert_code(0);
}
