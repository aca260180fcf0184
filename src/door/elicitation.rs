//! How a question looks to a client, and what counts as its yes.
//!
//! Source: specification pages `client/elicitation` of 2025-06-18 and 2025-11-25, `basic/patterns/mrtr` of 2026-07-28.

use serde_json::{Value, json};

use super::revision::Revision;
use crate::ask::{Prompt, Told};
use crate::binding::Part;

/// The first revision in which a client can be asked.
pub(super) const FIRST: Revision = Revision::V2025_06_18;

/// Whether a client with these capabilities shows forms. One that says nothing more about elicitation does.
pub(super) fn is_offered(capabilities: Option<&Value>) -> bool {
    let offered = capabilities.and_then(|capabilities| capabilities.get("elicitation")).and_then(Value::as_object);
    offered.is_some_and(|modes| modes.is_empty() || modes.get("form").is_some_and(Value::is_object))
}

/// The parameters of `elicitation/create`.
pub(super) fn params(prompt: &Prompt, revision: Revision) -> Value {
    let question = &prompt.question.text;
    let mut params = json!({
        "message": question,
        "requestedSchema": {
            "type": "object",
            "properties": { "approved": {
                "type": "boolean",
                "title": if prompt.part == Part::Approve { "Approve" } else { "Confirm" },
                "description": "Yes to exactly this call, once",
            } },
            "required": ["approved"],
        },
    });
    if revision >= Revision::V2025_11_25 {
        params["mode"] = json!("form");
    }
    params
}

/// What a client's result says; nothing if it is no answer at all.
pub(super) fn told(result: &Value) -> Option<Told> {
    match result.get("action")?.as_str()? {
        "accept" if result["content"]["approved"] == true => Some(Told::Yes),
        "accept" | "decline" | "cancel" => Some(Told::No),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_accepted_true_is_a_yes() {
        for (result, expected) in [
            (json!({"action": "accept", "content": {"approved": true}}), Some(Told::Yes)),
            (json!({"action": "accept", "content": {"approved": true, "x": 1}, "_meta": {}}), Some(Told::Yes)),
            (json!({"action": "accept", "content": {"approved": false}}), Some(Told::No)),
            (json!({"action": "accept", "content": {"approved": "true"}}), Some(Told::No)),
            (json!({"action": "accept", "content": {"approved": 1}}), Some(Told::No)),
            (json!({"action": "accept", "content": {}}), Some(Told::No)),
            (json!({"action": "accept", "content": [true]}), Some(Told::No)),
            (json!({"action": "accept"}), Some(Told::No)),
            (json!({"action": "decline", "content": {"approved": true}}), Some(Told::No)),
            (json!({"action": "cancel"}), Some(Told::No)),
            (json!({"action": "Accept", "content": {"approved": true}}), None),
            (json!({"content": {"approved": true}}), None),
            (json!(["accept", {"approved": true}]), None),
            (json!({"action": {"accept": null}, "content": {"approved": true}}), None),
            (json!(true), None),
        ] {
            assert_eq!(told(&result), expected, "{result}");
        }
    }

    #[test]
    fn forms_are_offered_by_elicitation_that_does_not_exclude_them() {
        for (capabilities, offered) in [
            (json!({"elicitation": {}}), true),
            (json!({"elicitation": {"form": {}}}), true),
            (json!({"elicitation": {"form": {}, "url": {}}}), true),
            (json!({"elicitation": {"url": {}}}), false),
            (json!({"elicitation": true}), false),
            (json!({}), false),
            (json!([]), false),
        ] {
            assert_eq!(is_offered(Some(&capabilities)), offered, "{capabilities}");
        }
        assert!(!is_offered(None));
    }
}
