//! The arguments of a call, from the text a client sent to the value that is validated and run.

use std::collections::BTreeMap;

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::scan::{is_holdable, with_plain_integers};
use crate::way::{Step, Way};

/// Arguments as they arrived: one JSON text that the frame scanner has accepted.
#[derive(Debug)]
pub(crate) struct Arguments {
    /// An object, or absent for `{}`.
    pub(crate) text: Option<Box<str>>,
    /// The text holds a number that parsing would change silently.
    pub(crate) unholdable: bool,
}

impl Arguments {
    /// The value, with every integer as one: JSON Schema counts `1.0` as an integer, and so do the types behind.
    pub(crate) fn parse(self) -> serde_json::Result<Value> {
        match self.text.as_deref() {
            None => Ok(Value::Object(Map::new())),
            Some(text) => serde_json::from_str(&with_plain_integers(text)),
        }
    }
}

/// The way to the first number that no type can hold.
pub(crate) fn way_to_unholdable(text: &str) -> Option<Way> {
    // Accepted JSON that is neither of these is a scalar.
    if let Ok(members) = serde_json::from_str::<BTreeMap<String, &RawValue>>(text) {
        members.into_iter().find_map(|(name, value)| Some(after(Step::Member(name), way_to_unholdable(value.get())?)))
    } else if let Ok(items) = serde_json::from_str::<Vec<&RawValue>>(text) {
        let mut items = items.into_iter().enumerate();
        items.find_map(|(index, value)| Some(after(Step::Item(index), way_to_unholdable(value.get())?)))
    } else {
        let is_number = text.starts_with(|first: char| first == '-' || first.is_ascii_digit());
        (is_number && !is_holdable(text)).then(Way::new)
    }
}

/// The length of `value` as canonical JSON.
pub(crate) fn canonical_length(value: &Value) -> usize {
    // Brackets, and a comma between any two.
    let around = |count: usize| 2 + count.saturating_sub(1);
    match value {
        Value::Null | Value::Bool(true) => 4,
        Value::Bool(false) => 5,
        Value::Number(number) => number.to_string().len(),
        Value::String(text) => quoted_length(text),
        Value::Array(items) => around(items.len()) + items.iter().map(canonical_length).sum::<usize>(),
        Value::Object(members) => {
            let entries = members.iter().map(|(name, value)| quoted_length(name) + 1 + canonical_length(value));
            around(members.len()) + entries.sum::<usize>()
        }
    }
}

fn quoted_length(text: &str) -> usize {
    let is_escaped = |byte: &u8| u8::from(*byte == b'"') | u8::from(*byte == b'\\') | u8::from(*byte < 0x20);
    // Chunks whose count fits a byte are counted many bytes at once.
    let chunks = text.as_bytes().chunks(255);
    let escaped: usize = chunks.map(|chunk| usize::from(chunk.iter().map(is_escaped).sum::<u8>())).sum();
    let spelled = |byte: &u8| *byte < 0x20 && !matches!(byte, 8 | 9 | 10 | 12 | 13);
    let longer = if escaped == 0 { 0 } else { 4 * text.as_bytes().iter().filter(|byte| spelled(byte)).count() };
    2 + text.len() + escaped + longer
}

/// The way to a text that contains a mask which an earlier answer put there.
pub(crate) fn way_to_mask(value: &Value) -> Option<Way> {
    match value {
        Value::String(text) => text.contains(redact_json::MASK).then(Way::new),
        Value::Array(items) => {
            items.iter().enumerate().find_map(|(index, item)| Some(after(Step::Item(index), way_to_mask(item)?)))
        }
        Value::Object(members) => members.iter().find_map(|(name, member)| {
            if name.contains(redact_json::MASK) {
                Some(Way::new())
            } else {
                Some(after(Step::Member(name.clone()), way_to_mask(member)?))
            }
        }),
        _ => None,
    }
}

fn after(step: Step, way: Way) -> Way {
    std::iter::once(step).chain(way).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(way: &Way) -> String {
        way.iter().map(Step::segment).collect::<Vec<_>>().join("/")
    }

    fn parse(text: &str) -> String {
        let arguments = Arguments { text: Some(text.into()), unholdable: false };
        arguments.parse().expect("valid").to_string()
    }

    #[test]
    fn integral_numbers_become_integers_and_nothing_else_changes() {
        assert_eq!(
            parse(r#"{"a":[1.0,1e3,-0,-0.0,1.5,9007199254740993]}"#),
            r#"{"a":[1,1000,0,0,1.5,9007199254740993]}"#
        );
        assert_eq!(
            parse(r#"{"a":[18446744073709551615,-9223372036854775808,1e300]}"#),
            r#"{"a":[18446744073709551615,-9223372036854775808,1e+300]}"#
        );
    }

    #[test]
    fn the_length_is_that_of_the_canonical_text() {
        for text in [
            r#" { "b" : "\u0041\n" , "a" : [ 1 , 2 ] } "#,
            r#"{"a":{},"b":[],"c":[null,true,false,-1.5,1e300,18446744073709551615],"d":{"\u0000\t\"":"\\é\u001f\b"}}"#,
            "\"\"",
        ] {
            let value: Value = serde_json::from_str(text).expect("valid");
            assert_eq!(canonical_length(&value), value.to_string().len(), "{text}");
        }
    }

    #[test]
    fn a_number_that_nothing_holds_is_found() {
        let way = |text: &str| way_to_unholdable(text).as_ref().map(joined);
        assert_eq!(way(r#" {"a": 1, "b": [1.5, {"c": -1e400}]} "#).as_deref(), Some("b/1/c"));
        assert_eq!(way(r#"{"a":"1e400","b":[]}"#), None);
    }

    #[test]
    fn a_mask_is_found_at_any_depth_and_in_keys() {
        for (text, way) in [
            (r#"{"a":[1,{"b":"x [REDACTED]"}]}"#, Some("a/1/b")),
            (r#"{"[REDACTED]":1}"#, Some("")),
            (r#"{"a":"REDACTED"}"#, None),
        ] {
            let found = way_to_mask(&serde_json::from_str(text).expect("valid"));
            assert_eq!(found.as_ref().map(joined).as_deref(), way, "{text}");
        }
    }
}
