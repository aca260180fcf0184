//! The entry offers four tools, and says what each does.

use serde_json::json;
use test_host::message;

use super::place::Place;

#[test]
fn four_tools_are_listed_with_what_an_agent_has_to_know() {
    let place = Place::new();
    let mut entry = place.entry(&place.session("alice"));
    entry.send(&message::list(1));
    let answer = entry.answer_to(1);
    let tools = answer["result"]["tools"].as_array().unwrap();
    let facts: Vec<_> = tools
        .iter()
        .map(|tool| {
            json!([
                tool["name"],
                tool["title"],
                tool["annotations"]["readOnlyHint"],
                tool["annotations"]["destructiveHint"],
                tool["annotations"]["idempotentHint"]
            ])
        })
        .collect();
    assert_eq!(
        json!(facts),
        json!([
            ["operation_0", "tasks.submit", false, true, false],
            ["operation_1", "tasks.query", true, false, true],
            ["operation_2", "tasks.cancel", false, true, true],
            ["operation_3", "tasks.retry", false, false, false],
        ])
    );
    for (tool, words) in tools.iter().zip(["deduplicationKey", "look before you repeat", "does not say", "one more"]) {
        let description = tool["description"].as_str().unwrap();
        assert!(description.contains(words), "{description}");
        assert!(description.contains("Output: "), "{description}");
    }
    entry.close();
}
