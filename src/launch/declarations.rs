//! What an application declares: checked whole, before anything is chosen from it.

use std::collections::{BTreeMap, BTreeSet};

use super::refusal::Refusal;
use crate::application::Application;
use crate::gate::{Panicked, contain};
use crate::operation::{Effect, Operation};
use crate::schema;

pub(super) struct Declarations<A: Application> {
    /// What the command line may call.
    cli: Vec<Operation<A>>,
    /// What MCP may reach, where that differs.
    mcp: Option<Vec<Operation<A>>>,
}

/// A declared operation, for people.
#[expect(clippy::struct_excessive_bools, reason = "each is a declaration of its own")]
pub(crate) struct Declared {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) effect: Effect,
    pub(crate) allowed: bool,
    /// Whether MCP could reach it if it were allowed.
    pub(crate) mcp: bool,
    destructive: bool,
    context: bool,
    confirmation: bool,
    approval: bool,
}

impl Declared {
    /// Whether somebody has to say yes to each call.
    pub(crate) fn is_asked_for(&self) -> bool {
        self.confirmation || self.approval
    }

    pub(crate) fn takes_context(&self) -> bool {
        self.context
    }

    pub(crate) fn needs_confirmation(&self) -> bool {
        self.confirmation
    }

    pub(crate) fn needs_approval(&self) -> bool {
        self.approval
    }

    /// What to know before it is allowed.
    pub(crate) fn in_words(&self) -> String {
        let mut words = format!("{:?}", self.effect).to_lowercase();
        for (is_so, word) in [
            (self.destructive, "destructive"),
            (self.context, "takes context"),
            (self.confirmation, "needs confirmation"),
            (self.approval, "needs approval"),
        ] {
            if is_so {
                words.push_str(", ");
                words.push_str(word);
            }
        }
        words
    }
}

impl<A: Application> Declarations<A> {
    pub(super) fn read(application: &A) -> Result<Self, Refusal> {
        let declared = contain(|| Self { cli: application.operations(), mcp: application.mcp_operations() });
        let declared = declared.map_err(|Panicked| {
            Refusal::new("panicked; its message is above").entry("the application's declarations")
        })?;
        for operations in [Some(&declared.cli), declared.mcp.as_ref()].into_iter().flatten() {
            check(operations)?;
        }
        Ok(declared)
    }

    fn reachable(&self) -> &[Operation<A>] {
        self.mcp.as_ref().unwrap_or(&self.cli)
    }

    pub(super) fn mcp_names(&self) -> Vec<String> {
        names(self.reachable())
    }

    pub(super) fn cli_names(&self) -> Vec<String> {
        names(&self.cli)
    }

    /// Every operation, those that MCP may reach first.
    pub(super) fn table(&self, allowed: &[String]) -> Vec<Declared> {
        let mcp: BTreeSet<String> = self.mcp_names().into_iter().collect();
        let allowed: BTreeSet<&String> = allowed.iter().collect();
        let others = self.cli.iter().filter(|operation| !mcp.contains(&operation.declaration().name()));
        let line = |operation: &Operation<A>| {
            let declaration = operation.declaration();
            let name = declaration.name();
            Declared {
                description: declaration.description.clone(),
                effect: declaration.effect,
                allowed: allowed.contains(&name),
                mcp: mcp.contains(&name),
                destructive: declaration.destructive == Some(true),
                context: declaration.context,
                confirmation: declaration.confirmation,
                approval: declaration.approval,
                name,
            }
        };
        self.reachable().iter().chain(others).map(line).collect()
    }

    /// The allowed operations, in the order of the allowlist.
    pub(super) fn take_allowed(self, allowed: &[String]) -> Vec<Operation<A>> {
        let places: BTreeMap<&String, usize> = allowed.iter().enumerate().map(|(place, name)| (name, place)).collect();
        let mut operations: Vec<(usize, Operation<A>)> = Vec::with_capacity(allowed.len());
        for operation in self.mcp.unwrap_or(self.cli) {
            if let Some(place) = places.get(&operation.declaration().name()) {
                operations.push((*place, operation));
            }
        }
        operations.sort_by_key(|(place, _)| *place);
        operations.into_iter().map(|(_, operation)| operation).collect()
    }

    /// Everything declared for the command line, allowed or not.
    pub(super) fn take_for_cli(self) -> Vec<Operation<A>> {
        self.cli
    }
}

fn names<A: Application>(operations: &[Operation<A>]) -> Vec<String> {
    operations.iter().map(|operation| operation.declaration().name()).collect()
}

fn check<A: Application>(operations: &[Operation<A>]) -> Result<(), Refusal> {
    let mut names = BTreeSet::new();
    for operation in operations {
        let declaration = operation.declaration();
        let name = declaration.name();
        let refuse = |problem: String| operation.refuse(problem);
        if !is_identifier(&declaration.method) {
            return Err(refuse(format!("the method {:?} is not an identifier", declaration.method))
                .advice("use letters, digits and underscores, and begin with none of the digits"));
        }
        if !is_plugin(&declaration.plugin) {
            return Err(refuse(format!("the plugin {:?} is not a plugin id", declaration.plugin))
                .advice("use 1 to 128 letters, digits, '_', '-' and '.'"));
        }
        if !names.insert(name.clone()) {
            return Err(refuse("is declared twice".to_owned()).advice("give each operation a method of its own"));
        }
        schema::check(&declaration.schema).map_err(|problem| {
            let advice = match (problem == schema::NOT_AN_OBJECT, operation.place()) {
                (false, _) => return refuse(problem),
                (true, None) => "take a struct as its input, or NoInput",
                (true, Some(_)) => "write \"type\": \"object\" at the root of the schema",
            };
            refuse(problem).advice(advice)
        })?;
    }
    Ok(())
}

fn is_identifier(method: &str) -> bool {
    method.len() <= 128
        && method.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && method.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Whether a plugin may be called so.
pub(crate) fn is_plugin(plugin: &str) -> bool {
    (1..=128).contains(&plugin.len())
        && plugin.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'))
}
