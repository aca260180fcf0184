//! A client that gave a token hears that its call still runs; nobody else does, and nobody after the answer.
//!
//! Source: specification pages `basic/utilities/progress` (to 2025-11-25) and `basic/patterns/progress` (2026-07-28).

use std::time::Duration;

use serde_json::{Value, json};
use test_host::{Fixture, message};

/// Longer than from one heartbeat to the next.
const QUIET: Duration = Duration::from_millis(1300);

fn with_token(mut call: Value, token: &Value) -> Value {
    call["params"]["_meta"]["progressToken"] = token.clone();
    call
}

/// Makes a call of 4 s with that token; the heartbeat must have it, increase, and end with the answer.
fn call_with(token: &Value, call: impl FnOnce(Value) -> Value) {
    let fixture = Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["block"]);
    let mut session = fixture.host().deadline(Duration::from_secs(20)).spawn();
    session.initialize("2025-11-25");
    let params = json!({"name": fixture.tool("block"), "arguments": {"ms": 4000}});
    session.send(&with_token(call(params), token));
    let mut reached = 0.0;
    let mut beats = 0;
    let answer = loop {
        let frame = session.receive();
        if frame["id"] == 1 {
            break frame;
        }
        assert_eq!(frame["method"], "notifications/progress", "{frame}");
        assert_eq!(frame["params"]["progressToken"], *token, "{frame}");
        let progress = frame["params"]["progress"].as_f64().unwrap_or_default();
        assert!(progress > reached, "{frame}");
        reached = progress;
        beats += 1;
    };
    assert!((3..=4).contains(&beats), "{beats} heartbeats in 4 s");
    assert_eq!(answer.output(), json!("blocked"));
    session.assert_quiet(QUIET);
}

#[test]
fn with_a_text_as_token() {
    call_with(&json!("t"), |params| message::request(1, "tools/call", params));
}

#[test]
fn with_a_number_as_token_in_the_stateless_revision() {
    call_with(&json!(7), |params| message::stateless(1, "tools/call", params));
}

#[test]
fn without_a_token_and_after_a_cancellation_there_is_none() {
    let fixture = Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["wait", "work"]);
    let mut session = fixture.host().deadline(Duration::from_secs(20)).spawn();
    session.initialize("2025-11-25");
    session.call(1, &fixture.tool("wait"), json!({"ms": 1500}));
    assert_eq!(session.receive().output(), json!("waited"), "the answer is the first frame");

    let call = message::call(2, &fixture.tool("work"), &json!({"ms": 1500}));
    session.send(&with_token(call, &json!("t")));
    fixture.wait_for_effect("work");
    session.send(&message::cancel(2));
    fixture.wait_for_effect("worked");
    session.assert_quiet(QUIET);
}

#[test]
fn a_token_that_is_none_is_invalid_params() {
    let fixture = Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["wait"]);
    let mut session = fixture.initialized();
    for token in [json!(1.5), json!({}), json!(true)] {
        let call = message::call(1, &fixture.tool("wait"), &json!({"ms": 0}));
        session.send(&with_token(call, &token));
        session.receive().assert_error(-32602);
    }
}
