//! The redaction rules of one process: what must not leave it, and the forms in which text leaves.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use redact_json::{Rules, RulesError, Sink, Skipped, redact_text};
use secrecy::ExposeSecret as _;

use crate::entry::Secret;
use crate::environment::Environment;

/// The rules from what code and the launch file mark as secret and from variables whose name says secret, with the secrets
/// that are too short to be searched for.
pub(crate) fn rules(
    secrets: Vec<Secret>,
    keys: &[String],
    environment: &Environment,
) -> Result<(Rules, Vec<Skipped>), RulesError> {
    let mut builder = keys.iter().fold(Rules::builder(), |builder, key| builder.key(key));
    let names = Rules::default();
    let mut variables: BTreeSet<String> =
        environment.iter().map(|(name, _)| name).filter(|name| names.names_secret(name)).map(str::to_owned).collect();
    for secret in secrets {
        match secret {
            Secret::Value(name, value) => builder = builder.secret(name, value),
            Secret::Variable(name) => drop(variables.insert(name)),
        }
    }
    for name in variables {
        if let Some(value) = environment.secret(&name).filter(|value| !value.expose_secret().is_empty()) {
            builder = builder.secret(name, value);
        }
    }
    builder.build()
}

/// At most so many characters of `text`, which is redacted before it is cut: the beginning of a secret is not known for one.
pub(crate) fn shortened(text: &str, most: usize, rules: &Rules) -> String {
    let mut text = redact_text(text, rules).into_owned();
    if let Some((cut, _)) = text.char_indices().nth(most) {
        text.truncate(cut);
        text.push_str(" ..");
    }
    text
}

/// How the text of an answer is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Plain,
    /// As it stands inside a JSON string literal.
    Escaped,
}

impl Form {
    /// Writes to the end of `text` in this form.
    pub(crate) fn sink(self, text: &mut String) -> Sink<'_> {
        match self {
            Self::Plain => Sink::Plain(text),
            Self::Escaped => Sink::Escaped(text),
        }
    }

    /// Canonical JSON that was written plainly, in this form.
    pub(crate) fn of_plain(self, plain: &str) -> String {
        match self {
            Self::Plain => plain.to_owned(),
            Self::Escaped => {
                let mut escaped = String::new();
                escape(plain, &mut escaped);
                escaped
            }
        }
    }
}

/// Appends canonical JSON, which has no control characters, as it stands inside a JSON string literal.
pub(crate) fn escape(json: &str, out: &mut String) {
    out.reserve(json.len() + json.len() / 8);
    let mut rest = json;
    while let Some(at) = memchr::memchr2(b'"', b'\\', rest.as_bytes()) {
        out.push_str(&rest[..at]);
        out.push('\\');
        out.push_str(&rest[at..=at]);
        rest = &rest[at + 1..];
    }
    out.push_str(rest);
}

/// Rules that mask nothing, for protocol text of our own making.
pub(crate) fn nothing() -> &'static Rules {
    static NOTHING: OnceLock<Rules> = OnceLock::new();
    NOTHING.get_or_init(|| {
        let rules = Rules::builder().default_keys(false).value_shapes(false).build();
        rules.map_or_else(|_| Rules::default(), |(rules, _)| rules)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_at_a_character() {
        assert_eq!(shortened(&"é".repeat(600), 500, nothing()), "é".repeat(500) + " ..");
        assert_eq!(shortened(&"é".repeat(500), 500, nothing()), "é".repeat(500));
    }

    #[test]
    fn variables_are_judged_by_the_whole_words_of_their_names() {
        let (rules, _) = rules(
            Vec::new(),
            &[],
            &[("DB_PASSWORD", "hunter2-hunter2"), ("TOKENIZER", "not-a-secret"), ("MAX_TOKENS", "1234567890")]
                .into_iter()
                .collect(),
        )
        .expect("rules");
        assert_eq!(rules.reveals("hunter2-hunter2"), Some("DB_PASSWORD"));
        assert_eq!(rules.reveals("not-a-secret 1234567890"), None);
    }
}
