//! A job does not run before its time, and the longest due runs first.

use serde_json::json;

use super::place::{LEASE, Place, at};

#[tokio::test]
async fn a_job_waits_for_its_time() {
    let place = Place::new().await;
    place.submit(json!({"runAt": at(60).to_string()})).await;
    assert!(place.store.claim("worker", at(59) + LEASE, at(59)).await.unwrap().claim.is_none());
    assert!(!place.store.is_idle().await.unwrap());
    place.claim(at(60)).await;
}

#[tokio::test]
async fn jobs_run_in_the_order_of_their_times() {
    let place = Place::new().await;
    let mut ids = Vec::new();
    for second in [30, 10, 20] {
        ids.push((second, place.submit(json!({"runAt": at(second).to_string()})).await));
    }
    ids.sort();
    for (_, id) in ids {
        assert_eq!(place.claim(at(100)).await.job_id, id);
    }
}

#[tokio::test]
async fn a_failed_attempt_waits_for_its_next_time() {
    let place = Place::new().await;
    let id = place.submit(json!({})).await;
    let claim = place.claim(at(0)).await;
    place.store.fail(&claim, "later", Some(at(2)), at(0)).await.unwrap();
    let job = place.job(&id).await;
    assert_eq!((job.run_at, job.finished_at, job.last_error.as_deref()), (at(2), None, Some("later")));
    assert!(place.store.claim("worker", at(1) + LEASE, at(1)).await.unwrap().claim.is_none());
    assert_eq!(place.claim(at(2)).await.attempt, 2);
}
