//! What the crate promises, one behaviour a module.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
#![expect(clippy::items_after_statements, reason = "a type stands where it is used")]
#![expect(clippy::zero_sized_map_values, reason = "they are values like any other here")]

mod budget;
mod errors;
mod framed;
mod key_names;
mod model;
mod paths;
mod properties;
mod secrets;
mod shapes;
mod stream;
mod text;
mod values;

use redact_json::{Budget, Rules, Skipped};
use secrecy::SecretString;

const WIDE: Budget = Budget::bytes(64 << 20);

/// Rules with these secrets, named by their number, and what was skipped.
fn knowing(secrets: &[&str]) -> (Rules, Vec<Skipped>) {
    let mut builder = Rules::builder();
    for (number, secret) in secrets.iter().enumerate() {
        builder = builder.secret(format!("secret {number}"), SecretString::from(*secret));
    }
    builder.build().unwrap()
}

/// The text of a value under rules.
fn text(value: &impl serde::Serialize, rules: &Rules) -> String {
    redact_json::to_string(value, rules, WIDE).unwrap()
}

/// The text of a JSON text under rules.
fn transcoded(json: &str, rules: &Rules) -> String {
    redact_json::transcode(json.as_bytes(), rules, WIDE).unwrap()
}
