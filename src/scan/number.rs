//! What a number in JSON text really is, before a parser rounds it.

use std::borrow::Cow;

/// A number token, taken exactly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Exact {
    /// An integer of 64 bits, in plain digits; however it was written (`1.0`, `1e3`, `-0`).
    Integer(String),
    /// Anything else that a double is near to.
    Float,
    /// Beyond every type, or so near to another number that a double would turn it into that one: an integer beyond 64
    /// bits, 1e400, 1e-400, 1.0000000000000000000000001.
    Unholdable,
}

/// The exact value of `token`, which is a JSON number.
pub(crate) fn exact(token: &str) -> Exact {
    let (negative, unsigned) = match token.strip_prefix('-') {
        Some(unsigned) => (true, unsigned),
        None => (false, token),
    };
    let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let digits = digits.trim_start_matches('0');
    let significant = digits.trim_end_matches('0');
    if significant.is_empty() {
        return Exact::Integer("0".to_owned());
    }
    // An exponent beyond 64 bits is far beyond every type, whatever the digits.
    let exponent: i64 = exponent.parse().unwrap_or(if exponent.starts_with('-') { i64::MIN / 2 } else { i64::MAX / 2 });
    let shift = exponent - length(fraction) + length(digits) - length(significant);
    if shift >= 0 && shift + length(significant) <= 20 {
        let sign = if negative { "-" } else { "" };
        let integer = format!("{sign}{significant}{}", "0".repeat(usize::try_from(shift).unwrap_or_default()));
        if integer.parse::<i64>().is_ok() || integer.parse::<u64>().is_ok() {
            return Exact::Integer(integer);
        }
    }
    let is_plain_integer = unsigned.bytes().all(|byte| byte.is_ascii_digit());
    match token.parse::<f64>() {
        Ok(float) if float.is_finite() && !is_plain_integer && (shift >= 0 || float.fract() != 0.0) => Exact::Float,
        _ => Exact::Unholdable,
    }
}

fn length(digits: &str) -> i64 {
    i64::try_from(digits.len()).unwrap_or(i64::MAX / 4)
}

/// Whether some type holds `token`, which is a JSON number.
pub(crate) fn is_holdable(token: &str) -> bool {
    exact(token) != Exact::Unholdable
}

/// `text` with every number that is an integer written as one, so that each parser behind reads the exact value. `text`
/// is JSON that was accepted.
pub(crate) fn with_plain_integers(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let mut plain = String::new();
    let (mut copied, mut at) = (0, 0);
    while at < bytes.len() {
        match bytes[at] {
            b'"' => at = end_of_string(bytes, at),
            b'-' | b'0'..=b'9' => {
                let is_part = |byte: &u8| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
                let end = at + bytes[at..].iter().take_while(|byte| is_part(byte)).count();
                let token = &text[at..end];
                if !token.bytes().all(|byte| byte.is_ascii_digit())
                    && let Exact::Integer(integer) = exact(token)
                    && integer != token
                {
                    plain.push_str(&text[copied..at]);
                    plain.push_str(&integer);
                    copied = end;
                }
                at = end;
            }
            _ => at += 1,
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    plain.push_str(&text[copied..]);
    Cow::Owned(plain)
}

/// Behind the closing quote of the string that begins at `start`.
fn end_of_string(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(offset) = memchr::memchr2(b'"', b'\\', bytes.get(at..).unwrap_or_default()) {
        at += offset;
        if bytes[at] == b'"' {
            return at + 1;
        }
        at += 2;
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_exact_however_they_are_written() {
        for (token, integer) in [
            ("0", "0"),
            ("-0", "0"),
            ("-0.000e9", "0"),
            ("0e99999999999999999999", "0"),
            ("1.0", "1"),
            ("1e3", "1000"),
            ("-1.5e1", "-15"),
            ("12300e-2", "123"),
            ("9007199254740993.0", "9007199254740993"),
            ("1e18", "1000000000000000000"),
            ("1.8446744073709551615e19", "18446744073709551615"),
            ("-9223372036854775808", "-9223372036854775808"),
            ("18446744073709551615", "18446744073709551615"),
        ] {
            assert_eq!(exact(token), Exact::Integer(integer.to_owned()), "{token}");
        }
    }

    #[test]
    fn floats_are_floats() {
        for token in
            ["1.5", "-0.1", "1e20", "1e308", "1e-300", "123456789012345678901234567890.0", "0.30000000000000004"]
        {
            assert_eq!(exact(token), Exact::Float, "{token}");
        }
    }

    #[test]
    fn what_a_double_would_change_into_another_number_is_unholdable() {
        for token in [
            "18446744073709551616",
            "-9223372036854775809",
            "1e400",
            "-1e400",
            "1e99999999999999999999",
            "1e-400",
            "1e-99999999999999999999",
            "1.0000000000000000000000001",
            "9007199254740993.5",
        ] {
            assert_eq!(exact(token), Exact::Unholdable, "{token}");
        }
    }

    #[test]
    fn only_numbers_are_rewritten() {
        assert_eq!(
            with_plain_integers(r#"{"1.0":"2.0 \" 3.0","a":[1.0, -0,1.5,true,1E2],"é":7.0}"#),
            r#"{"1.0":"2.0 \" 3.0","a":[1, 0,1.5,true,100],"é":7}"#
        );
    }
}
