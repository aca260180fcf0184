//! What belongs to someone else might as well not exist.

use serde_json::json;
use tasks::job::Cancellation;
use tasks::store::{Refusal, Store};

use super::place::{Place, at, owner, report, submission};

#[tokio::test]
async fn a_foreign_job_is_answered_like_an_unknown_one_in_every_state() {
    let place = Place::new().await;
    let bob = owner("bob");
    let assert_hidden = async |id: &str| {
        assert_eq!(place.store.job(&bob, id).await.unwrap(), None);
        assert_eq!(place.store.cancel(&bob, id, at(1)).await.unwrap(), Cancellation::Missing);
        assert!(!place.store.retry(&bob, id, at(1)).await.unwrap());
    };
    assert_hidden("job_unknown").await;
    let id = place.submit(json!({})).await;
    assert_hidden(&id).await;
    let queued = place.job(&id).await;
    place.fail(at(1)).await;
    assert_hidden(&id).await;
    assert_ne!(place.job(&id).await.state, queued.state);
    place.store.retry(&owner("alice"), &id, at(2)).await.unwrap();
    let claim = place.claim(at(3)).await;
    assert_hidden(&id).await;
    assert!(!place.job(&id).await.cancel_requested);
    place.store.succeed(&claim, report(1.0), at(4)).await.unwrap();
    assert_hidden(&id).await;
    assert_eq!(place.store.report(&bob, "r").await.unwrap(), None);
    assert_eq!(place.store.report(&owner("alice"), "r").await.unwrap(), Some(report(1.0)));
}

#[tokio::test]
async fn a_report_id_has_one_owner_for_ever() {
    let place = Place::new().await;
    let id = place.submit(json!({})).await;
    let denied = place.store.submit(&owner("bob"), &submission(json!({"rows": [9]})), at(1)).await;
    assert!(matches!(denied, Err(Refusal::Denied)), "{denied:?}");
    place.store.cancel(&owner("alice"), &id, at(2)).await.unwrap();
    let denied = place.store.submit(&owner("bob"), &submission(json!({})), at(3)).await;
    assert!(matches!(denied, Err(Refusal::Denied)), "{denied:?}");
    place.submit(json!({})).await;
}

#[tokio::test]
async fn of_many_owners_that_submit_a_new_report_at_once_one_gets_it() {
    let place = Place::new().await;
    let mut running = Vec::new();
    for number in 0..8 {
        let store = Store::open(&place.location).await.unwrap();
        running.push(tokio::spawn(async move {
            let submitted = store.submit(&owner(&format!("owner {number}")), &submission(json!({})), at(0)).await;
            store.close().await;
            submitted
        }));
    }
    let mut accepted = 0;
    for submitted in running {
        match submitted.await.unwrap() {
            Ok(_) => accepted += 1,
            Err(Refusal::Denied) => {}
            Err(error) => panic!("{error:?}"),
        }
    }
    assert_eq!(accepted, 1);
}
