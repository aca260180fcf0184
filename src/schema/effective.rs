//! The schema that arguments are validated with.

use std::borrow::Cow;
use std::fmt::Write as _;

use serde_json::Value;

use super::{IN_PLACE, change_each, draft07};

/// The declared schema in 2020-12, its root closed where it says nothing about further members.
pub(super) fn effective(declared: Value) -> Result<Value, String> {
    let translated = match draft07::translated(&declared)? {
        Cow::Owned(translated) => Some(translated),
        Cow::Borrowed(_) => None,
    };
    let mut schema = translated.unwrap_or(declared);
    change_each(&mut schema, &mut |keywords| {
        if let Some(Value::String(reference)) = keywords.get_mut("$ref") {
            *reference = as_uri(reference);
        }
        Ok(())
    })?;
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

/// Names such as `Range<number>` come unescaped from some tools; validators take only URIs.
fn as_uri(reference: &str) -> String {
    let mut uri = String::with_capacity(reference.len());
    for byte in reference.bytes() {
        if byte.is_ascii_alphanumeric() || b"#%/-._~!$&'()*+,;=:@?".contains(&byte) {
            uri.push(byte.into());
        } else {
            // Writing into a text cannot fail.
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri
}
