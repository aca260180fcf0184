//! The host's session and the command line's are two: neither side ever borrows the other's.

use serde_json::{Value, json};
use test_host::Host;

use super::place::{LIST, Place, call};

/// The titles that the MCP side lists.
fn over_mcp(host: Host) -> Value {
    let mut entry = host.spawn();
    entry.initialize("2025-11-25");
    let listed = call(&mut entry, LIST, &json!({})).output();
    entry.close();
    listed["notes"].clone()
}

#[test]
fn each_side_speaks_for_its_own_user_though_both_sessions_are_set() {
    let place = Place::new();
    for name in ["ann", "bob"] {
        place.create(name, &format!("of {name}"));
    }
    let (ann, bob) = (place.session("ann"), place.session("bob"));
    let both = |host: Host| host.env("NOTES_MCP_SESSION", &ann).env("NOTES_SESSION", &bob);
    let listed = over_mcp(both(place.serve(&place.launch())));
    assert_eq!((listed.as_array().unwrap().len(), &listed[0]["title"]), (1, &json!("of ann")));
    let called = both(place.call("list", &json!({}))).run();
    let listed: Value = serde_json::from_str(called.assert_code(0).text()).unwrap();
    assert_eq!(listed["notes"].as_array().unwrap().len(), 1);
    assert_eq!(listed["notes"][0]["title"], "of bob");
}

#[test]
fn a_side_whose_session_is_unset_is_refused_whatever_the_other_has() {
    let place = Place::new();
    let session = place.session("ann");
    let refused = place.serve(&place.launch()).env("NOTES_SESSION", &session).run();
    refused.assert_refused(&["NOTES_MCP_SESSION"]);
    let refused = place.call("list", &json!({})).env("NOTES_MCP_SESSION", &session).run();
    refused.assert_refused(&["NOTES_SESSION"]);
    for ended in [
        place.serve(&place.launch()).env("NOTES_MCP_SESSION", &session).run(),
        place.call("list", &json!({})).env("NOTES_SESSION", &session).run(),
    ] {
        ended.assert_code(0);
    }
}

#[test]
fn a_side_without_a_context_of_its_own_gets_none() {
    let place = Place::new();
    let session = place.session("ann");
    let whole = std::fs::read_to_string(place.launch()).unwrap();
    let of_mcp = whole.find("[cli.binding.context]").unwrap();
    let launch = place.folder.path().join("one-side.toml");
    let all = |host: Host| host.env("NOTES_MCP_SESSION", &session).env("NOTES_SESSION", &session);

    std::fs::write(&launch, &whole[..of_mcp]).unwrap();
    let called = place.command(["call"]).arg(&launch).args(["notes-operations", "list"]);
    let refused = all(called).run();
    refused.assert_code(1);
    assert!(refused.stderr.contains("missing-context-binding"), "{}", refused.stderr);

    std::fs::write(&launch, whole.replace("[binding.context]\nevidence = { env = \"NOTES_MCP_SESSION\" }", ""))
        .unwrap();
    let mut entry = all(place.serve(&launch)).spawn();
    entry.initialize("2025-11-25");
    call(&mut entry, LIST, &json!({})).assert_failure("missing-context-binding", "binding", "not-started");
    entry.close();
}
