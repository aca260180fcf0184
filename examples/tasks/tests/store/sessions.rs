//! A session speaks for its owner until it expires or is revoked, and is nowhere in the database.

use secrecy::{ExposeSecret as _, SecretString};

use super::place::{Place, at, owner};

#[tokio::test]
async fn a_session_speaks_for_its_owner_alone() {
    let place = Place::new().await;
    let alice = place.store.issue_session(&owner("alice"), None, at(0)).await.unwrap();
    let bob = place.store.issue_session(&owner("bob"), None, at(0)).await.unwrap();
    assert_eq!(place.store.authenticate(&alice, at(1)).await.unwrap(), Some(owner("alice")));
    assert_eq!(place.store.authenticate(&bob, at(1)).await.unwrap(), Some(owner("bob")));
    let mut cut = alice.expose_secret().to_owned();
    cut.pop();
    for wrong in [cut, String::from("alice"), String::new()] {
        assert_eq!(place.store.authenticate(&SecretString::from(wrong), at(1)).await.unwrap(), None);
    }
}

#[tokio::test]
async fn a_session_expires() {
    let place = Place::new().await;
    let session = place.store.issue_session(&owner("alice"), Some(at(10)), at(0)).await.unwrap();
    assert!(place.store.authenticate(&session, at(9)).await.unwrap().is_some());
    assert!(place.store.authenticate(&session, at(10)).await.unwrap().is_none());
}

#[tokio::test]
async fn revoking_ends_all_sessions_of_one_owner() {
    let place = Place::new().await;
    let mut sessions = Vec::new();
    for name in ["alice", "alice", "bob"] {
        sessions.push(place.store.issue_session(&owner(name), None, at(0)).await.unwrap());
    }
    assert_eq!(place.store.revoke_sessions(&owner("alice")).await.unwrap(), 2);
    let mut valid = Vec::new();
    for session in &sessions {
        valid.push(place.store.authenticate(session, at(1)).await.unwrap().is_some());
    }
    assert_eq!(valid, [false, false, true]);
}

#[tokio::test]
async fn the_database_does_not_hold_the_session() {
    let place = Place::new().await;
    let session = place.store.issue_session(&owner("alice"), None, at(0)).await.unwrap();
    place.store.close().await;
    let session = session.expose_secret();
    assert!(place.database.holds("alice"));
    assert!(!place.database.holds(&session[session.len() - 16..]));
}
