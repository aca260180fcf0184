//! What is not set up says so, to the one who can change it.

use serde_json::json;

use super::place::{Place, QUERY, call, program};

#[test]
fn an_unset_variable_refuses_the_launch_and_is_named() {
    let place = Place::new();
    let launch = place.folder.path().join("tasks.toml");
    std::fs::write(&launch, "allow = []").unwrap();
    let serve = || program(["serve"]).arg(&launch);
    serve().env("TASK_SESSION", "x").run().assert_refused(&["TASK_DATABASE is not set", "sqlite:var/tasks.db"]);
    serve().env("TASK_DATABASE", "x").run().assert_refused(&["TASK_SESSION is not set", "issue-session"]);
    serve()
        .env("TASK_DATABASE", "mysql://x")
        .env("TASK_SESSION", "x")
        .run()
        .assert_refused(&["TASK_DATABASE names an unknown kind of database"]);
}

#[test]
fn an_unknown_session_starts_nothing() {
    let place = Place::new();
    let mut entry = place.entry("ts_0000000000000000000000000000000000000000000000000000000000000000");
    let refused = call(&mut entry, QUERY, &json!({"jobId": "x"}));
    let diagnostic = refused.assert_failure("initialization-failed", "setup", "not-started");
    assert!(diagnostic["message"].as_str().unwrap().contains("session"), "{diagnostic}");
    entry.close();
}

#[test]
fn a_database_that_vanishes_is_a_failed_call_and_comes_back() {
    let place = Place::new();
    let mut entry = place.entry(&place.session("alice"));
    place.block_on(place.store.close());
    place.database.take_away();
    let refused = call(&mut entry, QUERY, &json!({"jobId": "x"}));
    let diagnostic = refused.assert_failure("initialization-failed", "setup", "not-started");
    let message = diagnostic["message"].as_str().unwrap();
    assert!(message.contains("tasks migrate"), "{message}");
    assert!(!message.contains(&place.database.address()), "{message}");
    assert!(place.database.bring_back(), "one was made");
    assert_eq!(call(&mut entry, QUERY, &json!({"jobId": "x"})).output(), json!(null));
    entry.close();
}

#[test]
fn a_session_that_is_revoked_ends_with_the_next_call() {
    let place = Place::new();
    let mut entry = place.entry(&place.session("alice"));
    assert_eq!(call(&mut entry, QUERY, &json!({"jobId": "x"})).output(), json!(null));
    place.command(["revoke-sessions", "--owner", "alice"]).run().assert_code(0);
    call(&mut entry, QUERY, &json!({"jobId": "x"})).assert_failure("initialization-failed", "setup", "not-started");
    entry.close();
}
