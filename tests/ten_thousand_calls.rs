//! A client that sends its next call after reading an answer is never told busy, nor that its id is in use.

use serde_json::json;
use test_host::Fixture;

#[test]
fn ten_thousand_calls_one_after_another_all_run() {
    let fixture = Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["nothing"]);
    let tool = fixture.tool("nothing");
    let mut session = fixture.initialized();
    for round in 0..10_000 {
        // The same few ids again and again: each is free as soon as it is answered.
        let id = round % 3;
        session.call(id, &tool, json!({}));
        let answer = session.receive();
        assert_eq!(answer["id"], id, "round {round}: {answer}");
        assert_eq!(answer.output(), json!(null), "round {round}");
    }
    session.close();
    assert_eq!(fixture.effects().iter().filter(|line| *line == "nothing").count(), 10_000);
}
