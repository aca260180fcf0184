//! `calls_per_minute` admits so many calls in any minute; refused ones do nothing and do not count.

use serde_json::json;
use test_host::Fixture;

#[test]
fn more_calls_are_told_when_to_come_again() {
    let fixture = Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["echo"]).line("[limits]\ncalls_per_minute = 3");
    let mut session = fixture.initialized();
    for id in 0..6 {
        session.call(id, "operation_0", json!({"text": "a"}));
        let answer = session.answer_to(id);
        if id < 3 {
            assert_eq!(answer.output(), json!("a"));
        } else {
            let refused = answer.assert_failure("rate-limited", "admit", "not-started");
            assert_eq!(refused["details"]["limit"], 3);
            assert!(
                refused["details"]["retry_after_seconds"].as_u64().is_some_and(|wait| (55..=60).contains(&wait)),
                "{refused}"
            );
        }
    }
    session.close();
    assert_eq!(fixture.effects().iter().filter(|effect| *effect == "echo").count(), 3);
}
