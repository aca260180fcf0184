//! Variables that a trusted file names: those it needs must be set, or the launch is refused. Names are told, values
//! never.

use redact_json::Rules;
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
    /// It is passed on to a program, whatever its bytes are; otherwise its value is text.
    is_passed_on: bool,
    place: Refusal,
}

impl NamedVariable {
    pub(crate) fn of(variable: &Variable, secret: bool, mcp: bool, environment: &Environment) -> Self {
        Self {
            name: variable.name.clone(),
            is_set: variable.is_set(environment),
            secret: secret || Rules::default().names_secret(&variable.name),
            optional: variable.optional,
            mcp,
        }
    }

    /// One that code names.
    pub(crate) fn of_code(name: &str, secret: bool, environment: &Environment) -> Self {
        Self {
            name: name.to_owned(),
            is_set: environment.get(name).is_some(),
            secret: secret || Rules::default().names_secret(name),
            optional: false,
            mcp: true,
        }
    }
}

impl Variable {
    /// `key` of `section` holds the name.
    pub(crate) fn read(section: &Section<'_, '_>, key: &'static str, optional: bool) -> Result<Self, Refusal> {
        let name = section.text(key)?.ok_or_else(|| section.missing(key))?;
        Self { name: name.to_owned(), optional, is_passed_on: false, place: section.refuse(key, String::new()) }.named()
    }

    /// A list of names, or of tables `{ name = "X", optional = true }`, of what is passed on to a program.
    pub(crate) fn list(section: &Section<'_, '_>, key: &'static str) -> Result<Vec<Self>, Refusal> {
        let Some(value) = section.value(key) else { return Ok(Vec::new()) };
        let items = value.get_ref().as_array().ok_or_else(|| section.wrong(key, value, "a list of variable names"))?;
        let variables = items.iter().enumerate().map(|(index, item)| {
            let key = format!("{key}[{index}]");
            let place = section.source.refuse_at(item.span(), String::new()).entry(section.entry(&key));
            let (name, optional) = match (item.get_ref().as_str(), section.inside(&key, item)) {
                (Some(name), _) => (name, false),
                (None, Some(table)) => {
                    let name = table.text("name")?.ok_or_else(|| table.missing("name"))?;
                    let optional = table.flag("optional")?.unwrap_or(false);
                    table.finish()?;
                    (name, optional)
                }
                _ => return Err(section.wrong(&key, item, "a variable's name, or { name = \"..\", optional = true }")),
            };
            Self { name: name.to_owned(), optional, is_passed_on: true, place }.named()
        });
        variables.collect()
    }

    /// The same, if its name can be one.
    fn named(self) -> Result<Self, Refusal> {
        if self.name.is_empty() || self.name.contains(['=', '\0']) {
            return Err(self
                .place
                .problem("this is no variable's name")
                .advice("write its name alone; values come from the environment and never stand in a file"));
        }
        Ok(self)
    }

    /// Its name, and whether it may be unset.
    pub(crate) fn reviewed(&self) -> Value {
        json!([self.name, self.optional])
    }

    fn is_set(&self, environment: &Environment) -> bool {
        if self.is_passed_on { environment.raw(&self.name).is_some() } else { environment.get(&self.name).is_some() }
    }

    /// Refuses those that are needed and not set, all at once.
    pub(crate) fn refuse_unset<'v>(
        variables: impl IntoIterator<Item = &'v Self>,
        environment: &Environment,
    ) -> Result<(), Refusal> {
        let mut unset: Vec<&Self> = Vec::new();
        for variable in variables.into_iter().filter(|variable| !variable.optional && !variable.is_set(environment)) {
            if unset.iter().all(|known| known.name != variable.name) {
                unset.push(variable);
            }
        }
        match unset.first() {
            None => Ok(()),
            Some(first) => Err(first.refuse(&unset)),
        }
    }

    /// The value, as text; `None` only where that is allowed.
    pub(crate) fn value<'e>(&self, environment: &'e Environment) -> Result<Option<&'e str>, Refusal> {
        match environment.get(&self.name) {
            None if !self.optional => Err(self.refuse(&[self])),
            value => Ok(value),
        }
    }

    /// A refusal of `unset`, of which this is the first.
    fn refuse(&self, unset: &[&Self]) -> Refusal {
        let names: Vec<&str> = unset.iter().map(|variable| &*variable.name).collect();
        let (problem, it) = match *names {
            [name] => (format!("the environment variable {name} is not set"), "it"),
            _ => (format!("these environment variables are not set: {}", names.join(", ")), "them"),
        };
        let advice = if self.is_passed_on {
            format!("set {it} where the host starts this entry, or write {{ name = {:?}, optional = true }}", self.name)
        } else {
            format!(
                "set {it} to UTF-8 text where the entry is started (a host passes only what its configuration names under env), or add optional = true"
            )
        };
        self.place.clone().problem(problem).advice(advice)
    }
}
