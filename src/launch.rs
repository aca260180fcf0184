//! From a trusted launch file and an application to what is fixed for the process. Nothing is started here.

mod allow;
mod file;
mod limits;
mod refusal;
mod section;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use redact_json::Rules;

use crate::application::Application;
use crate::binding::Bound;
use crate::catalog::{Catalog, Tool, schema};
use crate::door::Revision;
use crate::entry::Constructor;
use crate::gate::{Exposed, Gate, Panicked, Validator, contain};
use crate::operation::Operation;

pub(crate) use file::LaunchFile;
pub(crate) use limits::Limits;
pub(crate) use refusal::Refusal;

/// Which of the declared operations may be called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// Those of the allowlist, taken from what is declared for MCP.
    Mcp,
    /// All that are declared for the command line.
    Cli,
}

/// What an entry brings to a launch.
pub(crate) struct Given<A: Application> {
    pub(crate) constructor: Constructor<A>,
    pub(crate) binding: Arc<dyn Bound<A>>,
    pub(crate) rules: Rules,
}

/// Everything that is fixed for the life of the process.
pub(crate) struct Launch<A: Application> {
    pub(crate) file: LaunchFile,
    pub(crate) catalog: Catalog,
    pub(crate) gate: Arc<Gate<A>>,
    /// Every declared operation and whether it is allowed, for people.
    pub(crate) declared: Vec<Declared>,
}

pub(crate) struct Declared {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) effect: crate::operation::Effect,
    pub(crate) allowed: bool,
    /// Whether MCP could reach it if it were allowed.
    pub(crate) mcp: bool,
}

impl<A: Application> Launch<A> {
    /// Runs the application's constructor and its declarations; both are trusted code.
    pub(crate) fn open(path: &Path, given: Given<A>, side: Side) -> Result<Self, Refusal> {
        let file = LaunchFile::read(path)?;
        let rules = given.rules;
        let application = construct(given.constructor)
            .map_err(|problem| Refusal::new(problem).entry("the application's constructor"))?;
        let (operations, mcp_operations) = contain(|| (application.operations(), application.mcp_operations()))
            .map_err(|Panicked| {
                Refusal::new("panicked; its message is above").entry("the application's declarations")
            })?;

        let own: BTreeSet<String> = operations.iter().map(|operation| operation.declaration().name()).collect();
        let replaced = mcp_operations.is_some();
        let mcp: Vec<String> = mcp_operations
            .as_ref()
            .unwrap_or(&operations)
            .iter()
            .map(|operation| operation.declaration().name())
            .collect();
        for declared in [Some(&operations), mcp_operations.as_ref()].into_iter().flatten() {
            check_declarations(declared)?;
        }
        let elsewhere: Vec<String> = own.iter().filter(|name| !mcp.contains(name)).cloned().collect();
        let selected = allow::select(&file, &mcp, &elsewhere)?;

        let declared = describe(&operations, mcp_operations.as_deref(), &selected);
        let mut candidates: Vec<Option<Operation<A>>> = match (side, mcp_operations) {
            (Side::Mcp, Some(operations)) => operations.into_iter().map(Some).collect(),
            _ => operations.into_iter().map(Some).collect(),
        };
        debug_assert!(side == Side::Cli || replaced || candidates.len() == mcp.len());
        let chosen: Vec<usize> = match side {
            Side::Mcp => selected,
            Side::Cli => (0..candidates.len()).collect(),
        };
        let chosen: Vec<Operation<A>> =
            chosen.into_iter().filter_map(|position| candidates.get_mut(position).and_then(Option::take)).collect();
        let (exposed, tools) = expose(chosen, &rules)?;
        let catalog = Catalog::new(tools);
        if side == Side::Mcp {
            check_catalog(&catalog, &file, &rules)?;
        }
        let gate = Gate {
            application,
            operations: exposed,
            binding: given.binding,
            rules,
            limits: file.limits,
            identity: file.identity.as_deref().map(Arc::from),
        };
        Ok(Self { file, catalog, gate: Arc::new(gate), declared })
    }
}

fn construct<A: Application>(constructor: Constructor<A>) -> Result<A, String> {
    match contain(constructor) {
        Ok(Ok(application)) => Ok(application),
        // The operator, who is trusted, sees the whole chain; whoever prints it redacts it.
        Ok(Err(failure)) => Err(failure.chain()),
        Err(Panicked) => Err("panicked; its message is above".to_owned()),
    }
}

fn check_declarations<A: Application>(operations: &[Operation<A>]) -> Result<(), Refusal> {
    let mut names = BTreeSet::new();
    for operation in operations {
        let declaration = operation.declaration();
        let name = declaration.name();
        let refuse = |problem: String| Refusal::new(problem).entry(format!("operation {name:?}"));
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
        schema::check(&declaration.schema).map_err(refuse)?;
    }
    Ok(())
}

fn is_identifier(method: &str) -> bool {
    method.len() <= 128
        && method.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && method.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

fn is_plugin(plugin: &str) -> bool {
    (1..=128).contains(&plugin.len())
        && plugin.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'))
}

fn describe<A: Application>(
    operations: &[Operation<A>],
    mcp_operations: Option<&[Operation<A>]>,
    selected: &[usize],
) -> Vec<Declared> {
    let reachable = mcp_operations.unwrap_or(operations);
    let line = |operation: &Operation<A>, position: Option<usize>| {
        let declaration = operation.declaration();
        Declared {
            name: declaration.name(),
            description: declaration.description.clone(),
            effect: declaration.effect,
            allowed: position.is_some_and(|position| selected.contains(&position)),
            mcp: position.is_some(),
        }
    };
    let mut declared: Vec<Declared> =
        reachable.iter().enumerate().map(|(position, operation)| line(operation, Some(position))).collect();
    let known: BTreeSet<String> = declared.iter().map(|operation| operation.name.clone()).collect();
    declared.extend(
        operations
            .iter()
            .filter(|operation| !known.contains(&operation.declaration().name()))
            .map(|operation| line(operation, None)),
    );
    declared
}

/// What the gate runs and what clients see, of the same operations in the same order.
fn expose<A: Application>(
    operations: Vec<Operation<A>>,
    rules: &Rules,
) -> Result<(Vec<Exposed<A>>, Vec<Tool>), Refusal> {
    let names: Vec<String> = operations.iter().map(|operation| operation.declaration().name()).collect();
    let mut tools = Vec::with_capacity(operations.len());
    let mut exposed = Vec::with_capacity(operations.len());
    for (index, operation) in operations.into_iter().enumerate() {
        let declaration = Arc::new(operation.declaration().clone());
        let refuse = |problem: String| Refusal::new(problem).entry(format!("operation {:?}", declaration.name()));
        let effective = schema::effective(&declaration.schema);
        tools.push(Tool::new(index, &declaration, &effective));
        exposed.push(Exposed {
            validator: Validator::compile(&effective)
                .map_err(|problem| refuse(format!("its input schema: {problem}")))?,
            rules: rules
                .with_paths(&declaration.secret_output)
                .map_err(|error| refuse(format!("its secret output: {error}")))?,
            reconcile: declaration.reconcile.clone().filter(|name| names.contains(name)),
            declaration: Arc::clone(&declaration),
            operation,
        });
    }
    Ok((exposed, tools))
}

fn check_catalog(catalog: &Catalog, file: &LaunchFile, rules: &Rules) -> Result<(), Refusal> {
    let largest = Revision::ALL.map(|revision| catalog.list(revision).len()).into_iter().max().unwrap_or(0);
    if largest > file.limits.catalog {
        return Err(Refusal::new(format!(
            "the tools/list answer has {largest} bytes, {} are allowed",
            file.limits.catalog
        ))
        .file(&file.path)
        .entry("limits.max_catalog_bytes")
        .advice("allow fewer operations, shorten their descriptions, or raise the limit"));
    }
    if let Some(name) = rules.reveals(catalog.list(Revision::LATEST_HANDSHAKE)) {
        return Err(Refusal::new(format!("the known secret {name} stands in the tools/list answer"))
            .file(&file.path)
            .entry("allow")
            .advice("take it out of the operations' descriptions and schemas"));
    }
    Ok(())
}
