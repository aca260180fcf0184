//! Two entries with two sessions on one database: neither reaches the other's notes.

use serde_json::json;

use super::place::{CREATE, LIST, Place, READ, UPDATE, call};

#[test]
fn neither_user_reads_lists_or_updates_the_others_notes() {
    let place = Place::new();
    let users = ["ann", "bob"];
    let mut entries = users.map(|name| place.entry(&place.session(name)));
    let ids = [0, 1].map(|number| {
        let body = format!("body of {}", users[number]);
        let created = call(&mut entries[number], CREATE, &json!({"title": users[number], "body": body}));
        created.output()["noteId"].as_str().unwrap().to_owned()
    });
    for (number, entry) in entries.iter_mut().enumerate() {
        let (own, foreign) = (&ids[number], &ids[1 - number]);
        let listed = call(entry, LIST, &json!({})).output();
        assert_eq!(listed["notes"].as_array().unwrap().len(), 1);
        assert_eq!(listed["notes"][0]["noteId"], json!(own));
        assert_eq!(call(entry, READ, &json!({"noteId": own})).output()["title"], users[number]);
        let read = call(entry, READ, &json!({"noteId": foreign}));
        read.assert_failure("note-not-found", "invoke", "not-started");
        let updated = call(entry, UPDATE, &json!({"noteId": foreign, "version": 1, "body": "mine"}));
        updated.assert_failure("note-not-found", "invoke", "not-started");
        // A cursor is no way in either.
        for listed in [call(entry, LIST, &json!({"before": foreign})), call(entry, LIST, &json!({"before": "note_g"}))]
        {
            assert!(!listed.text().contains(foreign.as_str()), "{listed}");
        }
    }
    for (name, id) in users.iter().zip(&ids) {
        let note = place.note(name, id).unwrap();
        assert_eq!((note.body, note.summary.version), (format!("body of {name}"), 1));
    }
    for entry in entries {
        entry.close();
    }
}

#[test]
fn a_foreign_note_is_answered_byte_for_byte_like_an_unknown_one() {
    let place = Place::new();
    let id = place.create("ann", "a").note_id;
    let unknown = format!("note_{}", "0".repeat(32));
    let mut bob = place.entry(&place.session("bob"));
    for (tool, members) in [
        (READ, json!({})),
        (UPDATE, json!({"version": 1, "title": "b"})),
        (UPDATE, json!({"version": 7, "title": "b"})),
    ] {
        let [foreign, unknown] = [&id, &unknown].map(|id| {
            let mut arguments = members.clone();
            arguments["noteId"] = json!(id);
            call(&mut bob, tool, &arguments)["result"].to_string()
        });
        assert_eq!(foreign, unknown);
        assert!(foreign.contains("note-not-found"), "{foreign}");
    }
    bob.close();
}
