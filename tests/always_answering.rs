//! While an operation blocks its thread, everything but calls is served, and at once.

use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use test_host::{Fixture, Session, message};

const AT_ONCE: Duration = Duration::from_millis(50);

fn answered_at_once(session: &mut Session, request: &Value) -> Value {
    let sent = Instant::now();
    session.send(request);
    let answer = session.receive();
    let took = answer.arrived.duration_since(sent);
    assert_eq!(answer["id"], request["id"], "{answer}");
    assert!(took < AT_ONCE, "{request} was answered after {took:?}");
    answer.message
}

#[test]
fn pings_lists_and_bad_frames_are_answered_while_an_operation_blocks_for_3_s() {
    let fixture = Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["block"]);
    let block = fixture.tool("block");
    let mut session = fixture.initialized();
    let started = Instant::now();
    session.call("slow", &block, json!({"ms": 3000}));
    fixture.wait_for_effect("block");
    for round in 0..40 {
        answered_at_once(&mut session, &message::ping(round));
        thread::sleep(Duration::from_millis(50));
    }
    let list = answered_at_once(&mut session, &message::list("list"));
    assert_eq!(list["result"]["tools"].as_array().map(Vec::len), Some(1));
    let discovered = answered_at_once(&mut session, &message::stateless("d", "server/discover", json!(null)));
    assert!(discovered["result"].is_object(), "{discovered}");
    let busy = answered_at_once(&mut session, &message::call("second", &block, &json!({"ms": 0})));
    assert_eq!(busy["result"]["isError"], true);
    session.send(&message::cancel("nobody"));
    session.send_bytes("garbage\n");
    session.receive().assert_error(-32700);
    assert!(started.elapsed() < Duration::from_secs(3), "all of that while the operation blocked");

    assert_eq!(session.answer_to("slow").output(), json!("blocked"));
    session.close_input();
    session.wait().assert_code(0);
}

#[test]
fn pings_are_answered_while_a_human_is_asked() {
    let fixture =
        Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["confirmed"]).switch("BIND", "code").switch("CONFIRM", "never");
    let mut session = fixture.initialized();
    session.call(1, &fixture.tool("confirmed"), json!({}));
    fixture.wait_for_effect("confirm fixture.confirmed {}");
    for id in 2..10 {
        answered_at_once(&mut session, &message::ping(id));
    }
    session.assert_quiet(AT_ONCE);
    session.close_input();
    let ended = session.wait();
    ended.answer_to(1).assert_failure("confirmation-required", "confirm", "not-started");
    ended.assert_code(0);
    assert!(!fixture.effects().contains(&"confirmed".to_owned()));
}
