//! Nobody's change is lost: a note is changed or removed only as its owner last saw it.

use notes::store::{Refusal, Store};
use serde_json::json;

use super::place::{Place, at, change, owner, removal};

#[tokio::test]
async fn what_is_left_out_of_an_update_is_kept() {
    let place = Place::new().await;
    let ann = owner("ann");
    let id = place.create("a").await.note_id;
    let renamed = place.store.update(&ann, &change(&id, 1, &json!({"title": " b "})), at(1)).await.unwrap();
    assert_eq!((renamed.title.as_str(), renamed.version), ("b", 2));
    assert_ne!(renamed.created_at, renamed.updated_at);
    let emptied = place.store.update(&ann, &change(&id, 2, &json!({"body": ""})), at(2)).await.unwrap();
    let note = place.note(&id).await.unwrap();
    assert_eq!((note.summary.title.as_str(), note.body.as_str(), note.summary.version), ("b", "", 3));
    assert_eq!(note.summary, emptied);
}

#[tokio::test]
async fn an_update_of_an_old_version_changes_nothing() {
    let place = Place::new().await;
    let ann = owner("ann");
    let id = place.create("a").await.note_id;
    place.store.update(&ann, &change(&id, 1, &json!({"body": "second"})), at(1)).await.unwrap();
    let before = place.note(&id).await;
    for version in [1, 3] {
        let late = place.store.update(&ann, &change(&id, version, &json!({"body": "late"})), at(2)).await;
        assert!(matches!(late, Err(Refusal::Changed)), "{late:?}");
    }
    assert_eq!(place.note(&id).await, before);
}

#[tokio::test]
async fn of_many_updates_of_one_version_one_succeeds() {
    let place = Place::new().await;
    let id = place.create("a").await.note_id;
    let mut running = Vec::new();
    for number in 0..8 {
        let store = Store::open(&place.location).await.unwrap();
        let change = change(&id, 1, &json!({"body": number.to_string()}));
        running.push(tokio::spawn(async move {
            let updated = store.update(&owner("ann"), &change, at(1)).await;
            store.close().await;
            updated
        }));
    }
    let mut updated = 0;
    for outcome in running {
        match outcome.await.unwrap() {
            Ok(_) => updated += 1,
            Err(Refusal::Changed) => {}
            Err(error) => panic!("{error:?}"),
        }
    }
    assert_eq!((updated, place.note(&id).await.unwrap().summary.version), (1, 2));
}

#[tokio::test]
async fn a_note_is_removed_only_under_its_title_and_version() {
    let place = Place::new().await;
    let ann = owner("ann");
    let id = place.create("a").await.note_id;
    for (version, title) in [(2, "a"), (1, "b")] {
        let refused = place.store.remove(&ann, &removal(&id, version, title)).await;
        assert!(matches!(refused, Err(Refusal::Changed)), "{refused:?}");
    }
    assert!(place.note(&id).await.is_some());
    place.store.remove(&ann, &removal(&id, 1, " a ")).await.unwrap();
    assert_eq!(place.note(&id).await, None);
    let again = place.store.remove(&ann, &removal(&id, 1, "a")).await;
    assert!(matches!(again, Err(Refusal::Missing)), "{again:?}");
}
