//! A worker that waits for a long time hears of a job at once, where the database tells; else it looks again in time.

use jiff::Timestamp;
use serde_json::json;
use tasks::job::State;
use test_host::Signal;

use super::place::{DEADLINE, Place, alice};

#[test]
fn a_waiting_worker_takes_what_is_queued_and_what_is_queued_again() {
    let place = Place::new();
    let poll = if module_path!().contains("::postgres::") { "60000" } else { "200" };
    let mut worker = place.command(["worker", "--poll-ms", poll]).deadline(DEADLINE).spawn();
    worker.wait_for_stderr("started");
    // Too large a sum fails at once, whatever the attempt.
    let id = place.submit(json!({"rows": [1.7e308, 1.7e308]}));
    place.wait_for(&id, State::Failed);
    assert!(place.block_on(place.store.retry(&alice(), &id, Timestamp::now())).unwrap());
    worker.wait_for_stderr("attempt 2");
    place.wait_for(&id, State::Failed);
    worker.signal(Signal::TERM);
    worker.wait().assert_code(0);
}
