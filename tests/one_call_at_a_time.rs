//! One call runs at a time; every other is told so at once, and disturbs nothing.

use std::time::Duration;

use serde_json::json;
use test_host::{Fixture, message};

fn fixture() -> Fixture {
    Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["wait", "echo"])
}

#[test]
fn calls_beside_a_running_one_are_told_busy_at_once() {
    let fixture = fixture();
    let (wait, echo) = (fixture.tool("wait"), fixture.tool("echo"));
    let mut session = fixture.initialized();
    let calls = [
        message::call(1, &wait, &json!({"ms": 1500})),
        message::call("two", &echo, &json!({"text": "a"})),
        message::call(3, &wait, &json!({"ms": 0})),
    ];
    session.send_bytes(message::lines(calls));

    let busy = [session.receive(), session.receive()];
    assert_eq!([&busy[0]["id"], &busy[1]["id"]], [&json!("two"), &json!(3)]);
    for answer in &busy {
        answer.assert_failure("adapter-busy", "admit", "not-started");
    }
    let first = session.receive();
    assert_eq!(first["id"], 1);
    assert_eq!(first.output(), json!("waited"));
    let ahead = first.arrived.duration_since(busy[1].arrived);
    assert!(ahead > Duration::from_secs(1), "the busy answers came only {ahead:?} before the end of the call");

    session.call(4, &echo, json!({"text": "b"}));
    assert_eq!(session.receive().output(), json!("b"));
    session.close_input();
    let ended = session.wait();
    ended.assert_code(0);
    assert_eq!(ended.frames.len(), 0);
    assert_eq!(fixture.effects(), ["constructor", "start", "wait", "waited", "stop", "start", "echo", "stop"]);
}

#[test]
fn the_place_stays_taken_until_clean_up_has_ended() {
    let fixture = fixture().switch("STOP", "600");
    let echo = fixture.tool("echo");
    let mut session = fixture.initialized();
    session.call(1, &echo, json!({"text": "a"}));
    fixture.wait_for_effect("stop");
    session.call(2, &echo, json!({"text": "b"}));
    let first = session.receive();
    assert_eq!(first["id"], 2);
    first.assert_failure("adapter-busy", "admit", "not-started");
    assert_eq!(session.answer_to(1).output(), json!("a"));
    assert_eq!(fixture.effects().last().map(String::as_str), Some("stop slowly"));
}

#[test]
fn each_call_has_an_application_of_its_own() {
    let fixture = fixture();
    let echo = fixture.tool("echo");
    let mut session = fixture.initialized();
    for id in 0..3 {
        session.call(id, &echo, json!({"text": "a"}));
        assert_eq!(session.answer_to(id).output(), json!("a"));
    }
    let effects = fixture.effects();
    assert_eq!(effects[0], "constructor");
    assert_eq!(effects[1..].concat(), "startechostop".repeat(3));
}
