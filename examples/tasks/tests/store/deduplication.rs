//! One deduplication key, one job.

use serde_json::json;
use tasks::store::{Refusal, Store};

use super::place::{Place, at, owner, report, submission};

#[tokio::test]
async fn the_same_submission_under_the_same_key_is_the_same_job_for_ever() {
    let place = Place::new().await;
    let asked = json!({"deduplicationKey": "k", "rows": [1, 2.5], "runAt": "2020-01-01T00:00:00Z"});
    let first = place.submit(asked.clone()).await;
    assert_eq!(place.submit(asked.clone()).await, first);
    let claim = place.claim(at(0)).await;
    place.store.succeed(&claim, report(3.5), at(1)).await.unwrap();
    assert_eq!(place.submit(asked).await, first);
    assert!(place.store.is_idle().await.unwrap());
}

#[tokio::test]
async fn another_submission_under_the_same_key_is_refused_and_leaves_no_trace() {
    let place = Place::new().await;
    let first = place.submit(json!({"deduplicationKey": "k"})).await;
    for other in [json!({"rows": [2]}), json!({"reportId": "other"}), json!({"durationMs": 1})] {
        let mut other = other;
        other["deduplicationKey"] = json!("k");
        let refused = place.store.submit(&owner("alice"), &submission(other), at(0)).await;
        assert!(matches!(refused, Err(Refusal::KeyReused)), "{refused:?}");
    }
    // The refused submission did not make alice the owner of "other".
    place.store.submit(&owner("bob"), &submission(json!({"reportId": "other"})), at(0)).await.unwrap();
    assert_eq!(place.submit(json!({"deduplicationKey": "k"})).await, first);
}

#[tokio::test]
async fn a_key_means_nothing_to_another_owner() {
    let place = Place::new().await;
    let alice = place.submit(json!({"deduplicationKey": "k"})).await;
    let asked = submission(json!({"deduplicationKey": "k", "reportId": "of bob"}));
    let bob = place.store.submit(&owner("bob"), &asked, at(0)).await.unwrap();
    assert_ne!(alice, bob);
}

#[tokio::test]
async fn without_a_key_each_submission_is_a_job() {
    let place = Place::new().await;
    assert_ne!(place.submit(json!({})).await, place.submit(json!({})).await);
}

#[tokio::test]
async fn submissions_at_the_same_moment_from_many_connections_are_one_job() {
    let place = Place::new().await;
    let mut running = Vec::new();
    for _ in 0..8 {
        let store = Store::open(&place.location).await.unwrap();
        running.push(tokio::spawn(async move {
            let asked = submission(json!({"deduplicationKey": "k"}));
            let id = store.submit(&owner("alice"), &asked, at(0)).await;
            store.close().await;
            id
        }));
    }
    let mut ids = Vec::new();
    for submitted in running {
        ids.push(submitted.await.unwrap().unwrap());
    }
    ids.dedup();
    assert_eq!(ids.len(), 1, "{ids:?}");
}
