//! Cancelling: at once while a job waits, by request while it runs, never after its end.

use serde_json::json;
use tasks::job::{Cancellation, State};
use tasks::store::Settled;

use super::place::{LEASE, Place, at, owner, report};

#[tokio::test]
async fn a_waiting_job_is_cancelled_and_never_run() {
    let place = Place::new().await;
    let id = place.submit(json!({})).await;
    assert_eq!(place.store.cancel(&owner("alice"), &id, at(1)).await.unwrap(), Cancellation::Cancelled);
    assert_eq!(place.store.cancel(&owner("alice"), &id, at(2)).await.unwrap(), Cancellation::Terminal);
    let job = place.job(&id).await;
    assert_eq!((job.state, job.finished_at, job.attempts), (State::Cancelled, Some(at(1)), 0));
    assert!(place.store.claim("worker", at(3) + LEASE, at(3)).await.unwrap().claim.is_none());
}

#[tokio::test]
async fn a_request_wins_over_the_end_that_comes_after_it() {
    let place = Place::new().await;
    let alice = owner("alice");
    for failing in [false, true] {
        let id = place.submit(json!({})).await;
        let claim = place.claim(at(1)).await;
        assert_eq!(place.store.cancel(&alice, &id, at(2)).await.unwrap(), Cancellation::Requested);
        assert_eq!(place.store.cancel(&alice, &id, at(2)).await.unwrap(), Cancellation::Requested);
        let job = place.job(&id).await;
        assert_eq!((job.state, job.cancel_requested), (State::Running, true));
        assert_eq!(place.store.cancel_requested(&claim).await.unwrap(), Ok(true));
        let settled = if failing {
            place.store.fail(&claim, "later", Some(at(9)), at(3)).await
        } else {
            place.store.succeed(&claim, report(1.0), at(3)).await
        };
        assert_eq!(settled.unwrap(), Settled::As(State::Cancelled));
        assert_eq!(place.job(&id).await.finished_at, Some(at(3)));
        assert_eq!(place.store.cancel(&alice, &id, at(4)).await.unwrap(), Cancellation::Terminal);
    }
    assert_eq!(place.store.report(&alice, "r").await.unwrap(), None);
}

#[tokio::test]
async fn an_ended_job_is_left_as_it_is() {
    let place = Place::new().await;
    let alice = owner("alice");
    let failed = place.submit(json!({})).await;
    place.fail(at(1)).await;
    let succeeded = place.submit(json!({})).await;
    let claim = place.claim(at(2)).await;
    place.store.succeed(&claim, report(1.0), at(3)).await.unwrap();
    for id in [failed, succeeded] {
        let before = place.job(&id).await;
        assert_eq!(place.store.cancel(&alice, &id, at(4)).await.unwrap(), Cancellation::Terminal);
        assert_eq!(place.job(&id).await, before);
    }
    assert_eq!(place.store.cancel(&alice, "job_unknown", at(4)).await.unwrap(), Cancellation::Missing);
}
