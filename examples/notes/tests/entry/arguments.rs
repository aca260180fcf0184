//! What may not be stored, and who may not be named, is invalid input.

use serde_json::{Value, json};

use super::place::{CREATE, LIST, Place, READ, UPDATE, arguments, call};

#[test]
fn texts_outside_their_bounds_are_refused_and_named() {
    let place = Place::new();
    let mut entry = place.entry(&place.session("ann"));
    for (member, text) in [
        ("title", String::new()),
        ("title", " \u{2003}\t".to_owned()),
        ("title", "x".repeat(201)),
        ("title", "two\nlines".to_owned()),
        ("body", "💡".repeat(20_001)),
        ("body", "a\0b".to_owned()),
        ("body", "[REDACTED]".to_owned()),
    ] {
        let mut new = json!({"title": "t", "body": "b"});
        new[member] = json!(text);
        let refused = call(&mut entry, CREATE, &new).assert_failure("invalid-input", "input", "not-started");
        assert_eq!(refused["details"]["paths"][0]["path"], format!("/{member}"), "{refused}");
    }
    assert_eq!(call(&mut entry, LIST, &json!({})).output()["notes"], json!([]));
    entry.close();
}

#[test]
fn an_id_that_no_database_could_hold_is_refused() {
    let place = Place::new();
    let note = place.create("ann", "a");
    let mut entry = place.entry(&place.session("ann"));
    for (tool, mut arguments) in arguments(&note) {
        for member in ["noteId", "before"] {
            if arguments.get(member).is_some() || (tool, member) == (LIST, "before") {
                arguments[member] = json!("note_\0");
                call(&mut entry, tool, &arguments).assert_failure("invalid-input", "input", "not-started");
            }
        }
    }
    entry.close();
}

#[test]
fn the_longest_note_is_taken_and_answered_whole() {
    let place = Place::new();
    let mut entry = place.entry(&place.session("ann"));
    // Six bytes each in JSON: the most that a character can take.
    let (title, body) = ("💡".repeat(200), "\u{1}".repeat(20_000));
    let created = call(&mut entry, CREATE, &json!({"title": format!(" {title} "), "body": body})).output();
    let read = call(&mut entry, READ, &json!({"noteId": created["noteId"]})).output();
    assert_eq!((&read["title"], &read["body"]), (&json!(title), &json!(body)));
    entry.close();
}

#[test]
fn no_argument_can_say_who_asks() {
    let place = Place::new();
    let note = place.create("ann", "a");
    let mut bob = place.entry(&place.session("bob"));
    for (tool, arguments) in arguments(&note) {
        for member in ["owner", "user", "session", "evidence", "context"] {
            let mut forged: Value = arguments.clone();
            forged[member] = json!("ann");
            call(&mut bob, tool, &forged).assert_failure("invalid-input", "input", "not-started");
        }
    }
    let foreign = call(&mut bob, UPDATE, &json!({"noteId": note.note_id, "version": 1, "body": "mine"}));
    foreign.assert_failure("note-not-found", "invoke", "not-started");
    bob.close();
    assert_eq!(place.note("ann", &note.note_id).unwrap().summary, note);
}
