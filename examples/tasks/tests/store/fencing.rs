//! Who lost the lease changes nothing.

use serde_json::json;
use tasks::job::{Job, State};
use tasks::store::{Claim, Lost, Settled};

use super::place::{LEASE, Place, at, owner, report};

async fn assert_powerless(place: &Place, claim: &Claim, second: i64) {
    let before: Job = place.job(&claim.job_id).await;
    let written = place.store.report(&owner("alice"), "r").await.unwrap();
    assert_eq!(place.store.succeed(claim, report(666.0), at(second)).await.unwrap(), Settled::Lost);
    assert_eq!(place.store.fail(claim, "no", None, at(second)).await.unwrap(), Settled::Lost);
    assert_eq!(place.store.fail(claim, "no", Some(at(second)), at(second)).await.unwrap(), Settled::Lost);
    assert_eq!(place.store.renew(claim, at(second) + LEASE, at(second)).await.unwrap(), Err(Lost));
    assert_eq!(place.job(&claim.job_id).await, before);
    assert_eq!(place.store.report(&owner("alice"), "r").await.unwrap(), written);
}

#[tokio::test]
async fn an_expired_lease_settles_nothing_even_before_another_worker_comes() {
    let place = Place::new().await;
    place.submit(json!({})).await;
    let late = place.claim(at(0)).await;
    assert_powerless(&place, &late, 30).await;
}

#[tokio::test]
async fn a_worker_that_was_overtaken_settles_nothing_before_or_after_its_successor() {
    let place = Place::new().await;
    let id = place.submit(json!({})).await;
    let paused = place.claim(at(0)).await;
    let claimed = place.store.claim("other", at(61), at(31)).await.unwrap();
    assert!(claimed.recovered);
    let successor = claimed.claim.unwrap();
    assert_eq!(successor.attempt, 2);

    assert_powerless(&place, &paused, 32).await;
    assert_eq!(place.store.cancel_requested(&paused).await.unwrap(), Err(Lost));
    let settled = place.store.succeed(&successor, report(1.0), at(33)).await.unwrap();
    assert_eq!(settled, Settled::As(State::Succeeded));
    assert_powerless(&place, &paused, 34).await;
    assert_eq!(place.job(&id).await.state, State::Succeeded);
    assert_eq!(place.store.report(&owner("alice"), "r").await.unwrap(), Some(report(1.0)));
}

#[tokio::test]
async fn a_renewed_lease_is_not_taken_over() {
    let place = Place::new().await;
    place.submit(json!({})).await;
    let claim = place.claim(at(0)).await;
    place.store.renew(&claim, at(20) + LEASE, at(20)).await.unwrap().unwrap();
    assert!(place.store.claim("other", at(75), at(45)).await.unwrap().claim.is_none());
    let settled = place.store.succeed(&claim, report(1.0), at(46)).await.unwrap();
    assert_eq!(settled, Settled::As(State::Succeeded));
}

#[tokio::test]
async fn a_settled_attempt_is_not_settled_again() {
    let place = Place::new().await;
    place.submit(json!({})).await;
    let claim = place.claim(at(0)).await;
    place.store.succeed(&claim, report(1.0), at(1)).await.unwrap();
    assert_powerless(&place, &claim, 2).await;
}
