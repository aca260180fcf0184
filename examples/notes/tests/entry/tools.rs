//! The example's launch file offers three tools, and says what each does.

use serde_json::json;
use test_host::message;

use super::place::{Place, example};

#[test]
fn three_tools_are_listed_with_what_an_agent_has_to_know() {
    let place = Place::new();
    let mut entry = place.serve(&example()).env("NOTES_MCP_SESSION", place.session("ann")).spawn();
    entry.initialize("2025-11-25");
    entry.send(&message::list(1));
    let answer = entry.answer_to(1);
    let facts: Vec<_> = answer
        .tools()
        .iter()
        .map(|tool| {
            let (hints, declared) = (&tool["annotations"], &tool["_meta"]["opgate/operation"]);
            json!([
                tool["title"],
                hints["readOnlyHint"],
                hints["destructiveHint"],
                hints["idempotentHint"],
                declared["context"],
                declared["confirmation"],
                tool["inputSchema"]["required"],
            ])
        })
        .collect();
    assert_eq!(
        json!(facts),
        json!([
            ["notes-operations.list", true, false, true, true, false, []],
            ["notes-operations.read", true, false, true, true, false, ["noteId"]],
            ["notes-operations.remove", false, true, true, true, true, ["noteId", "title", "version"]],
        ])
    );
    for (tool, words) in answer.tools().iter().zip(["50 at a time", "note-not-found", "A person is asked first"]) {
        let description = tool["description"].as_str().unwrap();
        assert!(description.contains(words), "{description}");
        assert!(description.contains("Output: "), "{description}");
    }
    entry.close();
}

#[test]
fn the_bounds_of_texts_are_stated_where_a_schema_can_state_them() {
    let place = Place::new();
    let mut entry = place.entry(&place.session("ann"));
    entry.send(&message::list(1));
    let answer = entry.answer_to(1);
    let members = |tool: usize| answer.tools()[tool]["inputSchema"]["properties"].clone();
    let (new, change) = (members(0), members(3));
    assert_eq!((&new["title"]["minLength"], &new["body"]["maxLength"]), (&json!(1), &json!(20_000)));
    assert!(new["title"]["description"].as_str().unwrap().contains("1 to 200 characters"), "{new}");
    assert_eq!(change["version"]["minimum"], 1);
    for member in [&new, &change].into_iter().flat_map(|members| members.as_object().unwrap().values()) {
        assert!(!member["description"].as_str().unwrap().contains('\n'), "{member}");
    }
    entry.close();
}
