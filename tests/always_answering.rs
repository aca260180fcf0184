//! While an operation blocks its thread, everything but calls is served, and at once.

use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use test_host::{Fixture, Session, message};

const AT_ONCE: Duration = Duration::from_millis(50);

/// The answer, and the time that it took.
fn timed(session: &mut Session, request: &Value) -> (Value, Duration) {
    let sent = Instant::now();
    session.send(request);
    let answer = session.receive();
    assert_eq!(answer["id"], request["id"], "{answer}");
    (answer.message, answer.arrived.duration_since(sent))
}

/// Pings that often; all are answered at once, but for one, as the machine itself may stall for a moment.
fn assert_pings_at_once(session: &mut Session, count: usize) {
    let times: Vec<Duration> = (0..count)
        .map(|id| {
            thread::sleep(Duration::from_millis(50));
            timed(session, &message::ping(id)).1
        })
        .collect();
    assert!(times.iter().filter(|time| **time >= AT_ONCE).count() <= 1, "{times:?}");
}

#[test]
fn pings_lists_and_bad_frames_are_answered_while_an_operation_blocks_for_3_s() {
    let fixture = Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["block"]);
    let block = fixture.tool("block");
    let mut session = fixture.initialized();
    let started = Instant::now();
    session.call("slow", &block, json!({"ms": 3000}));
    fixture.wait_for_effect("block");
    assert_pings_at_once(&mut session, 40);
    let (list, _) = timed(&mut session, &message::list("list"));
    assert_eq!(list["result"]["tools"].as_array().map(Vec::len), Some(1));
    let (discovered, _) = timed(&mut session, &message::stateless("d", "server/discover", json!(null)));
    assert!(discovered["result"].is_object(), "{discovered}");
    let (busy, _) = timed(&mut session, &message::call("second", &block, &json!({"ms": 0})));
    assert_eq!(busy["result"]["isError"], true);
    session.send(&message::cancel("nobody"));
    session.send_bytes("garbage\n");
    session.receive().assert_error(-32700);
    assert!(started.elapsed() < Duration::from_secs(3), "all of that while the operation blocked");

    assert_eq!(session.answer_to("slow").output(), json!("blocked"));
    session.close();
}

#[test]
fn pings_are_answered_while_a_human_is_asked() {
    let fixture =
        Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["confirmed"]).switch("BIND", "code").switch("CONFIRM", "never");
    let mut session = fixture.initialized();
    session.call("asked", &fixture.tool("confirmed"), json!({}));
    fixture.wait_for_effect("confirm fixture.confirmed {}");
    assert_pings_at_once(&mut session, 8);
    session.assert_quiet(AT_ONCE);
    session.close_input();
    let ended = session.wait();
    ended.answer_to("asked").assert_failure("confirmation-required", "confirm", "not-started");
    ended.assert_code(0);
    assert!(!fixture.effects().contains(&"confirmed".to_owned()));
}
