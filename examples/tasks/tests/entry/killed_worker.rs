//! A worker is killed in mid-job; another one finishes the job.

use serde_json::json;
use tasks::job::State;
use test_host::Signal;

use super::place::Place;

#[test]
fn the_job_of_a_killed_worker_is_finished_by_another() {
    let place = Place::new();
    let id = place.submit(json!({"durationMs": 1500}));
    let mut first = place.worker(1000);
    place.wait_for(&id, State::Running);
    first.signal(Signal::KILL);
    first.wait();
    assert_eq!(place.job(&id).state, State::Running, "nobody knows yet");

    let mut second = place.worker(1000);
    second.wait_for_stderr("attempt 2, recovered from a lost worker");
    let job = place.wait_for(&id, State::Succeeded);
    assert_eq!(job.attempts, 2);
    assert_eq!(place.report(), Some((3.5, 2)));
    second.signal(Signal::TERM);
    second.wait().assert_code(0);
}

#[test]
fn a_job_that_outlives_its_lease_many_times_is_not_taken_from_a_worker_that_lives() {
    let place = Place::new();
    let id = place.submit(json!({"durationMs": 5000}));
    let mut first = place.worker(1500);
    place.wait_for(&id, State::Running);
    let mut second = place.worker(1500);
    assert_eq!(place.wait_for(&id, State::Succeeded).attempts, 1);
    for worker in [&mut first, &mut second] {
        worker.signal(Signal::TERM);
    }
    first.wait().assert_code(0);
    second.wait().assert_code(0);
}
