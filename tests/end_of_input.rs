//! At end of input the admitted call ends as if nothing had happened: it is answered, cleaned up after, and exit is 0.
//!
//! Source: specification pages `basic/lifecycle` (to 2025-11-25), Shutdown, and `basic/transports/stdio` (2026-07-28), Shutdown.

use std::time::Duration;

use serde_json::json;
use test_host::{Errors, Fixture, message};

fn fixture() -> Fixture {
    Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["wait", "block", "leave_thread", "leave_printing", "echo"])
}

#[test]
fn a_call_of_8_s_is_answered_after_its_clean_up() {
    let fixture = fixture().switch("STOP", "200");
    let mut session = fixture.host().deadline(Duration::from_secs(20)).spawn();
    session.initialize("2025-11-25");
    session.call(1, &fixture.tool("wait"), json!({"ms": 8000}));
    session.close_input();
    let ended = session.wait();
    ended.assert_code(0);
    assert_eq!(ended.answer_to(1).output(), json!("waited"));
    assert!(ended.took > Duration::from_millis(7900) && ended.took < Duration::from_secs(10), "{:?}", ended.took);
    assert_eq!(fixture.effects(), ["constructor", "start", "wait", "waited", "stop", "stop slowly"]);
}

#[test]
fn a_call_that_blocks_its_thread_is_answered_too() {
    let fixture = fixture();
    for host in [fixture.host(), fixture.host().socket_pair()] {
        let mut session = host.spawn();
        session.initialize("2025-11-25");
        session.call(1, &fixture.tool("block"), json!({"ms": 700}));
        session.close_input();
        let ended = session.wait();
        ended.assert_code(0);
        assert_eq!(ended.answer_to(1).output(), json!("blocked"));
    }
}

#[test]
fn everything_sent_before_the_end_is_answered() {
    let fixture = fixture();
    let mut session = fixture.initialized();
    let lines = [
        message::call(1, &fixture.tool("wait"), &json!({"ms": 300})),
        message::ping(2),
        message::list(3),
        message::call(4, &fixture.tool("echo"), &json!({"text": "a"})),
    ]
    .map(|line| line.to_string());
    // The last line has no end: end of file ends it.
    session.send_bytes(lines.join("\n"));
    session.close_input();
    let ended = session.wait();
    ended.assert_code(0);
    assert_eq!(ended.frames.len(), 4);
    assert_eq!(ended.answer_to(2)["result"], json!({}));
    ended.answer_to(4).assert_failure("adapter-busy", "admit", "not-started");
    assert_eq!(ended.answer_to(1).output(), json!("waited"));
}

#[test]
fn an_empty_input_is_a_clean_end() {
    let fixture = fixture();
    for host in [fixture.host(), fixture.host().socket_pair()] {
        let ended = host.run();
        ended.assert_code(0);
        assert_eq!(ended.stdout, b"");
        assert!(ended.took < Duration::from_secs(2), "{:?}", ended.took);
    }
    assert_eq!(fixture.effects(), ["constructor", "constructor"]);
}

#[test]
fn a_thread_of_the_application_delays_nothing() {
    let fixture = fixture();
    for (operation, arguments) in [("leave_thread", json!({"ms": 60_000})), ("leave_printing", json!({}))] {
        let mut session = fixture.host().errors(Errors::Unread).spawn();
        session.initialize("2025-11-25");
        session.call(1, &fixture.tool(operation), arguments);
        assert_eq!(session.answer_to(1).output(), json!(null));
        // Time for it to fill the pipe that it prints to.
        std::thread::sleep(Duration::from_millis(200));
        session.close_input();
        let ended = session.wait();
        ended.assert_code(0);
        assert!(ended.took < Duration::from_secs(2), "{operation}: {:?}", ended.took);
    }
}
