//! What a launch binds, for people and for the redaction rules: names and sources, never a value.

use std::path::PathBuf;

use serde_json::{Map, Value, json};

use crate::application::Application;
use crate::binding::{Bound, Part};
use crate::entry::Secret;
use crate::environment::Environment;
use crate::launch::{ContextTable, FileBinding, LaunchFile, NamedVariable, Variable, Way, command};

/// Each side's table, and what it says.
fn sides(file: &LaunchFile) -> [(&'static str, &FileBinding); 2] {
    [("binding", &file.mcp), ("cli.binding", &file.cli)]
}

/// What the launch file makes secret, on either side.
pub(super) fn secrets(file: &LaunchFile) -> Vec<Secret> {
    let context = context_variables(file).filter(|(_, secret)| *secret).map(|(variable, _)| variable);
    let variables = context.chain(&file.masking.secrets).map(|variable| Secret::Variable(variable.name.clone()));
    let literals = sides(file).into_iter().flat_map(|(table, binding)| {
        let entry = format!("{table}.{}", Part::Context.word());
        binding.context.as_ref().map(|context| context.literal_secrets(&entry)).unwrap_or_default()
    });
    variables.chain(literals.map(|(entry, value)| Secret::Value(entry, value))).collect()
}

/// The variables that code names, each once.
pub(super) fn of_code(names: &[String], secrets: &[Secret], environment: &Environment) -> Vec<NamedVariable> {
    let secrets = secrets.iter().filter_map(|secret| match secret {
        Secret::Variable(name) => Some(NamedVariable::of_code(name, true, environment)),
        Secret::Value(..) => None,
    });
    let names = names.iter().map(|name| NamedVariable::of_code(name, false, environment));
    names.chain(secrets).fold(Vec::new(), merged)
}

/// Those that code names, and those of the file.
pub(super) fn variables(file: &LaunchFile, named: Vec<NamedVariable>, environment: &Environment) -> Vec<NamedVariable> {
    let of = |variable: &Variable, secret, mcp| NamedVariable::of(variable, secret, mcp, environment);
    let mut found = Vec::new();
    for (binding, mcp) in [(&file.mcp, true), (&file.cli, false)] {
        let context = binding.context.iter().flat_map(ContextTable::variables);
        found.extend(context.map(|(variable, secret)| of(variable, secret, mcp)));
        let programs = binding.all_asks().filter_map(|(_, asks)| asks.program());
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

/// The programs that are asked, and the files that they run.
pub(super) fn programs(file: &LaunchFile) -> impl Iterator<Item = PathBuf> {
    let asked = [&file.mcp, &file.cli].into_iter().flat_map(FileBinding::all_asks);
    asked
        .filter_map(|(_, asks)| asks.program())
        .flat_map(|asked| std::iter::once(asked.program.clone()).chain(command::files(&asked.folder, &asked.arguments)))
}

fn context_variables(file: &LaunchFile) -> impl Iterator<Item = (&Variable, bool)> {
    let contexts = [&file.mcp, &file.cli].into_iter().filter_map(|binding| binding.context.as_ref());
    contexts.flat_map(ContextTable::variables)
}

/// What supplies each part of a side.
pub(super) fn parts<A: Application>(file: &FileBinding, code: &dyn Bound<A>) -> Vec<(&'static str, String)> {
    let in_code = Part::ALL.into_iter().filter(|part| code.binds(*part));
    let mut parts: Vec<_> = in_code.map(|part| (part.word(), "code".to_owned())).collect();
    if let Some(context) = &file.context {
        let sources = context.sources().into_iter().map(|(member, source)| format!("{member} from {source}"));
        parts.push((Part::Context.word(), sources.collect::<Vec<_>>().join("; ")));
    }
    parts.extend(file.all_asks().map(|(part, asks)| (part.word(), asks.describe())));
    parts
}

/// The same for programs.
pub(super) fn parts_for_programs<A: Application>(file: &FileBinding, code: &dyn Bound<A>) -> Value {
    parts(file, code).into_iter().map(|(name, source)| (name.to_owned(), json!(source))).collect::<Map<_, _>>().into()
}

/// What to know about the ways of asking.
pub(super) fn warnings(file: &LaunchFile) -> Vec<String> {
    let mut warnings = Vec::new();
    for (table, binding) in sides(file) {
        for (part, asks) in binding.all_asks() {
            let entry = format!("{table}.{}", part.word());
            match &asks.way {
                Way::Terminal => warnings.push(format!(
                    "{entry} asks a terminal: an agent that has a shell of this user can answer by itself"
                )),
                Way::Client => warnings.push(format!(
                    "{entry} asks the client: it is only as good as the host, which can answer by itself, and it does not protect against an agent that has a shell of this user"
                )),
                Way::Program(asked) => {
                    warnings.extend(command::missing_scripts(&asked.folder, &asked.arguments).map(|argument| {
                        format!("{entry}.command: there is no file {argument:?} in the folder of the launch file")
                    }));
                }
            }
        }
    }
    warnings
}
