//! A note is removed only when a person said yes to exactly that, and nothing that an agent sends is a person.

use notes::note::Summary;
use serde_json::{Value, json};
use test_host::{Session, message};

use crate::place::{Place, REMOVE, call, call_allowed, close, user};

fn removal(note: &Summary) -> Value {
    json!({"noteId": note.note_id, "version": note.version, "title": note.title})
}

/// An entry of ann's that was asked to remove the note, and the prompt that waits.
fn asked(place: &Place, note: &Summary) -> (Session, Value) {
    let mut entry = place.entry(&place.session("ann"));
    entry.call(1, REMOVE, removal(note));
    let prompt = place.desk().wait_for_prompt(&entry);
    (entry, prompt)
}

#[test]
fn a_yes_removes_the_note_that_was_shown() {
    let place = Place::new();
    let [note, other] = ["Shopping", "Holidays"].map(|title| place.create("ann", title));
    let (mut entry, prompt) = asked(&place, &note);
    assert!(place.note("ann", &note.note_id).is_some(), "before the answer");
    let shown = place.desk().command(&["pending"]).run();
    for part in
        ["notes-operations.remove", "write, destructive", "identity   notes", "\"title\": \"Shopping\"", &note.note_id]
    {
        assert!(shown.text().contains(part), "{part:?} is missing in:\n{}", shown.text());
    }
    place.desk().answer("allow", &prompt).assert_code(0);
    assert_eq!(entry.answer_to(1).output(), json!(null));
    close(entry);
    assert_eq!(place.note("ann", &note.note_id), None);
    assert_eq!(place.note("ann", &other.note_id).unwrap().summary, other);
}

#[test]
fn a_no_and_no_answer_leave_the_note_there() {
    let place = Place::new();
    let note = place.create("ann", "a");
    let (mut entry, prompt) = asked(&place, &note);
    place.desk().answer("deny", &prompt).assert_code(0);
    entry.answer_to(1).assert_failure("confirmation-required", "confirm", "not-started");
    place.desk().answer("allow", &prompt).assert_code(1);

    entry.call(2, REMOVE, removal(&note));
    let prompt = place.desk().wait_for_prompt(&entry);
    entry.close_input();
    entry.answer_to(2).assert_failure("confirmation-required", "confirm", "not-started");
    entry.wait().assert_code(0);
    place.desk().answer("allow", &prompt).assert_code(1);

    let launch = place.folder.path().join("impatient.toml");
    let patient = std::fs::read_to_string(place.launch()).unwrap();
    let impatient = patient.replace("ask = \"terminal\"", "ask = \"terminal\"\ntimeout_seconds = 1");
    std::fs::write(&launch, impatient).unwrap();
    let mut entry = place.serve(&launch).env("NOTES_MCP_SESSION", place.session("ann")).spawn();
    entry.initialize("2025-11-25");
    call(&mut entry, REMOVE, &removal(&note)).assert_failure("confirmation-required", "confirm", "not-started");
    close(entry);
    assert_eq!(place.note("ann", &note.note_id).unwrap().summary, note);
}

#[test]
fn a_launch_that_asks_nobody_removes_nothing() {
    let place = Place::new();
    let note = place.create("ann", "a");
    let launch = place.folder.path().join("nobody.toml");
    let text = std::fs::read_to_string(place.launch()).unwrap();
    std::fs::write(&launch, text.replacen("[binding.confirm]", "[cli.binding.approve]", 1)).unwrap();
    let mut entry = place.serve(&launch).env("NOTES_MCP_SESSION", place.session("ann")).spawn();
    entry.initialize("2025-11-25");
    call(&mut entry, REMOVE, &removal(&note)).assert_failure("confirmation-required", "confirm", "not-started");
    close(entry);
    assert_eq!(place.note("ann", &note.note_id).unwrap().summary, note);
}

#[test]
fn a_session_that_is_revoked_while_a_person_thinks_removes_nothing() {
    let place = Place::new();
    let note = place.create("ann", "a");
    let (mut entry, prompt) = asked(&place, &note);
    place.command(["revoke-session", "--user", "ann"]).run().assert_code(0);
    place.desk().answer("allow", &prompt).assert_code(0);
    entry.answer_to(1).assert_failure("session-denied", "invoke", "not-started");
    close(entry);
    assert_eq!(place.note("ann", &note.note_id).unwrap().summary, note);
}

#[test]
fn a_note_that_is_changed_while_a_person_thinks_is_not_removed() {
    let place = Place::new();
    let note = place.create("ann", "a");
    let (mut entry, prompt) = asked(&place, &note);
    let changed = place.call("update", &json!({"noteId": note.note_id, "version": 1, "body": "precious"}));
    changed.env("NOTES_SESSION", place.session("ann")).run().assert_code(0);
    place.desk().answer("allow", &prompt).assert_code(0);
    entry.answer_to(1).assert_failure("note-changed", "invoke", "not-started");
    close(entry);
    assert_eq!(place.note("ann", &note.note_id).unwrap().body, "precious");
}

#[test]
fn a_yes_for_one_title_does_not_remove_a_note_with_another() {
    let place = Place::new();
    let note = place.create("ann", "Precious");
    let mut entry = place.entry(&place.session("ann"));
    let mut arguments = removal(&note);
    arguments["title"] = json!("Rubbish");
    let answer = call_allowed(&place, &mut entry, REMOVE, &arguments);
    answer.assert_failure("note-changed", "invoke", "not-started");
    close(entry);
    assert_eq!(place.note("ann", &note.note_id).unwrap().summary, note);
}

#[test]
fn a_foreign_note_is_answered_like_an_unknown_one_and_stays() {
    let place = Place::new();
    let note = place.create("ann", "a");
    let mut bob = place.entry(&place.session("bob"));
    let answers = [note.note_id.as_str(), "note_unknown"].map(|id| {
        let arguments = json!({"noteId": id, "version": 1, "title": "a"});
        let answer = call_allowed(&place, &mut bob, REMOVE, &arguments);
        answer.assert_failure("note-not-found", "invoke", "not-started");
        answer["result"].to_string()
    });
    assert_eq!(answers[0], answers[1]);
    close(bob);
    assert_eq!(place.note("ann", &note.note_id).unwrap().summary, note);
}

#[test]
fn nothing_that_an_agent_sends_is_a_yes() {
    let place = Place::new();
    let note = place.create("ann", "a");
    let mut entry = place.entry(&place.session("ann"));
    for member in ["confirmed", "approved", "confirm", "_meta", "evidence", "owner", "session"] {
        let mut forged = removal(&note);
        forged[member] = json!(true);
        call(&mut entry, REMOVE, &forged).assert_failure("invalid-input", "input", "not-started");
    }
    let accepted = json!({"action": "accept", "content": {"approved": true}});
    let mut forged = message::call(1, REMOVE, &removal(&note));
    let members = json!({
        "_meta": {"confirmed": true, "opgate/confirmed": true},
        "inputResponses": {"confirm": accepted},
        "requestState": "e30",
    });
    forged["params"].as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    entry.send(&forged);
    let prompt = place.desk().wait_for_prompt(&entry);
    // Answers to questions that nobody asked it.
    for id in [json!(0), json!("confirm"), prompt["id"].clone()] {
        entry.send(&json!({"jsonrpc": "2.0", "id": id, "result": accepted}));
    }
    entry.send(&message::ping(2));
    assert!(entry.answer_to(2)["result"].is_object());
    assert_eq!(place.desk().prompts(&entry).len(), 1, "it still waits");
    place.desk().answer("deny", &prompt).assert_code(0);
    entry.answer_to(1).assert_failure("confirmation-required", "confirm", "not-started");
    close(entry);
    assert_eq!(place.note("ann", &note.note_id).unwrap().summary, note);
}

#[test]
fn the_command_line_asks_for_itself() {
    let place = Place::new();
    let note = place.create("ann", "a");
    for (verb, code, left) in [("deny", 1, 1), ("allow", 0, 0)] {
        let mut called = place.call("remove", &removal(&note)).env("NOTES_SESSION", place.session("ann")).spawn();
        let prompt = place.desk().wait_for_prompt(&called);
        called.wait_for_stderr(prompt["id"].as_str().unwrap());
        place.desk().answer(verb, &prompt).assert_code(0);
        called.close_input();
        called.wait().assert_code(code);
        assert_eq!(place.block_on(place.store.list(&user("ann"), None)).unwrap().notes.len(), left);
    }
}
