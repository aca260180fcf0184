//! A note is removed only when a person said yes to exactly that, and nothing that an agent sends is a person.

use notes::note::Summary;
use serde_json::{Value, json};
use test_host::{Desk, Session, message};

use super::place::{Place, REMOVE, call, call_allowed, user};

/// A note of ann's, and an entry of hers.
struct Scene {
    place: Place,
    note: Summary,
    entry: Session,
}

impl Scene {
    fn new() -> Self {
        Self::launched(|text| text)
    }

    /// With the launch file changed.
    fn launched(changed: impl FnOnce(String) -> String) -> Self {
        let place = Place::new();
        let note = place.create("ann", "Shopping");
        let launch = place.launch();
        std::fs::write(&launch, changed(std::fs::read_to_string(&launch).unwrap())).unwrap();
        let mut entry = place.serve(&launch).env("NOTES_MCP_SESSION", place.session("ann")).spawn();
        entry.initialize("2025-11-25");
        Self { place, note, entry }
    }

    fn removal(&self) -> Value {
        json!({"noteId": self.note.note_id, "version": self.note.version, "title": self.note.title})
    }

    fn desk(&self) -> Desk {
        self.place.desk()
    }

    /// Asks for the removal, as call 1, and waits for its prompt.
    #[track_caller]
    fn ask(&mut self) -> Value {
        self.entry.call(1, REMOVE, self.removal());
        self.desk().wait_for_prompt(&self.entry)
    }

    #[track_caller]
    fn assert_kept(&self) {
        let kept = self.place.note("ann", &self.note.note_id).map(|note| note.summary);
        assert_eq!(kept.as_ref(), Some(&self.note));
    }

    /// Call 1 failed, and the note is as it was.
    #[track_caller]
    fn assert_refused(mut self, code: &str, phase: &str) {
        self.entry.answer_to(1).assert_failure(code, phase, "not-started");
        self.assert_kept();
        self.entry.close();
    }
}

#[test]
fn a_yes_removes_the_note_that_was_shown() {
    let mut scene = Scene::new();
    let other = scene.place.create("ann", "Holidays");
    let prompt = scene.ask();
    scene.assert_kept();
    let shown = scene.desk().command(&["pending"]).run();
    let id = scene.note.note_id.as_str();
    for part in ["notes-operations.remove", "write, destructive", "identity   notes", "\"title\": \"Shopping\"", id] {
        assert!(shown.text().contains(part), "{part:?} is missing in:\n{}", shown.text());
    }
    scene.desk().answer("allow", &prompt).assert_code(0);
    assert_eq!(scene.entry.answer_to(1).output(), json!(null));
    assert_eq!(scene.place.block_on(scene.place.store.list(&user("ann"), None)).unwrap().notes, [other]);
    scene.entry.close();
}

#[test]
fn a_no_leaves_the_note_there() {
    let mut scene = Scene::new();
    let prompt = scene.ask();
    scene.desk().answer("deny", &prompt).assert_code(0);
    scene.desk().answer("allow", &prompt).assert_code(1);
    scene.assert_refused("confirmation-required", "confirm");
}

#[test]
fn no_answer_in_time_leaves_the_note_there() {
    let mut scene =
        Scene::launched(|text| text.replace("ask = \"terminal\"", "ask = \"terminal\"\ntimeout_seconds = 1"));
    scene.ask();
    scene.assert_refused("confirmation-required", "confirm");
}

#[test]
fn an_answer_after_the_end_of_input_leaves_the_note_there() {
    let mut scene = Scene::new();
    let prompt = scene.ask();
    scene.entry.close_input();
    scene.entry.answer_to(1).assert_failure("confirmation-required", "confirm", "not-started");
    scene.desk().answer("allow", &prompt).assert_code(1);
    scene.assert_kept();
    scene.entry.wait().assert_code(0);
}

#[test]
fn a_launch_that_asks_nobody_removes_nothing() {
    let mut scene = Scene::launched(|text| text.replacen("[binding.confirm]", "[cli.binding.approve]", 1));
    scene.entry.call(1, REMOVE, scene.removal());
    scene.assert_refused("confirmation-required", "confirm");
}

#[test]
fn a_session_that_is_revoked_while_a_person_thinks_removes_nothing() {
    let mut scene = Scene::new();
    let prompt = scene.ask();
    scene.place.command(["revoke-session", "--user", "ann"]).run().assert_code(0);
    scene.desk().answer("allow", &prompt).assert_code(0);
    scene.assert_refused("session-denied", "invoke");
}

#[test]
fn a_note_that_is_changed_while_a_person_thinks_is_not_removed() {
    let mut scene = Scene::new();
    let prompt = scene.ask();
    let change = json!({"noteId": scene.note.note_id, "version": 1, "body": "precious"});
    let changed = scene.place.call("update", &change).env("NOTES_SESSION", scene.place.session("ann")).run();
    scene.note = scene.place.note("ann", &scene.note.note_id).unwrap().summary;
    assert_eq!((changed.assert_code(0), scene.note.version).1, 2);
    scene.desk().answer("allow", &prompt).assert_code(0);
    scene.assert_refused("note-changed", "invoke");
}

#[test]
fn a_yes_for_one_title_does_not_remove_a_note_with_another() {
    let mut scene = Scene::new();
    let mut arguments = scene.removal();
    arguments["title"] = json!("Rubbish");
    scene.entry.call(1, REMOVE, arguments);
    let prompt = scene.desk().wait_for_prompt(&scene.entry);
    scene.desk().answer("allow", &prompt).assert_code(0);
    scene.assert_refused("note-changed", "invoke");
}

#[test]
fn a_foreign_note_is_answered_like_an_unknown_one_and_stays() {
    let scene = Scene::new();
    let mut bob = scene.place.entry(&scene.place.session("bob"));
    let answers = [scene.note.note_id.as_str(), "note_unknown"].map(|id| {
        let arguments = json!({"noteId": id, "version": 1, "title": "Shopping"});
        let answer = call_allowed(&scene.place, &mut bob, REMOVE, &arguments);
        answer.assert_failure("note-not-found", "invoke", "not-started");
        answer["result"].to_string()
    });
    assert_eq!(answers[0], answers[1]);
    scene.assert_kept();
    bob.close();
}

#[test]
fn nothing_that_an_agent_sends_is_a_yes() {
    let mut scene = Scene::new();
    for member in ["confirmed", "approved", "confirm", "_meta", "evidence", "owner", "session"] {
        let mut forged = scene.removal();
        forged[member] = json!(true);
        call(&mut scene.entry, REMOVE, &forged).assert_failure("invalid-input", "input", "not-started");
    }
    let accepted = json!({"action": "accept", "content": {"approved": true}});
    let mut forged = message::call(1, REMOVE, &scene.removal());
    forged["params"]["_meta"] = json!({"confirmed": true, "opgate/confirmed": true});
    forged["params"]["inputResponses"] = json!({"confirm": accepted});
    forged["params"]["requestState"] = json!("e30");
    scene.entry.send(&forged);
    let prompt = scene.desk().wait_for_prompt(&scene.entry);
    // Answers to questions that nobody asked it.
    for id in [json!(0), json!("confirm"), prompt["id"].clone()] {
        scene.entry.send(&json!({"jsonrpc": "2.0", "id": id, "result": accepted}));
    }
    scene.entry.send(&message::ping(2));
    assert!(scene.entry.answer_to(2)["result"].is_object());
    assert_eq!(scene.desk().prompts(&scene.entry).len(), 1, "it still waits");
    scene.desk().answer("deny", &prompt).assert_code(0);
    scene.assert_refused("confirmation-required", "confirm");
}

#[test]
fn the_command_line_asks_for_itself() {
    let scene = Scene::new();
    for (verb, code, left) in [("deny", 1, 1), ("allow", 0, 0)] {
        let called = scene.place.call("remove", &scene.removal()).env("NOTES_SESSION", scene.place.session("ann"));
        let mut called = called.spawn();
        let prompt = scene.desk().wait_for_prompt(&called);
        called.wait_for_stderr(prompt["id"].as_str().unwrap());
        scene.desk().answer(verb, &prompt).assert_code(0);
        called.close_input();
        called.wait().assert_code(code);
        assert_eq!(scene.place.block_on(scene.place.store.list(&user("ann"), None)).unwrap().notes.len(), left);
    }
}
