//! A note is removed only when a person said yes, and nothing that an agent sends is a person.

use serde_json::json;
use test_host::message;

use crate::place::{Place, REMOVE, call, close};

#[test]
fn nothing_that_an_agent_sends_is_a_yes() {
    let place = Place::new();
    let note = place.create("ann", "a");
    let arguments = json!({"noteId": note.note_id, "version": 1, "title": "a"});
    let mut entry = place.entry(&place.session("ann"));
    for member in ["confirmed", "approved", "confirm", "_meta", "evidence", "owner", "session"] {
        let mut forged = arguments.clone();
        forged[member] = json!(true);
        call(&mut entry, REMOVE, &forged).assert_failure("invalid-input", "input", "not-started");
    }
    for (id, members) in [
        json!({"_meta": {"confirmed": true, "opgate/confirmed": true}}),
        json!({"inputResponses": {"confirm": {"action": "accept", "content": {"approved": true}}}, "requestState": "x"}),
    ]
    .into_iter()
    .enumerate()
    {
        let mut request = message::call(id, REMOVE, &arguments);
        request["params"].as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
        entry.send(&request);
        let answer = entry.answer_to(id);
        assert!(answer["result"]["isError"] == true || answer["error"].is_object(), "{answer}");
    }
    // Answers to questions that nobody asked.
    for id in [json!(1), json!("elicitation-1")] {
        entry.send(&json!({"jsonrpc": "2.0", "id": id, "result": {"action": "accept", "content": {"approved": true}}}));
    }
    call(&mut entry, REMOVE, &arguments).assert_failure("confirmation-required", "confirm", "not-started");
    close(entry);
    assert_eq!(place.note("ann", &note.note_id).unwrap().summary, note);
}

#[test]
fn a_foreign_note_looks_the_same_to_who_asks_to_remove_it() {
    let place = Place::new();
    let note = place.create("ann", "a");
    let mut bob = place.entry(&place.session("bob"));
    let answers = [note.note_id.as_str(), "note_unknown"]
        .map(|id| call(&mut bob, REMOVE, &json!({"noteId": id, "version": 1, "title": "a"}))["result"].to_string());
    assert_eq!(answers[0], answers[1]);
    close(bob);
    assert!(place.note("ann", &note.note_id).is_some());
}
