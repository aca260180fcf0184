//! What a served schema says in words: the declared description, and what is validated without being served.

use serde_json::Value;

/// The longest description of one rule, in characters.
const LONGEST: usize = 240;

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
        self.told(keyword, format!("{keyword}: {value}"));
    }

    /// Adds what follows from a condition.
    pub(super) fn condition(&mut self, condition: &Value, then: Option<&Value>, or_else: Option<&Value>) {
        let part = |word: &str, part: Option<&Value>| part.map(|part| format!(" {word} {part}")).unwrap_or_default();
        let consequences = part("then", then) + &part("else", or_else);
        if !consequences.is_empty() {
            self.told("if", format!("if {condition}{consequences}"));
        }
    }

    /// Adds the members that must come with the member called `name`.
    pub(super) fn dependent(&mut self, name: &str, needed: &Value) {
        let needed: Vec<&str> = needed.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        if !needed.is_empty() {
            self.rule(format!("{name} only with {}", needed.join(", ")));
        }
    }

    /// Says what stands where a reference is not followed: once more what stands around it, or what only the validator
    /// looks into.
    pub(super) fn cut(&mut self, name: &str, members: &[&str], again: bool) {
        let mut members = members.join(", ");
        if let Some((cut, _)) = members.char_indices().nth(LONGEST) {
            members.replace_range(cut.., " ..");
        }
        let listed = if members.is_empty() { String::new() } else { format!(": {members}") };
        self.rule(if again {
            format!("again {name}, as above{listed}")
        } else {
            format!("{name}{listed}; what it holds is checked")
        });
    }

    fn told(&mut self, keyword: &str, text: String) {
        if text.len() <= LONGEST && !text.contains("\"$ref\"") {
            self.rule(text);
        } else {
            self.rule(format!("a further rule is checked ({keyword})"));
        }
    }

    pub(super) fn take(&mut self) -> Self {
        std::mem::take(self)
    }

    /// All of it as one text.
    pub(super) fn text(&self) -> Option<String> {
        let rules = (!self.rules.is_empty()).then(|| format!("({})", self.rules.join("; ")));
        let parts: Vec<String> = self.said.iter().cloned().chain(rules).collect();
        (!parts.is_empty()).then(|| parts.join(" "))
    }

    /// Puts these words into the description of `schema`, before what stands there.
    pub(super) fn write_to(&self, schema: &mut Value) {
        let (Value::Object(keywords), Some(mut text)) = (schema, self.text()) else { return };
        match keywords.get("description").and_then(Value::as_str) {
            Some(own) if self.said.as_deref() != Some(own) => text = format!("{text} {own}"),
            _ => {}
        }
        keywords.insert("description".to_owned(), text.into());
    }
}
