//! A note is written, changed as it was last seen, and read.

use serde_json::json;

use super::place::{CREATE, LIST, Place, READ, UPDATE, call};

#[test]
fn a_note_is_created_changed_listed_and_read() {
    let place = Place::new();
    let mut entry = place.entry(&place.session("ann"));
    let created = call(&mut entry, CREATE, &json!({"title": "  Shopping \n", "body": "milk"})).output();
    assert_eq!((&created["title"], &created["version"]), (&json!("Shopping"), &json!(1)));
    assert_eq!(created["createdAt"], created["updatedAt"]);
    let id = &created["noteId"];

    let change = json!({"noteId": id, "version": 1, "body": "milk\nbread"});
    assert_eq!(call(&mut entry, UPDATE, &change).output()["version"], 2);
    // The same call never acts twice, and nobody's change is overwritten.
    let again = call(&mut entry, UPDATE, &change);
    let diagnostic = again.assert_failure("note-changed", "invoke", "not-started");
    assert!(diagnostic["message"].as_str().unwrap().contains("read it again"), "{diagnostic}");

    let read = call(&mut entry, READ, &json!({"noteId": id})).output();
    assert_eq!(read["body"], "milk\nbread");
    let mut listed = read;
    listed.as_object_mut().unwrap().remove("body");
    assert_eq!(call(&mut entry, LIST, &json!({})).output(), json!({"notes": [listed], "next": null}));
    entry.close();
}

#[test]
fn an_update_of_nothing_is_told_so() {
    let place = Place::new();
    let note = place.create("ann", "a");
    let mut entry = place.entry(&place.session("ann"));
    let answer = call(&mut entry, UPDATE, &json!({"noteId": note.note_id, "version": 1, "title": null}));
    answer.assert_failure("nothing-to-update", "invoke", "not-started");
    entry.close();
    assert_eq!(place.note("ann", &note.note_id).unwrap().summary, note);
}
