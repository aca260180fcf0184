//! What is not set up says so, to the one who can change it.

use serde_json::json;

use super::place::{LIST, Place, call, program};

#[test]
fn an_unset_variable_refuses_the_launch_and_is_named() {
    let place = Place::new();
    let serve = || program(["serve"]).arg(place.launch());
    serve().env("NOTES_MCP_SESSION", "x").run().assert_refused(&["NOTES_DATABASE is not set", "sqlite:var/notes.db"]);
    serve().env("NOTES_DATABASE", "x").run().assert_refused(&["NOTES_MCP_SESSION is not set"]);
}

#[test]
fn a_database_that_vanishes_is_a_failed_call_and_comes_back() {
    let place = Place::new();
    let mut entry = place.entry(&place.session("ann"));
    place.block_on(place.store.close());
    place.database.take_away();
    let refused = call(&mut entry, LIST, &json!({}));
    let diagnostic = refused.assert_failure("initialization-failed", "setup", "not-started");
    assert!(diagnostic["message"].as_str().unwrap().contains("notes migrate"), "{diagnostic}");
    assert!(place.database.bring_back(), "one was made");
    assert_eq!(call(&mut entry, LIST, &json!({})).output()["notes"], json!([]));
    entry.close();
}
