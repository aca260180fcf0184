//! `[redaction]`: what the file adds to what is masked.

use serde_json::{Value, json};

use super::refusal::Refusal;
use super::section::Section;
use super::variables::Variable;

#[derive(Debug, Default)]
pub(crate) struct Masking {
    /// Further names of members.
    pub(crate) keys: Vec<String>,
    /// Further values, by the variables that hold them.
    pub(crate) secrets: Vec<Variable>,
}

impl Masking {
    /// Everything a reviewer relies on.
    pub(crate) fn reviewed(&self) -> Value {
        json!([self.keys, self.secrets.iter().map(Variable::reviewed).collect::<Vec<_>>()])
    }

    pub(super) fn read(section: Section<'_, '_>) -> Result<Self, Refusal> {
        let mut keys = Vec::new();
        for (offset, key) in section.texts("keys")?.unwrap_or_default() {
            // The same judgement as when the rules are built, here with its line.
            redact_json::Rules::builder()
                .key(key)
                .build()
                .map_err(|error| section.source.refuse(offset, error.to_string()).entry(section.entry("keys")))?;
            keys.push(key.to_owned());
        }
        let mut secrets = Vec::new();
        if let Some(value) = section.value("secrets") {
            const EXPECTED: &str = "a list of { env = \"X\" }";
            let items = value.get_ref().as_array().ok_or_else(|| section.wrong("secrets", value, EXPECTED))?;
            for (index, item) in items.iter().enumerate() {
                let name = format!("secrets[{index}]");
                let item = section.inside(&name, item).ok_or_else(|| section.wrong(&name, item, "{ env = \"X\" }"))?;
                let optional = item.flag("optional")?.unwrap_or(false);
                secrets.push(Variable::read(&item, "env", optional)?);
                item.finish()?;
            }
        }
        section.finish()?;
        Ok(Self { keys, secrets })
    }
}
