//! A job whose worker is gone is recovered, a bounded number of times.

use serde_json::json;
use tasks::job::{Cancellation, State};

use super::place::{LEASE, Place, at, owner};

#[tokio::test]
async fn each_recovery_is_an_attempt_and_the_fourth_worker_gives_up() {
    let place = Place::new().await;
    let id = place.submit(json!({})).await;
    for attempt in 1..=3 {
        let claim = place.claim(at(attempt * 100)).await;
        assert_eq!(claim.attempt, attempt);
        assert_eq!(claim.is_last, attempt == 3);
    }
    let claimed = place.store.claim("fourth", at(400) + LEASE, at(400)).await.unwrap();
    assert!(claimed.claim.is_none());
    assert_eq!(claimed.ended, [(id.clone(), State::Failed)]);
    let job = place.job(&id).await;
    assert_eq!((job.state, job.attempts, job.finished_at), (State::Failed, 3, Some(at(400))));
    assert_eq!(job.last_error.as_deref(), Some("the worker was lost"));
}

#[tokio::test]
async fn a_lost_job_that_was_to_be_cancelled_is_cancelled_instead_of_run() {
    let place = Place::new().await;
    let id = place.submit(json!({})).await;
    place.claim(at(0)).await;
    let wish = place.store.cancel(&owner("alice"), &id, at(1)).await.unwrap();
    assert_eq!(wish, Cancellation::Requested);
    let claimed = place.store.claim("other", at(40) + LEASE, at(40)).await.unwrap();
    assert!(claimed.claim.is_none());
    assert_eq!(claimed.ended, [(id.clone(), State::Cancelled)]);
    assert_eq!(place.job(&id).await.state, State::Cancelled);
}

#[tokio::test]
async fn a_held_job_is_left_alone() {
    let place = Place::new().await;
    place.submit(json!({})).await;
    place.claim(at(0)).await;
    let claimed = place.store.claim("other", at(29) + LEASE, at(29)).await.unwrap();
    assert!(claimed.claim.is_none() && claimed.ended.is_empty());
}
