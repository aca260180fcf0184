//! The id of a request in flight cannot be used again; the first is undisturbed.
//!
//! Source: specification page `basic` (2026-07-28) and its like before: an id matches no other that is not yet answered.

use std::time::Duration;

use serde_json::json;
use test_host::{Fixture, message};

#[test]
fn the_second_is_an_error_without_an_id_and_the_first_is_answered_once() {
    let fixture = Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["wait", "echo"]);
    let mut session = fixture.initialized();
    for id in [json!(1), json!("a"), json!("")] {
        session.call(id.clone(), &fixture.tool("wait"), json!({"ms": 400}));
        for request in [
            message::call(id.clone(), &fixture.tool("echo"), &json!({"text": "a"})),
            message::ping(id.clone()),
            message::list(id.clone()),
            message::request(id.clone(), "no/such/method", json!({})),
            message::stateless(id.clone(), "server/discover", json!(null)),
        ] {
            session.send(&request);
            let answer = session.receive();
            let error = answer.assert_error(-32600);
            assert_eq!(error["data"]["code"], "duplicate-id", "{answer}");
            assert!(answer.message.get("id").is_none(), "{answer}");
        }
        let first = session.receive();
        assert_eq!(first["id"], id);
        assert_eq!(first.output(), json!("waited"));
        // Answered: the id is free.
        session.send(&message::ping(id.clone()));
        assert_eq!(session.receive()["id"], id);
    }
    session.assert_quiet(Duration::from_millis(50));
    assert!(!fixture.effects().contains(&"echo".to_owned()));
}

#[test]
fn a_number_and_the_text_of_it_are_two_ids() {
    let fixture = Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["wait"]);
    let mut session = fixture.initialized();
    session.call(1, &fixture.tool("wait"), json!({"ms": 200}));
    session.send(&message::ping("1"));
    let pong = session.receive();
    assert_eq!((&pong["id"], &pong["result"]), (&json!("1"), &json!({})));
    assert_eq!(session.receive()["id"], 1);
}

#[test]
fn before_2025_11_25_the_error_has_a_null_id() {
    let fixture = Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["wait"]);
    let mut session = fixture.host().spawn();
    session.initialize("2025-06-18");
    session.call(1, &fixture.tool("wait"), json!({"ms": 200}));
    session.send(&message::ping(1));
    let answer = session.receive();
    answer.assert_error(-32600);
    assert_eq!(answer.message.get("id"), Some(&json!(null)), "{answer}");
    assert_eq!(session.receive().output(), json!("waited"));
}
