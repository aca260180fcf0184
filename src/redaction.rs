//! The redaction rules of one process: what must not leave it, and the forms in which text leaves.

use std::sync::OnceLock;

use redact_json::{Budget, Rules, RulesError, Sink, Skipped};

use crate::entry::Secret;
use crate::environment::Environment;

/// The rules from what code marks as secret and from variables whose name says secret, with the secrets that are too
/// short to be searched for.
pub(crate) fn rules(secrets: Vec<Secret>, environment: &Environment) -> Result<(Rules, Vec<Skipped>), RulesError> {
    let mut builder = Rules::builder();
    for (name, _) in environment.iter().filter(|(name, value)| !value.is_empty() && names_a_secret(name)) {
        if let Some(value) = environment.secret(name) {
            builder = builder.secret(name, value);
        }
    }
    for secret in secrets {
        match secret {
            Secret::Value(name, value) => builder = builder.secret(name, value),
            Secret::Variable(name) => {
                if let Some(value) = environment.secret(&name) {
                    builder = builder.secret(name, value);
                }
            }
        }
    }
    builder.build()
}

/// Whether a variable's name says that its value is secret: the same words that mask a member of a result.
fn names_a_secret(name: &str) -> bool {
    let member = serde_json::json!({ name: "" });
    redact_json::to_string(&member, &Rules::default(), Budget::bytes(usize::MAX))
        .is_ok_and(|text| text.contains(redact_json::MASK))
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
    fn names_are_judged_by_whole_words() {
        for name in ["DB_PASSWORD", "API_KEY", "GITHUB_TOKEN", "accessToken", "COOKIE"] {
            assert!(names_a_secret(name), "{name}");
        }
        for name in ["PATH", "TOKENIZER", "MAX_TOKENS", "HOME", ""] {
            assert!(!names_a_secret(name), "{name}");
        }
    }
}
