//! In 2025-03-26 a batch is answered by one array, when its last answer is ready.
//!
//! Source: specification 2025-03-26, page `basic`, section Batching; 2025-06-18, page `changelog`: batches are removed.

use serde_json::{Value, json};
use test_host::{Fixture, message};

fn batch(messages: &[Value]) -> Value {
    Value::from(messages)
}

#[test]
fn members_are_taken_in_order_and_a_second_call_is_busy() {
    let fixture = Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["wait"]);
    let mut session = fixture.host().batches().spawn();
    session.initialize("2025-03-26");
    session.send(&batch(&[
        message::call(1, &fixture.tool("wait"), &json!({"ms": 300})),
        message::call(2, &fixture.tool("wait"), &json!({"ms": 0})),
        message::notification("notifications/whatever", json!({})),
        message::ping(3),
        json!(7),
    ]));
    session.send(&message::ping("beside"));
    assert_eq!(session.receive()["id"], "beside", "a batch that is not ready holds nothing up");
    let frame = session.receive();
    let answers = frame.message.as_array().expect("an array");
    let answer_to = |id: Value| answers.iter().find(|answer| answer["id"] == id).expect("an answer");
    assert_eq!(answers.len(), 4, "{frame}");
    assert_eq!(answer_to(json!(1))["result"]["content"][0]["text"], "\"waited\"");
    assert!(answer_to(json!(2)).to_string().contains("adapter-busy"), "{frame}");
    assert_eq!(answer_to(json!(3))["result"], json!({}));
    assert_eq!(answer_to(json!(null))["error"]["code"], -32600);
}

#[test]
fn a_batch_of_notifications_is_not_answered_and_one_too_long_is_refused() {
    let fixture = Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["wait"]);
    let mut session = fixture.host().batches().spawn();
    session.initialize("2025-03-26");
    session.send(&batch(&[message::notification("a/b", json!({})), message::cancel(9)]));
    session.send(&message::ping("next"));
    assert_eq!(session.receive()["id"], "next");
    let pings: Vec<Value> = (0..33).map(message::ping).collect();
    session.send(&batch(&pings[..32]));
    assert_eq!(session.receive().message.as_array().map(Vec::len), Some(32));
    session.send(&batch(&pings));
    session.receive().assert_error(-32600);
    session.send(&batch(&[]));
    session.receive().assert_error(-32600);
    session.send(&message::ping("last"));
    assert_eq!(session.receive()["id"], "last");
}

#[test]
fn no_other_revision_has_batches() {
    for revision in ["2024-11-05", "2025-06-18", "2025-11-25"] {
        let fixture = Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["wait"]);
        let mut session = fixture.host().spawn();
        session.initialize(revision);
        session.send(&batch(&[message::ping(1), message::ping(2)]));
        session.receive().assert_error(-32600);
        session.send(&message::ping(3));
        assert_eq!(session.receive()["id"], 3);
    }
}

#[test]
fn a_stateless_request_is_part_of_no_batch() {
    let fixture = Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["wait"]);
    let mut session = fixture.host().batches().spawn();
    session.initialize("2025-03-26");
    session.send(&batch(&[message::stateless(1, "tools/list", json!({})), message::ping(2)]));
    let frame = session.receive();
    let answers = frame.message.as_array().expect("an array");
    assert_eq!(answers.len(), 2, "{frame}");
    assert_eq!(answers[0]["error"]["code"], -32600, "{frame}");
    assert_eq!(answers[1]["result"], json!({}), "{frame}");
}

#[test]
fn an_ending_that_abandons_a_cancelled_call_answers_the_rest_of_its_batch() {
    let fixture = Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["wait"]).line("[limits]\ndrain_seconds = 1");
    let mut session = fixture.host().batches().spawn();
    session.initialize("2025-03-26");
    session.send(&batch(&[message::call(1, &fixture.tool("wait"), &json!({"ms": 9000})), message::ping(2)]));
    fixture.wait_for_effect("wait");
    session.send(&message::cancel(1));
    session.close_input();
    let ended = session.wait();
    ended.assert_code(4);
    let frames: Vec<&Value> = ended.frames.iter().map(|frame| &frame.message).collect();
    assert_eq!(frames, [&json!([{"jsonrpc": "2.0", "id": 2, "result": {}}])]);
}
