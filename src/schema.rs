//! Input schemas in their three forms.
//!
//! - **Declared** is what a team wrote; [`declared`] bounds it and translates draft-07.
//! - **Effective** is the declared one with its root closed; arguments are validated with it, and with nothing else.
//! - **Served** is derived from the effective one, for the weakest client. Whatever the effective schema accepts the
//!   served one accepts; where it accepts more, its description says so.

mod closure;
mod declared;
mod draft07;
mod effective;
mod emit;
mod in_place;
mod keywords;
mod kinds;
mod nulls;
mod parts;
mod places;
mod served;
mod shape;
mod words;

use serde_json::{Map, Value};

pub(crate) use declared::{NOT_AN_OBJECT, check};
pub(crate) use in_place::member_names;
pub(crate) use nulls::remove_optional_nulls;
pub(crate) use places::{operation_key, passed_over};

/// An input schema that has been checked, in the two forms that are used.
pub(crate) struct InputSchema {
    /// What arguments are validated with.
    pub(crate) effective: Value,
    /// What clients see.
    pub(crate) served: Value,
}

impl InputSchema {
    /// # Errors
    /// What in `declared`, which [`check`] accepted, cannot be served faithfully: the place and the rule.
    pub(crate) fn new(declared: Value) -> Result<Self, String> {
        let effective = effective::effective(declared)?;
        let served = served::served(&effective)?;
        Ok(Self { effective, served })
    }
}

/// Keywords whose value is a schema.
const ONE: [&str; 11] = [
    "additionalProperties",
    "contains",
    "contentSchema",
    "else",
    "if",
    "items",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
];
/// Keywords whose value is a list of schemas.
const LIST: [&str; 4] = ["allOf", "anyOf", "oneOf", "prefixItems"];
/// Keywords whose value is a map of schemas.
const MAP: [&str; 5] = ["$defs", "definitions", "dependentSchemas", "patternProperties", "properties"];
/// Keywords that apply to the same instance, so that a cycle through them alone consumes nothing.
const IN_PLACE: [&str; 8] = ["allOf", "anyOf", "dependentSchemas", "else", "if", "not", "oneOf", "then"];

/// The schemas directly inside `schema`, as far as `wanted` names their keyword.
fn inside(schema: &Map<String, Value>, wanted: impl Fn(&str) -> bool) -> Vec<&Value> {
    let mut found = Vec::new();
    places::visit_inside(schema, wanted, |_, schema| found.push(schema));
    found
}

/// Changes every schema of the document, each before those inside it.
fn change_each(
    schema: &mut Value,
    change: &mut impl FnMut(&mut Map<String, Value>) -> Result<(), String>,
) -> Result<(), String> {
    let Value::Object(keywords) = schema else { return Ok(()) };
    change(keywords)?;
    for (keyword, value) in keywords {
        match (keyword.as_str(), value) {
            (keyword, Value::Array(list)) if LIST.contains(&keyword) => {
                list.iter_mut().try_for_each(|schema| change_each(schema, change))?;
            }
            (keyword, Value::Object(map)) if MAP.contains(&keyword) => {
                map.values_mut().try_for_each(|schema| change_each(schema, change))?;
            }
            ("components", components) => {
                let schemas = components.get_mut("schemas").and_then(Value::as_object_mut);
                schemas.into_iter().flat_map(Map::values_mut).try_for_each(|schema| change_each(schema, change))?;
            }
            (keyword, value) if ONE.contains(&keyword) => change_each(value, change)?,
            _ => {}
        }
    }
    Ok(())
}

/// What a `$ref` refers to, and its JSON Pointer.
pub(crate) fn located<'s>(reference: &Value, root: &'s Value) -> Option<(&'s Value, String)> {
    let pointer = percent_decoded(reference.as_str()?.strip_prefix('#')?)?;
    Some((root.pointer(&pointer)?, pointer))
}

/// Whether one of `keywords` stands anywhere in `schema`, or a member is called so.
pub(crate) fn mentions(schema: &Value, keywords: &[&str]) -> bool {
    match schema {
        Value::Array(items) => items.iter().any(|item| mentions(item, keywords)),
        Value::Object(members) => {
            members.iter().any(|(name, value)| keywords.contains(&name.as_str()) || mentions(value, keywords))
        }
        _ => false,
    }
}

/// A name as a segment of a JSON Pointer.
pub(crate) fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// A JSON Pointer as a URI fragment.
pub(crate) fn as_fragment(pointer: &str) -> String {
    effective::as_uri(pointer).replace('#', "%23")
}

/// What a `$ref` refers to: a JSON Pointer into the same document, as a URI fragment.
fn resolve<'s>(reference: &Value, root: &'s Value) -> Option<&'s Value> {
    located(reference, root).map(|(schema, _)| schema)
}

/// The name that a `$ref` gives to what it refers to; nothing for the whole document.
fn name(reference: &Value) -> Option<String> {
    let (_, name) = reference.as_str()?.rsplit_once('/')?;
    Some(percent_decoded(name)?.replace("~1", "/").replace("~0", "~"))
}

fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        let hexadecimal = |digit: Option<u8>| char::from(digit?).to_digit(16);
        let decoded = match byte {
            b'%' => 16 * hexadecimal(rest.next())? + hexadecimal(rest.next())?,
            plain => plain.into(),
        };
        bytes.push(u8::try_from(decoded).ok()?);
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests;
