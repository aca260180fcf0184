//! What a reviewer of an operation relied on, as one text that a launch can be pinned to.
//!
//! The text is `sha256:` and a digest of everything, then a dot and a short check of each part. Only the digest decides;
//! the checks say which part changed.

use std::fmt;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::catalog::canonical;
use crate::key::hex;

/// Hexadecimal digits of the check of one part.
const CHECK: usize = 4;
const PREFIX: &str = "sha256:";

/// The digest of an operation as it is exposed; never of its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fingerprint {
    digest: String,
    /// The name of each part and its check.
    checks: Vec<(&'static str, String)>,
}

/// Why a pin does not hold.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Mismatch {
    /// It is not a fingerprint.
    Malformed,
    /// What changed; empty if the pin does not tell.
    Changed(Vec<&'static str>),
}

impl Fingerprint {
    /// The fingerprint of named parts, whose names and order are the same for every operation.
    pub(crate) fn of(parts: &[(&'static str, Value)]) -> Self {
        let all: Vec<Value> = parts.iter().map(|(name, value)| json!([name, value])).collect();
        let checks = parts.iter().map(|(name, value)| (*name, hexadecimal(value)[..CHECK].to_owned())).collect();
        Self { digest: hexadecimal(&json!(all)), checks }
    }

    /// # Errors
    /// What differs from the pin.
    pub(crate) fn compare(&self, pin: &str) -> Result<(), Mismatch> {
        let (digest, checks) = match pin.strip_prefix(PREFIX).map(|rest| rest.split_once('.').unwrap_or((rest, ""))) {
            Some((digest, checks)) if digest.len() == 64 && is_hexadecimal(digest) && is_hexadecimal(checks) => {
                (digest, checks)
            }
            _ => return Err(Mismatch::Malformed),
        };
        if digest == self.digest {
            return Ok(());
        }
        if checks.len() != self.checks.len() * CHECK {
            return Err(Mismatch::Changed(Vec::new()));
        }
        let pinned = (0..self.checks.len()).map(|place| &checks[place * CHECK..(place + 1) * CHECK]);
        let changed = self.checks.iter().zip(pinned).filter(|((_, check), pinned)| check != pinned);
        Err(Mismatch::Changed(changed.map(|((name, _), _)| *name).collect()))
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PREFIX}{}.", self.digest)?;
        self.checks.iter().try_for_each(|(_, check)| f.write_str(check))
    }
}

fn hexadecimal(value: &Value) -> String {
    hex(&Sha256::digest(canonical(value)))
}

fn is_hexadecimal(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fingerprint(description: &str, schema: Value) -> Fingerprint {
        Fingerprint::of(&[("description", json!(description)), ("input schema", schema)])
    }

    #[test]
    fn a_pin_holds_for_the_same_and_says_what_changed() {
        let pinned = fingerprint("Find.", json!({"a": 1})).to_string();
        assert_eq!(fingerprint("Find.", json!({"a": 1})).compare(&pinned), Ok(()));
        let changed = |other: &Fingerprint, pin: &str| match other.compare(pin) {
            Err(Mismatch::Changed(parts)) => parts,
            other => panic!("{other:?}"),
        };
        assert_eq!(changed(&fingerprint("Find!", json!({"a": 1})), &pinned), ["description"]);
        assert_eq!(changed(&fingerprint("Find.", json!({"a": 2})), &pinned), ["input schema"]);
        let head = pinned.split('.').next().expect("a digest");
        assert_eq!(fingerprint("Find.", json!({"a": 1})).compare(head), Ok(()));
        assert!(changed(&fingerprint("Find!", json!({"a": 1})), head).is_empty());
        let checks = pinned.split('.').nth(1).expect("checks");
        let forged = format!("{PREFIX}{}.{checks}", "0".repeat(64));
        assert!(changed(&fingerprint("Find.", json!({"a": 1})), &forged).is_empty(), "the digest decides");
    }

    #[test]
    fn what_is_no_fingerprint_is_malformed() {
        for pin in [
            "",
            "sha256:",
            "sha256:12",
            "md5:00",
            &format!("sha256:{}", "G".repeat(64)),
            &format!("sha256:{}.é", "0".repeat(64)),
        ] {
            assert_eq!(fingerprint("Find.", json!({})).compare(pin), Err(Mismatch::Malformed), "{pin}");
        }
    }
}
