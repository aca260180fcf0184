//! The longest texts are stored and read back as they were.

use notes::input::{Body, NewNote, Title};
use serde_json::json;

use super::place::{Place, at, owner};

#[tokio::test]
async fn the_longest_texts_come_back_as_they_were() {
    let place = Place::new().await;
    for letter in ["a", "ä", "💡"] {
        let (title, body) = (letter.repeat(Title::LIMIT), letter.repeat(Body::LIMIT - 1) + "\n");
        let new: NewNote = serde_json::from_value(json!({"title": format!("\t{title} "), "body": body})).unwrap();
        let id = place.store.create(&owner("ann"), &new, at(0)).await.unwrap().note_id;
        let note = place.note(&id).await.unwrap();
        assert_eq!((note.summary.title, note.body), (title, body));
    }
}
