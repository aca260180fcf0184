//! A worker that was paused past its lease cannot complete the job that another took over.

use serde_json::json;
use tasks::job::State;
use test_host::Signal;

use super::place::Place;

const LOST: &str = "lost: the lease ran out, nothing was written";

#[test]
fn a_paused_worker_that_wakes_while_another_works_writes_nothing() {
    let place = Place::new();
    let id = place.submit(json!({"durationMs": 2000}));
    let mut paused = place.worker(1000);
    place.wait_for(&id, State::Running);
    paused.signal(Signal::STOP);

    let mut other = place.worker(1000);
    other.wait_for_stderr("attempt 2, recovered from a lost worker");
    paused.signal(Signal::CONT);
    paused.wait_for_stderr(LOST);
    assert_eq!(place.job(&id).state, State::Running, "the other goes on");

    let job = place.wait_for(&id, State::Succeeded);
    assert_eq!(job.attempts, 2);
    assert_eq!(place.report(), Some((3.5, 2)));
    for worker in [&mut paused, &mut other] {
        worker.signal(Signal::TERM);
    }
    paused.wait().assert_code(0);
    other.wait().assert_code(0);
}

#[test]
fn a_paused_worker_that_wakes_after_the_end_writes_nothing() {
    let place = Place::new();
    let id = place.submit(json!({"durationMs": 1000}));
    let mut paused = place.worker(1000);
    place.wait_for(&id, State::Running);
    paused.signal(Signal::STOP);

    let mut other = place.worker(1000);
    let finished = place.wait_for(&id, State::Succeeded);
    assert_eq!(finished.attempts, 2);
    paused.signal(Signal::CONT);
    paused.wait_for_stderr(LOST);
    assert_eq!(place.job(&id), finished);
    for worker in [&mut paused, &mut other] {
        worker.signal(Signal::TERM);
    }
    paused.wait().assert_code(0);
    other.wait().assert_code(0);
}
