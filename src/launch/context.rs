//! `[binding.context]`: the trusted second argument of operations, as literal values and variables.
//!
//! Trust boundary: it is read and resolved once, at launch; no request can reach it, and no value of it is ever shown.

use redact_json::Rules;
use secrecy::SecretString;
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};
use toml::Spanned;
use toml::de::DeValue;

use super::refusal::Refusal;
use super::section::{Section, scalar};
use super::variables::Variable;
use crate::catalog::canonical;
use crate::environment::Environment;
use crate::key::hex;
use crate::way::Step;

#[derive(Debug)]
pub(crate) struct ContextTable {
    members: Vec<(String, Node)>,
    /// The table, then each of its members.
    places: Vec<Refusal>,
}

#[derive(Debug)]
enum Node {
    Literal(Value),
    /// A table that holds `env`, at any depth.
    Variable {
        variable: Variable,
        secret: bool,
    },
    List(Vec<Node>),
    Table(Vec<(String, Node)>),
}

impl ContextTable {
    pub(crate) fn read(section: &Section<'_, '_>) -> Result<Self, Refusal> {
        let table = section.refuse_whole(String::new());
        let members = members(section)?;
        let places = members.iter().map(|(name, _)| section.refuse(name, String::new()));
        Ok(Self { places: std::iter::once(table).chain(places).collect(), members })
    }

    /// The value, from these variables.
    pub(crate) fn resolve(&self, environment: &Environment) -> Result<Value, Refusal> {
        resolve_members(&self.members, environment)
    }

    /// Every variable that it names, and whether its value is a secret.
    pub(crate) fn variables(&self) -> Vec<(&Variable, bool)> {
        let mut found = Vec::new();
        self.members.iter().for_each(|(_, node)| node.variables(&mut found));
        found
    }

    /// Texts that the file itself holds under a name that says secret, each with its entry below `table`.
    pub(crate) fn literal_secrets(&self, table: &str) -> Vec<(String, SecretString)> {
        let names = Rules::default();
        let mut found = Vec::new();
        for (name, node) in &self.members {
            node.literal_secrets(&names, &format!("{table}.{name}"), false, &mut found);
        }
        found
    }

    /// Everything a reviewer relies on: what each entry is made of, with a digest of what the file itself holds. A text
    /// under a name that says secret is left out: a digest of a weak one could be guessed.
    pub(crate) fn reviewed(&self) -> Value {
        let names = Rules::default();
        let members = self.members.iter().map(|(name, node)| (name.clone(), node.reviewed(&names, name, false)));
        members.collect::<Map<_, _>>().into()
    }

    /// What each entry comes from, for people; never a value.
    pub(crate) fn sources(&self) -> Vec<(&str, String)> {
        self.members.iter().map(|(name, node)| (name.as_str(), node.source())).collect()
    }

    /// A refusal of the member at `way`, or of the whole table.
    pub(crate) fn refuse(&self, way: &[Step], problem: &str) -> Refusal {
        let member = way.first().and_then(|first| {
            self.members.iter().position(|(name, _)| matches!(first, Step::Member(member) if member == name))
        });
        let (place, rest) = member.map_or((0, way), |index| (index + 1, &way[1..]));
        let rest = rest.iter().fold(String::new(), |rest, step| match step {
            Step::Member(name) => rest + "." + name,
            Step::Item(index) => format!("{rest}[{index}]"),
        });
        self.places[place].clone().entry_within(&rest).problem(problem)
    }
}

impl Node {
    fn read(section: &Section<'_, '_>, key: &str, value: &Spanned<DeValue<'_>>) -> Result<Self, Refusal> {
        if let Some(items) = value.get_ref().as_array() {
            let items = items.iter().enumerate();
            let read = items.map(|(index, item)| Self::read(section, &format!("{key}[{index}]"), item));
            return read.collect::<Result<_, _>>().map(Self::List);
        }
        if let Some(table) = section.inside(key, value) {
            let is_variable = table.value("env").is_some();
            return if is_variable { Self::variable(table) } else { members(&table).map(Self::Table) };
        }
        let literal = scalar(value.get_ref()).unwrap_or(Ok(Value::Null));
        literal
            .map(Self::Literal)
            .map_err(|problem| section.source.refuse_at(value.span(), problem).entry(section.entry(key)))
    }

    fn variable(section: Section<'_, '_>) -> Result<Self, Refusal> {
        let secret = section.flag("secret")?.unwrap_or(true);
        let optional = section.flag("optional")?.unwrap_or(false);
        let variable = Variable::read(&section, "env", optional)?;
        section.finish()?;
        Ok(Self::Variable { variable, secret })
    }

    fn resolve(&self, environment: &Environment) -> Result<Value, Refusal> {
        Ok(match self {
            Self::Literal(value) => value.clone(),
            Self::Variable { variable, .. } => variable.value(environment)?.map_or(Value::Null, Value::from),
            Self::List(items) => items.iter().map(|item| item.resolve(environment)).collect::<Result<_, _>>()?,
            Self::Table(members) => resolve_members(members, environment)?,
        })
    }

    fn variables<'n>(&'n self, found: &mut Vec<(&'n Variable, bool)>) {
        match self {
            Self::Literal(_) => {}
            Self::Variable { variable, secret } => found.push((variable, *secret)),
            Self::List(items) => items.iter().for_each(|item| item.variables(found)),
            Self::Table(members) => members.iter().for_each(|(_, member)| member.variables(found)),
        }
    }

    fn literal_secrets(&self, names: &Rules, path: &str, secret: bool, found: &mut Vec<(String, SecretString)>) {
        let secret = secret || names.names_secret(path.rsplit('.').next().unwrap_or(path));
        match self {
            Self::Literal(Value::String(text)) if secret => {
                found.push((path.to_owned(), text.as_str().into()));
            }
            Self::Literal(_) | Self::Variable { .. } => {}
            Self::List(items) => items.iter().for_each(|item| item.literal_secrets(names, path, secret, found)),
            Self::Table(members) => {
                for (name, member) in members {
                    member.literal_secrets(names, &format!("{path}.{name}"), secret, found);
                }
            }
        }
    }

    fn reviewed(&self, names: &Rules, name: &str, secret: bool) -> Value {
        let secret = secret || names.names_secret(name);
        match self {
            Self::Literal(Value::String(_)) if secret => json!("secret"),
            Self::Literal(value) => json!(hex(&Sha256::digest(canonical(value)))),
            Self::Variable { variable, secret } => json!({ "variable": variable.reviewed(), "secret": secret }),
            Self::List(items) => items.iter().map(|item| item.reviewed(names, name, secret)).collect(),
            Self::Table(members) => {
                let members = members.iter().map(|(name, node)| (name.clone(), node.reviewed(names, name, secret)));
                json!({ "table": members.collect::<Map<_, _>>() })
            }
        }
    }

    fn source(&self) -> String {
        match self {
            Self::Variable { variable, secret } => {
                let kind = if *secret { "secret" } else { "not secret" };
                format!("variable {}, {kind}", variable.name)
            }
            _ => "the launch file".to_owned(),
        }
    }
}

fn members(section: &Section<'_, '_>) -> Result<Vec<(String, Node)>, Refusal> {
    let read = |(key, value): (&str, _)| Ok((key.to_owned(), Node::read(section, key, value)?));
    section.all().into_iter().map(read).collect()
}

fn resolve_members(members: &[(String, Node)], environment: &Environment) -> Result<Value, Refusal> {
    let mut object = Map::new();
    for (name, node) in members {
        object.insert(name.clone(), node.resolve(environment)?);
    }
    Ok(Value::Object(object))
}
