//! A session speaks for its owner, in the operations it was issued for, until it expires or is revoked; and it is nowhere
//! in the database.

use notes::session::{Denied, Issued, Method};
use secrecy::{ExposeSecret as _, SecretString};

use super::place::{Place, at, owner};

#[tokio::test]
async fn a_session_speaks_for_its_owner_alone() {
    let place = Place::new().await;
    let ann = place.issue("ann").await;
    let bob = place.issue("bob").await;
    for method in Method::ALL {
        assert_eq!(place.store.authenticate(&ann.session, method, at(1)).await.unwrap(), owner("ann"));
        assert_eq!(place.store.authenticate(&bob.session, method, at(1)).await.unwrap(), owner("bob"));
    }
    let mut cut = ann.session.expose_secret().to_owned();
    cut.pop();
    for wrong in [cut, ann.id, String::from("ann"), String::new()] {
        let denied = place.store.authenticate(&SecretString::from(wrong), Method::Read, at(1)).await;
        assert!(matches!(denied, Err(Denied::Unknown)), "{denied:?}");
    }
}

#[tokio::test]
async fn a_session_is_denied_for_every_operation_it_was_not_issued_for() {
    let place = Place::new().await;
    for issued_for in Method::ALL {
        let issued = place.issue_for("ann", &[issued_for]).await;
        for method in Method::ALL {
            let answer = place.store.authenticate(&issued.session, method, at(1)).await;
            if method == issued_for {
                assert_eq!(answer.unwrap(), owner("ann"));
            } else {
                assert!(matches!(answer, Err(Denied::OtherAudience)), "{issued_for:?} {method:?} {answer:?}");
            }
        }
    }
}

#[tokio::test]
async fn a_session_expires() {
    let place = Place::new().await;
    let issued = place.issue("ann").await;
    assert!(place.store.authenticate(&issued.session, Method::Read, at(9)).await.is_ok());
    for second in [10, 11] {
        let denied = place.store.authenticate(&issued.session, Method::Read, at(second)).await;
        assert!(matches!(denied, Err(Denied::Expired)), "{denied:?}");
    }
}

#[tokio::test]
async fn revoking_ends_one_session_at_once() {
    let place = Place::new().await;
    let (gone, kept) = (place.issue("ann").await, place.issue("ann").await);
    for _ in 0..2 {
        assert!(place.store.revoke_session(&gone.id, at(1)).await.unwrap());
    }
    let denied = place.store.authenticate(&gone.session, Method::Read, at(1)).await;
    assert!(matches!(denied, Err(Denied::Revoked)), "{denied:?}");
    assert!(place.store.authenticate(&kept.session, Method::Read, at(1)).await.is_ok());
    assert!(!place.store.revoke_session("session_of_nobody", at(1)).await.unwrap());
}

#[tokio::test]
async fn revoking_ends_all_sessions_of_one_owner() {
    let place = Place::new().await;
    let mut issued = Vec::new();
    for name in ["ann", "ann", "bob"] {
        issued.push(place.issue(name).await);
    }
    assert_eq!(place.store.revoke_sessions(&owner("ann"), at(1)).await.unwrap(), 2);
    let mut valid = Vec::new();
    for Issued { session, .. } in &issued {
        valid.push(place.store.authenticate(session, Method::Read, at(1)).await.is_ok());
    }
    assert_eq!(valid, [false, false, true]);
    assert_eq!(place.store.revoke_sessions(&owner("nobody"), at(1)).await.unwrap(), 0);
}

#[tokio::test]
async fn the_database_does_not_hold_the_session() {
    let place = Place::new().await;
    let issued = place.issue("ann").await;
    place.store.close().await;
    let session = issued.session.expose_secret();
    assert!(place.database.holds(&issued.id));
    assert!(!place.database.holds(&session[session.len() - 16..]));
}
