//! Calls that end just before another thread would serve in place of theirs, or just after: whoever serves, every request is
//! answered once.

use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use test_host::{Fixture, message};

#[test]
fn every_request_is_answered_once_whichever_thread_serves() {
    let fixture = Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["block", "echo"]);
    let (block, echo) = (fixture.tool("block"), fixture.tool("echo"));
    let mut session = fixture.initialized();
    let mut busy = 0;
    for round in 0..500_u64 {
        let ids = ["call", "ping", "second"].map(|kind| format!("{kind} {round}"));
        session.call(ids[0].as_str(), &block, json!({"ms": round % 4}));
        thread::sleep(Duration::from_micros(round * 37 % 2500));
        session.send(&message::ping(ids[1].as_str()));
        session.call(ids[2].as_str(), &echo, json!({"text": "x"}));
        let mut answered = Vec::new();
        for _ in &ids {
            let answer = session.receive();
            busy += usize::from(answer.to_string().contains("adapter-busy"));
            assert!(answer["result"].is_object(), "{answer}");
            answered.push(answer["id"].clone());
        }
        answered.sort_by_key(Value::to_string);
        assert_eq!(answered, ids, "round {round}");
    }
    assert!((1..500).contains(&busy), "some second calls came while the first one ran, and some after it: {busy}");
    session.close_input();
    let ended = session.wait();
    ended.assert_code(0);
}
