//! The schema that arguments are validated with.

use serde_json::Value;

use super::{IN_PLACE, draft07};

/// The declared schema in 2020-12, its root closed where it says nothing about further members.
pub(super) fn effective(declared: &Value) -> Result<Value, String> {
    let mut schema = draft07::translated(declared)?.into_owned();
    if let Value::Object(root) = &mut schema {
        root.remove("$schema");
        if !root.contains_key("additionalProperties") && !root.contains_key("unevaluatedProperties") {
            let composed = root.keys().any(|keyword| keyword == "$ref" || IN_PLACE.contains(&keyword.as_str()));
            let keyword = if composed { "unevaluatedProperties" } else { "additionalProperties" };
            root.insert(keyword.to_owned(), Value::Bool(false));
        }
    }
    Ok(schema)
}
