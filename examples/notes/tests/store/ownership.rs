//! What belongs to someone else might as well not exist.

use notes::store::Refusal;
use serde_json::json;

use super::place::{Place, at, change, new_note, owner, removal};

#[tokio::test]
async fn a_foreign_note_is_answered_like_an_unknown_one() {
    let place = Place::new().await;
    let note = place.create("of ann").await;
    let bob = owner("bob");
    for id in [note.note_id.as_str(), "note_unknown", ""] {
        assert_eq!(place.store.read(&bob, id).await.unwrap(), None, "{id}");
        let updated = place.store.update(&bob, &change(id, 1, &json!({"body": "mine"})), at(1)).await;
        assert!(matches!(updated, Err(Refusal::Missing)), "{id} {updated:?}");
        // Neither does a wrong version or title tell that there is something.
        for (version, title) in [(1, "of ann"), (2, "of ann"), (1, "other")] {
            let removed = place.store.remove(&bob, &removal(id, version, title)).await;
            assert!(matches!(removed, Err(Refusal::Missing)), "{id} {removed:?}");
        }
    }
    assert_eq!(place.store.list(&bob, None).await.unwrap().notes, []);
    let kept = place.note(&note.note_id).await.unwrap();
    assert_eq!((kept.summary, kept.body.as_str()), (note, "first"));
}

#[tokio::test]
async fn a_list_holds_the_owners_notes_alone() {
    let place = Place::new().await;
    let of_ann = place.create("of ann").await;
    let of_bob = place.store.create(&owner("bob"), &new_note("of bob"), at(1)).await.unwrap();
    assert_eq!(place.store.list(&owner("ann"), None).await.unwrap().notes, [of_ann]);
    assert_eq!(place.store.list(&owner("bob"), None).await.unwrap().notes, [of_bob]);
}
