//! Variables that a trusted file names: those it needs must be set, or the launch is refused. Names are told, values
//! never.

use serde_json::{Value, json};

use super::refusal::Refusal;
use super::section::Section;
use crate::environment::Environment;

/// A variable that code or a file names, for people and for hosts. Never a value.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a question of its own")]
pub(crate) struct NamedVariable {
    pub(crate) name: String,
    pub(crate) is_set: bool,
    /// Its value is to be masked.
    pub(crate) secret: bool,
    /// Unset is no reason to refuse.
    pub(crate) optional: bool,
    /// MCP needs it, and not `call` alone.
    pub(crate) mcp: bool,
}

/// A variable that a file names, and where.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub(crate) name: String,
    /// Unset is no reason to refuse.
    pub(crate) optional: bool,
    place: Refusal,
}

/// What is wrong with these variables, all of which are unset.
pub(crate) fn not_set(names: &[&str]) -> String {
    match names {
        [name] => format!("the environment variable {name} is not set"),
        names => format!("these environment variables are not set: {}", names.join(", ")),
    }
}

impl Variable {
    /// `key` of `section` holds the name.
    pub(crate) fn read(section: &Section<'_, '_>, key: &'static str, optional: bool) -> Result<Self, Refusal> {
        let name = section.text(key)?.ok_or_else(|| section.refuse(key, "missing"))?;
        Self::named(name, optional, section.refuse(key, String::new()))
    }

    fn named(name: &str, optional: bool, place: Refusal) -> Result<Self, Refusal> {
        if name.is_empty() || name.contains(['=', '\0']) {
            return Err(place.problem("expected the name of an environment variable"));
        }
        Ok(Self { name: name.to_owned(), optional, place })
    }

    /// Its name, and whether it may be unset.
    pub(crate) fn reviewed(&self) -> Value {
        json!([self.name, self.optional])
    }

    /// A list of names, or of tables `{ name = "X", optional = true }`.
    pub(crate) fn list(section: &Section<'_, '_>, key: &'static str) -> Result<Vec<Self>, Refusal> {
        let Some(value) = section.value(key) else { return Ok(Vec::new()) };
        let items = value.get_ref().as_array().ok_or_else(|| section.wrong(key, value, "a list of variable names"))?;
        let mut variables = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            let entry = section.entry(&format!("{key}[{index}]"));
            let place = section.source.refuse(item.span().start, String::new()).entry(entry.clone());
            let read = match (item.get_ref().as_str(), item.get_ref().as_table()) {
                (Some(name), _) => Self::named(name, false, place)?,
                (None, Some(table)) => {
                    let item = Section::named(section.source, entry, table);
                    let optional = item.flag("optional")?.unwrap_or(false);
                    let read = Self::read(&item, "name", optional)?;
                    item.finish()?;
                    read
                }
                _ => return Err(place.problem("expected the name of a variable, or { name = \"X\", optional = true }")),
            };
            variables.push(read);
        }
        Ok(variables)
    }

    /// Refuses those that are needed and not set, all at once.
    pub(crate) fn refuse_unset<'v>(
        variables: impl IntoIterator<Item = &'v Self>,
        environment: &Environment,
    ) -> Result<(), Refusal> {
        let needed = variables.into_iter().filter(|variable| !variable.optional);
        let unset: Vec<&Self> = needed.filter(|variable| environment.get(&variable.name).is_none()).collect();
        let mut names: Vec<&str> = unset.iter().map(|variable| variable.name.as_str()).collect();
        names.dedup();
        match unset.first() {
            None => Ok(()),
            Some(first) => first.value(environment).map(drop).map_err(|refusal| refusal.problem(not_set(&names))),
        }
    }

    /// The value; `None` only where that is allowed.
    pub(crate) fn value<'e>(&self, environment: &'e Environment) -> Result<Option<&'e str>, Refusal> {
        match environment.get(&self.name) {
            None if !self.optional => Err(self
                .place
                .clone()
                .problem(not_set(&[&self.name]))
                .advice("set it to UTF-8 text where the entry is started (a host passes only what its configuration names under env), or add optional = true")),
            value => Ok(value),
        }
    }
}
