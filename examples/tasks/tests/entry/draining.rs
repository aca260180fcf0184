//! The first signal drains: the job in hand is finished, no other is begun.

use serde_json::json;
use tasks::job::State;
use test_host::Signal;

use super::place::Place;

#[test]
fn a_signal_lets_the_job_in_hand_finish_and_no_other_begin() {
    for signal in [Signal::TERM, Signal::INT] {
        let place = Place::new();
        let first = place.submit(json!({"durationMs": 1000}));
        let second = place.submit(json!({}));
        let mut worker = place.worker(30_000);
        place.wait_for(&first, State::Running);
        worker.signal(signal);
        worker.wait_for_stderr("draining");
        assert_eq!(place.job(&first).state, State::Running);
        worker.signal(signal);
        worker.wait().assert_code(0);
        assert_eq!(place.job(&first).state, State::Succeeded);
        assert_eq!(place.job(&second).state, State::Queued);
    }
}

#[test]
fn a_worker_with_nothing_to_do_ends_at_once() {
    let place = Place::new();
    let mut worker = place.command(["worker", "--poll-ms", "60000"]).spawn();
    worker.wait_for_stderr("started");
    worker.signal(Signal::TERM);
    worker.wait().assert_code(0);
}
