//! What a launch binds, for people and for the redaction rules: names and sources, never a value.

use std::path::Path;

use serde_json::{Map, Value, json};

use crate::application::Application;
use crate::binding::{Bound, Part};
use crate::entry::Secret;
use crate::environment::Environment;
use crate::launch::{Asks, ContextTable, FileBinding, LaunchFile, Variable, Way};

/// What the launch file makes secret, on either side.
pub(super) fn secrets(file: &LaunchFile) -> Vec<Secret> {
    let context = context_variables(file).filter(|(_, secret)| *secret).map(|(variable, _)| variable);
    let variables = context.chain(&file.masking.secrets).map(|variable| Secret::Variable(variable.name.clone()));
    let contexts = [&file.mcp, &file.cli].into_iter().filter_map(|binding| binding.context.as_ref());
    let literals = contexts.flat_map(ContextTable::literal_secrets);
    variables.chain(literals.map(|(entry, value)| Secret::Value(entry, value))).collect()
}

/// Those that code names, and those of the file, and whether each is set.
pub(super) fn variables(
    file: &LaunchFile,
    mut named: Vec<(String, bool)>,
    environment: &Environment,
) -> Vec<(String, bool)> {
    let context = context_variables(file).map(|(variable, _)| variable);
    let programs = [&file.mcp, &file.cli].into_iter().flat_map(asking).filter_map(|(_, asks)| match &asks.way {
        Way::Program(program) => Some(&program.variables),
        _ => None,
    });
    for variable in context.chain(programs.flatten()).chain(&file.masking.secrets) {
        if !named.iter().any(|(name, _)| *name == variable.name) {
            named.push((variable.name.clone(), environment.get(&variable.name).is_some()));
        }
    }
    named
}

/// The programs that are asked.
pub(super) fn programs(file: &LaunchFile) -> impl Iterator<Item = &Path> {
    [&file.mcp, &file.cli].into_iter().flat_map(asking).filter_map(|(_, asks)| match &asks.way {
        Way::Program(program) => Some(&*program.program),
        _ => None,
    })
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
