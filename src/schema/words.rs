//! What a served schema says in words: the declared description, and what is validated without being served.

use serde_json::Value;

/// The longest description of one rule, in characters.
const LONGEST: usize = 160;

/// The description of one place.
#[derive(Clone, Debug, Default)]
pub(super) struct Words {
    said: Option<String>,
    rules: Vec<String>,
}

impl Words {
    /// Takes a declared description; the one nearest to the place counts.
    pub(super) fn describe(&mut self, description: &str) {
        let description = description.trim();
        if self.said.is_none() && !description.is_empty() {
            self.said = Some(description.to_owned());
        }
    }

    /// Adds a rule that is validated and not served.
    pub(super) fn rule(&mut self, rule: impl Into<String>) {
        let rule = rule.into();
        if !self.rules.contains(&rule) {
            self.rules.push(rule);
        }
    }

    /// Adds the rule of a keyword, as far as it can be read without the rest of the document.
    pub(super) fn keyword(&mut self, keyword: &str, value: &Value) {
        let text = value.to_string();
        if text.len() <= LONGEST && !text.contains("\"$ref\"") {
            self.rule(format!("{keyword}: {text}"));
        } else {
            self.rule(format!("a further rule is checked ({keyword})"));
        }
    }

    pub(super) fn take(&mut self) -> Self {
        std::mem::take(self)
    }

    /// Puts these words into the description of `schema`, before what stands there.
    pub(super) fn write_to(&self, schema: &mut Value) {
        let Value::Object(keywords) = schema else { return };
        let own = keywords.get("description").and_then(Value::as_str).map(str::to_owned);
        let rules = (!self.rules.is_empty()).then(|| format!("({})", self.rules.join("; ")));
        let parts: Vec<String> = [self.said.clone(), rules, own.filter(|own| self.said.as_ref() != Some(own))]
            .into_iter()
            .flatten()
            .collect();
        if !parts.is_empty() {
            keywords.insert("description".to_owned(), parts.join(" ").into());
        }
    }
}
