//! A running job is cancelled by its worker, promptly, and the worker goes on.

use jiff::Timestamp;
use serde_json::json;
use tasks::job::{Cancellation, State};
use test_host::Signal;

use super::place::{Place, alice};

#[test]
fn the_worker_notices_and_goes_on_with_the_next_job() {
    let place = Place::new();
    let long = place.submit(json!({"durationMs": 600_000}));
    let mut worker = place.worker(30_000);
    place.wait_for(&long, State::Running);
    let next = place.submit(json!({"reportId": "next"}));

    let asked = Timestamp::now();
    let wish = place.block_on(place.store.cancel(&alice(), &long, asked)).unwrap();
    assert_eq!(wish, Cancellation::Requested);
    let job = place.wait_for(&long, State::Cancelled);
    let took = job.finished_at.unwrap().duration_since(asked);
    assert!(took.as_millis() < 1000, "{took:?}");
    assert_eq!(place.report(), None);
    place.wait_for(&next, State::Succeeded);

    worker.signal(Signal::TERM);
    worker.wait().assert_code(0);
}
