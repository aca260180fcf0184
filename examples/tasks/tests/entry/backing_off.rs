//! Failed attempts wait 2 s, then 4 s; the third is the last, and a manual retry adds one.

use jiff::Timestamp;
use serde_json::json;
use tasks::job::State;

use super::place::{DEADLINE, Place, alice};

#[test]
fn three_attempts_with_growing_pauses_then_one_for_each_retry() {
    let place = Place::new();
    let id = place.submit(json!({"failUntilAttempt": 5}));
    let until_idle =
        || place.command(["worker", "--poll-ms", "20", "--until-idle"]).deadline(DEADLINE).run().assert_code(0).took;
    // Two pauses of 2 s and 4 s.
    let took = until_idle();
    assert!(took.as_secs() >= 6, "{took:?}");
    let job = place.job(&id);
    assert_eq!((job.state, job.attempts, job.max_attempts), (State::Failed, 3, 3));
    assert_eq!(job.last_error.as_deref(), Some("the attempt failed as failUntilAttempt asked"));

    for (attempts, state) in [(4, State::Failed), (5, State::Succeeded)] {
        assert!(place.block_on(place.store.retry(&alice(), &id, Timestamp::now())).unwrap());
        until_idle();
        let job = place.job(&id);
        assert_eq!((job.state, job.attempts), (state, attempts));
    }
    assert_eq!(place.report(), Some((3.5, 2)));
}

#[test]
fn a_sum_that_no_number_holds_fails_at_the_first_attempt() {
    let place = Place::new();
    let id = place.submit(json!({"rows": [1.7e308, 1.7e308]}));
    place.command(["worker", "--until-idle"]).deadline(DEADLINE).run().assert_code(0);
    let job = place.job(&id);
    assert_eq!((job.state, job.attempts), (State::Failed, 1));
    assert_eq!(job.last_error.as_deref(), Some("the sum of the rows is too large for a number"));
}
