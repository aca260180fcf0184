//! A manual retry is for final failures, and adds one attempt.

use serde_json::json;
use tasks::job::State;
use tasks::store::Settled;

use super::place::{Place, at, owner, report};

#[tokio::test]
async fn a_failed_job_gets_one_more_attempt_each_time() {
    let place = Place::new().await;
    let alice = owner("alice");
    let id = place.submit(json!({})).await;
    place.fail(at(1)).await;
    for attempt in 2..=5 {
        assert!(place.store.retry(&alice, &id, at(attempt)).await.unwrap());
        assert!(!place.store.retry(&alice, &id, at(attempt)).await.unwrap(), "it is queued already");
        let job = place.job(&id).await;
        assert_eq!((job.state, job.max_attempts, job.finished_at), (State::Queued, attempt, None));
        let claim = place.claim(at(attempt)).await;
        assert_eq!((claim.attempt, claim.is_last), (attempt, true));
        place.store.fail(&claim, "no", None, at(attempt)).await.unwrap();
    }
    assert_eq!(place.job(&id).await.state, State::Failed);
}

#[tokio::test]
async fn no_other_state_is_retried() {
    let place = Place::new().await;
    let alice = owner("alice");
    let refuse = async |id: &str| assert!(!place.store.retry(&alice, id, at(9)).await.unwrap());
    refuse("job_unknown").await;
    let id = place.submit(json!({})).await;
    refuse(&id).await;
    let claim = place.claim(at(1)).await;
    refuse(&id).await;
    let settled = place.store.fail(&claim, "later", Some(at(3)), at(2)).await.unwrap();
    assert_eq!(settled, Settled::As(State::Queued));
    refuse(&id).await;
    let claim = place.claim(at(3)).await;
    place.store.succeed(&claim, report(1.0), at(4)).await.unwrap();
    refuse(&id).await;
    let other = place.submit(json!({})).await;
    place.store.cancel(&alice, &other, at(5)).await.unwrap();
    refuse(&other).await;
    assert_eq!(place.job(&other).await.state, State::Cancelled);
}
