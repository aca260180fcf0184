//! A list of any length comes in pages: each note once, the newest first.

use super::place::{Place, at, new_note, owner, removal};

#[tokio::test]
async fn pages_hold_each_note_once_the_newest_first() {
    let place = Place::new().await;
    let ann = owner("ann");
    for number in 0..120 {
        place.store.create(&ann, &new_note(&number.to_string()), at(number)).await.unwrap();
    }
    let (mut titles, mut sizes, mut before) = (Vec::new(), Vec::new(), None);
    loop {
        let page = place.store.list(&ann, before.as_deref()).await.unwrap();
        sizes.push(page.notes.len());
        // The note that a page ended with may be gone when the next one is asked for.
        if let Some(last) = page.notes.last() {
            place.store.remove(&ann, &removal(&last.note_id, 1, &last.title)).await.unwrap();
        }
        titles.extend(page.notes.into_iter().map(|note| note.title));
        before = page.next;
        if before.is_none() {
            break;
        }
    }
    assert_eq!(sizes, [50, 50, 20]);
    assert_eq!(titles, (0..120).rev().map(|number| number.to_string()).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_page_that_is_just_full_is_the_last() {
    let place = Place::new().await;
    for number in 0..50 {
        place.create(&number.to_string()).await;
    }
    let page = place.store.list(&owner("ann"), None).await.unwrap();
    assert_eq!((page.notes.len(), page.next), (50, None));
}
