//! The arguments of a call as a person reads them: indented, redacted, with nothing hidden. What is masked shows its
//! length and a tag that is keyed by this process, so that two calls that differ look different.
//!
//! Strings are quoted and everything of our own is not, so no string can imitate a mask.

use std::fmt::Write as _;

use redact_json::{Budget, MASK, Rules};
use serde_json::Value;

use super::visible::quoted;
use crate::key::{Key, Purpose};

/// The arguments, or `None` if they cannot be redacted.
pub(super) fn shown(arguments: &Value, rules: &Rules, key: &Key) -> Option<String> {
    let redacted = redact_json::to_string(arguments, rules, Budget::bytes(usize::MAX)).ok()?;
    let redacted: Value = serde_json::from_str(&redacted).ok()?;
    let mut shown = Shown { text: String::new(), key };
    shown.value(arguments, &redacted, 0);
    Some(shown.text)
}

struct Shown<'k> {
    text: String,
    key: &'k Key,
}

impl Shown<'_> {
    /// `redacted` is what redaction made of `original`: they are looked at side by side.
    fn value(&mut self, original: &Value, redacted: &Value, depth: usize) {
        match (original, redacted) {
            (Value::Object(members), Value::Object(shown)) => {
                self.list('{', '}', members.iter(), depth, |this, (name, member)| {
                    // A member whose name was masked has another name in `shown`.
                    if let Some(redacted) = shown.get(name) {
                        this.text.push_str(&quoted(name));
                        this.text.push_str(": ");
                        this.value(member, redacted, depth + 1);
                    } else {
                        let both = Value::from(vec![Value::from(name.as_str()), member.clone()]);
                        this.mask("a masked member", &both.to_string());
                    }
                });
            }
            (Value::Array(items), Value::Array(shown)) if items.len() == shown.len() => {
                let pairs = items.iter().zip(shown);
                self.list('[', ']', pairs, depth, |this, (item, redacted)| this.value(item, redacted, depth + 1));
            }
            (Value::String(original), Value::String(shown)) if original == shown => self.text.push_str(&quoted(shown)),
            (Value::String(original), Value::String(shown)) if shown != MASK => {
                self.text.push_str(&quoted(shown));
                self.text.push(' ');
                self.mask("masked in part", original);
            }
            (Value::String(original), _) => self.mask("masked", original),
            (original, redacted) if original == redacted => self.text.push_str(&redacted.to_string()),
            (original, _) => self.mask("masked", &original.to_string()),
        }
    }

    fn list<T>(
        &mut self,
        open: char,
        close: char,
        items: impl ExactSizeIterator<Item = T>,
        depth: usize,
        mut show: impl FnMut(&mut Self, T),
    ) {
        self.text.push(open);
        let count = items.len();
        for (index, item) in items.enumerate() {
            self.line(depth + 1);
            show(self, item);
            if index + 1 < count {
                self.text.push(',');
            }
        }
        if count > 0 {
            self.line(depth);
        }
        self.text.push(close);
    }

    fn line(&mut self, depth: usize) {
        self.text.push('\n');
        self.text.extend(std::iter::repeat_n("  ", depth));
    }

    fn mask(&mut self, what: &str, hidden: &str) {
        let tag = self.key.tag(Purpose::Mask, &[hidden.as_bytes()], 4);
        // Writing to a String cannot fail.
        let _ = write!(self.text, "[{what}: {} bytes, tag {tag}]", hidden.len());
    }
}
