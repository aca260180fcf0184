//! A report is written once for each job that succeeds, and never goes back.

use serde_json::json;
use tasks::store::Settled;

use super::place::{Place, at, owner, report};

#[tokio::test]
async fn a_newer_submission_replaces_the_report() {
    let place = Place::new().await;
    for (second, sum) in [(1, 1.0), (2, 2.0)] {
        place.submit(json!({})).await;
        let claim = place.claim(at(second)).await;
        place.store.succeed(&claim, report(sum), at(second)).await.unwrap();
        assert_eq!(place.store.report(&owner("alice"), "r").await.unwrap(), Some(report(sum)));
    }
}

#[tokio::test]
async fn an_older_submission_that_ends_later_does_not() {
    let place = Place::new().await;
    let older = place.submit(json!({})).await;
    let slow = place.claim(at(1)).await;
    place.submit(json!({})).await;
    let quick = place.claim(at(2)).await;
    place.store.succeed(&quick, report(2.0), at(3)).await.unwrap();
    let settled = place.store.succeed(&slow, report(1.0), at(4)).await.unwrap();
    assert!(matches!(settled, Settled::As(_)));
    assert_eq!(place.job(&older).await.finished_at, Some(at(4)));
    assert_eq!(place.store.report(&owner("alice"), "r").await.unwrap(), Some(report(2.0)));
}

#[tokio::test]
async fn rows_come_back_as_the_same_floats() {
    let place = Place::new().await;
    let rows = [0.1, 1e-320, 1.797_693_134_862_315_7e308, -5.0, 123_456_789.123_456_79];
    place.submit(json!({"rows": rows})).await;
    assert_eq!(place.claim(at(1)).await.rows, rows);
}
