//! What a host and a model are told about the allowed operations.
//!
//! Source: specification pages `server/tools`, `server/utilities/pagination`, and `server/utilities/caching` (2026-07-28).

use std::thread;

use serde_json::{Value, json};
use test_host::{Fixture, message};

fn fixture(operations: &[&str]) -> Fixture {
    Fixture::beside(env!("CARGO_BIN_EXE_opgate"), operations)
}

fn tools(fixture: &Fixture) -> Vec<Value> {
    let mut session = fixture.initialized();
    session.send(&message::list(1));
    session.receive().tools().to_vec()
}

#[test]
fn names_follow_the_allowlist_and_titles_name_the_operation() {
    let operations = ["wait", "echo", "order", "guarded"];
    let tools = tools(&fixture(&operations));
    assert_eq!(tools.len(), operations.len());
    for (place, (tool, operation)) in tools.iter().zip(operations).enumerate() {
        assert_eq!(tool["name"], format!("operation_{place}"));
        assert_eq!(tool["title"], format!("fixture.{operation}"));
    }
}

#[test]
fn the_description_ends_with_output_and_what_a_cancellation_means() {
    let tools = tools(&fixture(&["echo", "order"]));
    let description = |place: usize| tools[place]["description"].as_str().expect("a description");
    assert!(description(0).starts_with("Return the text."), "{}", description(0));
    assert!(description(0).contains("Output: The text."), "{}", description(0));
    assert!(!description(1).contains("Output:"), "{}", description(1));
    for place in 0..2 {
        let told = description(place).to_lowercase();
        assert!(told.contains("cancel") && told.contains("undo"), "{told}");
    }
    let last = |place: usize| description(place).rsplit_once(['\n', ':']).map(|(_, sentence)| sentence.to_owned());
    assert_eq!(last(0), last(1), "one fixed sentence");
}

#[test]
fn all_four_hints_are_always_there() {
    let tools = tools(&fixture(&["echo", "order", "guarded"]));
    let hints = |place: usize| {
        let annotations = &tools[place]["annotations"];
        ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"].map(|key| annotations[key].as_bool())
    };
    // A read without `destructive`: nobody declared it.
    assert_eq!(hints(0), [Some(true), Some(true), Some(true), Some(true)]);
    assert_eq!(hints(1), [Some(false), Some(false), Some(false), Some(true)]);
    assert_eq!(hints(2), [Some(false), Some(true), Some(false), Some(true)]);
}

#[test]
fn the_canonical_description_is_in_meta() {
    let tools = tools(&fixture(&["echo", "guarded"]));
    let meta = |place: usize| &tools[place]["_meta"]["opgate/operation"];
    for (key, expected) in [
        ("plugin", json!("fixture")),
        ("method", json!("echo")),
        ("description", json!("Return the text.")),
        ("effect", json!("read")),
        ("retry", json!("safe")),
        ("cancellation", json!("none")),
        ("output", json!("The text.")),
        ("context", json!(false)),
    ] {
        assert_eq!(meta(0)[key], expected, "{key}: {}", meta(0));
    }
    assert_eq!(meta(1)["context"], json!(true));
    assert_eq!(meta(1)["effect"], json!("unknown"));
    assert!(meta(1).get("confirmation").is_some() && meta(1).get("approval").is_some(), "{}", meta(1));
    assert_ne!(meta(1)["confirmation"], meta(0)["confirmation"]);
    assert_ne!(meta(1)["approval"], meta(0)["approval"]);
}

#[test]
fn the_input_schema_is_a_closed_object_without_dialect_and_context() {
    let tools = tools(&fixture(&["echo", "nothing", "tenant", "order"]));
    let echo = json!({"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"],
        "additionalProperties": false});
    assert_eq!(tools[0]["inputSchema"], echo);
    for tool in &tools {
        let schema = &tool["inputSchema"];
        assert_eq!(schema["type"], "object", "{schema}");
        assert!(schema["properties"].is_object(), "{schema}");
        assert_eq!(schema["additionalProperties"], false, "{schema}");
        assert!(!schema.to_string().contains("$schema"), "{schema}");
        assert!(!schema.to_string().contains("tenant"), "the context is no part of the input: {schema}");
    }
}

#[test]
fn every_launch_of_one_configuration_gives_the_same_bytes() {
    let fixture = fixture(&["order", "echo", "guarded", "wait"]);
    let lists: Vec<Vec<u8>> = thread::scope(|scope| {
        let launches: Vec<_> = (0..6)
            .map(|_| {
                let host = fixture.host();
                scope.spawn(|| {
                    let mut session = host.spawn();
                    session.initialize("2025-11-25");
                    session.send(&message::list(1));
                    session.receive().bytes
                })
            })
            .collect();
        launches.into_iter().map(|launch| launch.join().expect("a list")).collect()
    });
    assert!(lists.iter().all(|list| *list == lists[0]));
}

#[test]
fn there_is_one_page_and_no_cursor() {
    let fixture = fixture(&["echo"]);
    let mut session = fixture.initialized();
    for cursor in [json!(""), json!("1"), json!(5)] {
        session.send(&message::request(1, "tools/list", json!({"cursor": cursor})));
        session.receive().assert_error(-32602);
    }
    session.send(&message::request(1, "tools/list", Value::Null));
    let list = session.receive();
    assert_eq!(list.tools().len(), 1);
    assert_eq!(list["result"].get("nextCursor"), None);
}

#[test]
fn an_empty_allowlist_exposes_nothing() {
    assert_eq!(tools(&fixture(&[])).len(), 0);
}

#[test]
fn listing_starts_no_application() {
    let fixture = fixture(&["echo"]).switch("START", "fail");
    assert_eq!(tools(&fixture).len(), 1);
    assert_eq!(fixture.effects(), ["constructor"]);
}
