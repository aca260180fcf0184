//! What a launch binds, for people and for the redaction rules: names and sources, never a value.

use std::path::Path;

use redact_json::Rules;
use serde_json::{Map, Value, json};

use crate::application::Application;
use crate::binding::{Bound, Part};
use crate::entry::Secret;
use crate::environment::Environment;
use crate::launch::{Asks, ContextTable, FileBinding, LaunchFile, NamedVariable, Variable, Way};

/// What the launch file makes secret, on either side.
pub(super) fn secrets(file: &LaunchFile) -> Vec<Secret> {
    let context = context_variables(file).filter(|(_, secret)| *secret).map(|(variable, _)| variable);
    let variables = context.chain(&file.masking.secrets).map(|variable| Secret::Variable(variable.name.clone()));
    let contexts = [&file.mcp, &file.cli].into_iter().filter_map(|binding| binding.context.as_ref());
    let literals = contexts.flat_map(ContextTable::literal_secrets);
    variables.chain(literals.map(|(entry, value)| Secret::Value(entry, value))).collect()
}

/// Those that code rules, and those of the file.
pub(super) fn variables(file: &LaunchFile, named: Vec<NamedVariable>, environment: &Environment) -> Vec<NamedVariable> {
    let rules = Rules::default();
    let of = |variable: &Variable, secret: bool, mcp: bool| NamedVariable {
        name: variable.name.clone(),
        is_set: environment.get(&variable.name).is_some(),
        secret: secret || rules.names_secret(&variable.name),
        optional: variable.optional,
        mcp,
    };
    let mut found = Vec::new();
    for (binding, mcp) in [(&file.mcp, true), (&file.cli, false)] {
        let context = binding.context.iter().flat_map(ContextTable::variables);
        found.extend(context.map(|(variable, secret)| of(variable, secret, mcp)));
        let programs = asking(binding).filter_map(|(_, asks)| asks.program());
        found.extend(programs.flat_map(|program| &program.variables).map(|variable| of(variable, false, mcp)));
    }
    found.extend(file.masking.secrets.iter().map(|variable| of(variable, true, true)));
    found.into_iter().fold(named, merged)
}

/// `known` with one more, which it may name already.
pub(super) fn merged(mut known: Vec<NamedVariable>, variable: NamedVariable) -> Vec<NamedVariable> {
    match known.iter_mut().find(|known| known.name == variable.name) {
        None => known.push(variable),
        Some(known) => {
            // What `call` alone needs is nothing to MCP.
            known.optional = match (known.mcp, variable.mcp) {
                (true, false) => known.optional,
                (false, true) => variable.optional,
                _ => known.optional && variable.optional,
            };
            known.secret |= variable.secret;
            known.mcp |= variable.mcp;
        }
    }
    known
}

/// The programs that are asked.
pub(super) fn programs(file: &LaunchFile) -> impl Iterator<Item = &Path> {
    [&file.mcp, &file.cli].into_iter().flat_map(asking).filter_map(|(_, asks)| Some(&*asks.program()?.program))
}

fn context_variables(file: &LaunchFile) -> impl Iterator<Item = (&Variable, bool)> {
    let contexts = [&file.mcp, &file.cli].into_iter().filter_map(|binding| binding.context.as_ref());
    contexts.flat_map(ContextTable::variables)
}

fn asking(file: &FileBinding) -> impl Iterator<Item = (Part, &Asks)> {
    [(Part::Confirm, &file.confirm), (Part::Approve, &file.approve)]
        .into_iter()
        .filter_map(|(part, asks)| Some((part, asks.as_ref()?)))
}

/// What supplies each part of a side.
pub(super) fn parts<A: Application>(file: &FileBinding, code: &dyn Bound<A>) -> Vec<(&'static str, String)> {
    let mut parts = Vec::new();
    for (part, name) in [(Part::Context, "context"), (Part::Confirm, "confirm"), (Part::Approve, "approve")] {
        if code.binds(part) {
            parts.push((name, "code".to_owned()));
        }
    }
    if let Some(context) = &file.context {
        let sources = context.sources().into_iter().map(|(member, source)| format!("{member} from {source}"));
        parts.push(("context", sources.collect::<Vec<_>>().join("; ")));
    }
    for (part, asks) in asking(file) {
        parts.push((if part == Part::Confirm { "confirm" } else { "approve" }, asks.describe()));
    }
    parts
}

/// The same for programs.
pub(super) fn parts_for_programs<A: Application>(file: &FileBinding, code: &dyn Bound<A>) -> Value {
    parts(file, code).into_iter().map(|(name, source)| (name.to_owned(), json!(source))).collect::<Map<_, _>>().into()
}

/// What to know about the ways of asking.
pub(super) fn warnings(file: &LaunchFile) -> Vec<String> {
    let mut warnings = Vec::new();
    for (table, binding) in [("binding", &file.mcp), ("cli.binding", &file.cli)] {
        for (part, asks) in asking(binding) {
            let entry = format!("{table}.{}", if part == Part::Confirm { "confirm" } else { "approve" });
            match asks.way {
                Way::Terminal => warnings.push(format!(
                    "{entry} asks a terminal: an agent that has a shell of this user can answer by itself"
                )),
                Way::Client => warnings.push(format!(
                    "{entry} asks the client: it is only as good as the host, which can answer by itself, and it does not protect against an agent that has a shell of this user"
                )),
                Way::Program(_) => {}
            }
        }
    }
    warnings
}
