//! The arguments of a call, from the text a client sent to the value that is validated and run.

use std::io;

use serde_json::{Number, Value};

/// Arguments as they arrived: one JSON text that the frame scanner has accepted.
#[derive(Debug)]
pub(crate) struct Arguments {
    /// An object, or absent for `{}`.
    pub(crate) text: Option<Box<str>>,
    /// The text holds an integer beyond 64 bits or a number beyond every float, which parsing would change silently.
    pub(crate) unholdable: bool,
}

impl Arguments {
    /// The value, with every integral number as an integer: JSON Schema counts `1.0` as one, and so do the types behind.
    pub(crate) fn parse(&self) -> serde_json::Result<Value> {
        let Some(text) = &self.text else { return Ok(Value::Object(serde_json::Map::new())) };
        let mut value = serde_json::from_str(text)?;
        if text.bytes().any(|byte| matches!(byte, b'.' | b'e' | b'E' | b'-')) {
            integers(&mut value);
        }
        Ok(value)
    }
}

/// Beyond this a float no longer tells neighbouring integers apart.
const EXACT: f64 = 9_007_199_254_740_992.0;

fn integers(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(integers),
        Value::Object(members) => members.values_mut().for_each(integers),
        Value::Number(number) if number.is_f64() => {
            if let Some(float) = number.as_f64()
                && float.fract() == 0.0
                && float.abs() <= EXACT
            {
                #[expect(clippy::cast_possible_truncation, reason = "integral and within 2^53")]
                let integer = float as i64;
                *number = Number::from(integer);
            }
        }
        _ => {}
    }
}

/// The length of `value` as canonical JSON.
pub(crate) fn canonical_length(value: &Value) -> usize {
    struct Count(usize);
    impl io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(0);
    // Counting cannot fail, and a value has only string keys.
    serde_json::to_writer(&mut count, value).map_or(usize::MAX, |()| count.0)
}

/// Whether a text anywhere in `value` contains a mask that an earlier answer put there.
pub(crate) fn holds_a_mask(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains(redact_json::MASK),
        Value::Array(items) => items.iter().any(holds_a_mask),
        Value::Object(members) => {
            members.iter().any(|(key, value)| key.contains(redact_json::MASK) || holds_a_mask(value))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let value: Value = serde_json::from_str(r#" { "b" : "\u0041\n" , "a" : [ 1 , 2 ] } "#).expect("valid");
        assert_eq!(canonical_length(&value), r#"{"a":[1,2],"b":"A\n"}"#.len());
    }

    #[test]
    fn a_mask_is_found_at_any_depth_and_in_keys() {
        for (text, held) in
            [(r#"{"a":[{"b":"x [REDACTED]"}]}"#, true), (r#"{"[REDACTED]":1}"#, true), (r#"{"a":"REDACTED"}"#, false)]
        {
            assert_eq!(holds_a_mask(&serde_json::from_str(text).expect("valid")), held, "{text}");
        }
    }
}
