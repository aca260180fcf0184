//! An answer that meets the end of its prompt: the operation runs at most once, and never after a no.

use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use test_host::{Ended, Fixture, Session, Signal, message};

const ROUNDS: u64 = 12;

fn asked(more: &str) -> (Fixture, Session, Value) {
    let fixture = Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["remove"])
        .private()
        .line("[binding.confirm]\nask = \"terminal\"")
        .line(more);
    let mut session = fixture.initialized();
    session.call(1, "operation_0", json!({"id": "A-7"}));
    let prompt = fixture.wait_for_prompt(&session);
    (fixture, session, prompt)
}

/// Allows while `end` ends the prompt, one of them a little earlier in each round.
fn race(fixture: &Fixture, session: &mut Session, prompt: &Value, round: u64, end: impl FnOnce(&mut Session)) -> Ended {
    thread::scope(|scope| {
        let allow = scope.spawn(|| {
            thread::sleep(Duration::from_millis(round));
            fixture.answer("allow", prompt)
        });
        thread::sleep(Duration::from_millis(4 + ROUNDS / 2));
        end(session);
        allow.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

#[track_caller]
fn never_after_a_no(fixture: &Fixture, allowed: &Ended) {
    let removed = fixture.count("remove ");
    assert!(removed <= 1, "it ran {removed} times");
    assert!(removed == 0 || allowed.status.success(), "it ran although `allow` said no: {}", allowed.stderr);
}

#[test]
fn allow_and_cancellation() {
    for round in 0..ROUNDS {
        let (fixture, mut session, prompt) = asked("");
        let allowed = race(&fixture, &mut session, &prompt, round, |session| {
            session.send(&message::notification("notifications/cancelled", json!({"requestId": 1})));
        });
        session.close();
        never_after_a_no(&fixture, &allowed);
    }
}

#[test]
fn allow_and_end_of_input() {
    for round in 0..ROUNDS {
        let (fixture, mut session, prompt) = asked("");
        let allowed = race(&fixture, &mut session, &prompt, round, Session::close_input);
        let answer = session.answer_to(1);
        session.wait().assert_code(0);
        never_after_a_no(&fixture, &allowed);
        assert_eq!(fixture.count("remove ") == 1, answer["result"]["isError"] != true, "{answer}");
    }
}

#[test]
fn allow_and_a_kill() {
    for round in 0..ROUNDS {
        let (fixture, mut session, prompt) = asked("");
        let allowed = race(&fixture, &mut session, &prompt, round, |session| session.signal(Signal::KILL));
        drop(session);
        never_after_a_no(&fixture, &allowed);
    }
}

#[test]
fn allow_and_the_time_out() {
    thread::scope(|scope| {
        for round in 0..6_u64 {
            scope.spawn(move || {
                let asked_at = Instant::now();
                let (fixture, mut session, prompt) = asked("timeout_seconds = 2");
                let aim = Duration::from_millis(1960 + round * 15);
                thread::sleep(aim.saturating_sub(asked_at.elapsed()));
                let allowed = fixture.answer("allow", &prompt);
                let answer = session.answer_to(1);
                never_after_a_no(&fixture, &allowed);
                assert_eq!(allowed.status.success(), answer["result"]["isError"] != true, "{answer}");
                assert_eq!(fixture.count("remove ") == 1, allowed.status.success());
                session.close();
            });
        }
    });
}

#[test]
fn two_answers() {
    for verbs in [["allow", "allow"], ["allow", "deny"], ["deny", "allow"]] {
        for _ in 0..ROUNDS / 3 {
            let (fixture, mut session, prompt) = asked("");
            let answers = thread::scope(|scope| {
                let threads = verbs.map(|verb| scope.spawn(|| fixture.answer(verb, &prompt)));
                threads.map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            });
            let _ = session.answer_to(1);
            let counted: Vec<_> =
                (0..2).filter(|index| answers[*index].status.success()).map(|index| verbs[index]).collect();
            assert_eq!(counted.len(), 1, "{answers:?}");
            assert_eq!(fixture.count("remove "), usize::from(counted == ["allow"]), "{answers:?}");
            session.close();
        }
    }
}
