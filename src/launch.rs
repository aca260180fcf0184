//! From a trusted launch file and an application to what is fixed for the process. Nothing is started here.

mod allow;
mod declarations;
mod file;
mod limits;
mod pinned;
mod refusal;
pub(crate) mod section;
pub(crate) mod text;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use redact_json::Rules;

use crate::application::Application;
use crate::binding::Bound;
use crate::catalog::{Catalog, Tool, schema};
use crate::door::Revision;
use crate::entry::{Constructor, Described};
use crate::gate::{Exposed, Gate, Panicked, Validator, contain};
use crate::operation::Operation;

pub(crate) use declarations::{Declared, is_plugin};
pub(crate) use file::LaunchFile;
pub(crate) use limits::Limits;
pub(crate) use pinned::PinnedFiles;
pub(crate) use refusal::{Place, Refusal, nearest};

use declarations::Declarations;

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
    /// Variables that code named and that are not set.
    pub(crate) unset: Vec<String>,
}

/// Everything that is fixed for the life of the process.
pub(crate) struct Launch<A: Application> {
    pub(crate) file: LaunchFile,
    pub(crate) catalog: Catalog,
    pub(crate) gate: Arc<Gate<A>>,
    /// Every declared operation and whether it is allowed, for people.
    pub(crate) declared: Vec<Declared>,
    /// The variables that a file gives the application, and whether each is set.
    pub(crate) variables: Vec<(String, bool)>,
    /// Whoever can write one of these has the identity.
    pub(crate) files: Vec<PathBuf>,
}

impl<A: Application> Launch<A> {
    /// Runs the application's constructor and its declarations; both are trusted code.
    pub(crate) fn open(file: LaunchFile, given: Given<A>, side: Side) -> Result<Self, Refusal> {
        let rules = given.rules;
        file.pinned.refuse_changed()?;
        let Described { application, variables, mut files } = construct(given.constructor, &file, &given.unset)?;
        files.extend(file.pinned.paths().map(Path::to_owned));
        let declarations = Declarations::read(&application)?;
        let allowed = allow::select(&file, &declarations.mcp_names(), &declarations.cli_names())?;
        let declared = declarations.table(&allowed);
        let chosen = match side {
            Side::Mcp => declarations.take_allowed(&allowed),
            Side::Cli => declarations.take_for_cli(),
        };
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
        Ok(Self { file, catalog, gate: Arc::new(gate), declared, variables, files })
    }
}

fn construct<A: Application>(
    constructor: Constructor<A>,
    file: &LaunchFile,
    unset: &[String],
) -> Result<Described<A>, Refusal> {
    let constructor = match constructor {
        Constructor::Described(describe) => return describe(file),
        Constructor::Native(constructor) => constructor,
    };
    if let Some((_, place)) = &file.application {
        return Err(Refusal::new("this program is its own application")
            .at(place.clone())
            .entry("application")
            .advice("remove the line, or use the `opgate` program, which runs applications that a file describes"));
    }
    let refuse = |problem: String| {
        let refusal = Refusal::new(problem).entry("the application's constructor");
        if unset.is_empty() {
            return refusal;
        }
        refusal
            .advice(format!("not set: {}; a host passes only what its configuration names under env", unset.join(", ")))
    };
    match contain(constructor) {
        Ok(Ok(application)) => Ok(Described { application, variables: Vec::new(), files: Vec::new() }),
        // The operator, who is trusted, sees the whole chain; whoever prints it redacts it.
        Ok(Err(failure)) => Err(refuse(failure.chain())),
        Err(Panicked) => Err(refuse("panicked; its message is above".to_owned())),
    }
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
        let refuse = |problem: String| operation.refuse(problem);
        let effective = schema::effective(&declaration.schema);
        tools.push(Tool::new(index, &declaration, &effective));
        let validator = Validator::new(effective);
        if validator.has_patterns() {
            validator.compiled().map_err(|problem| refuse(format!("its input schema: {problem}")))?;
        }
        let secret_outputs = rules.with_paths(&declaration.secret_output);
        let rules = secret_outputs.map_err(|error| refuse(format!("its secret output: {error}")))?;
        exposed.push(Exposed {
            validator,
            rules,
            reconcile: declaration.reconcile.clone().filter(|name| names.contains(name)),
            declaration: Arc::clone(&declaration),
            operation,
        });
    }
    Ok((exposed, tools))
}

fn check_catalog(catalog: &Catalog, file: &LaunchFile, rules: &Rules) -> Result<(), Refusal> {
    // Later revisions only add: this is the largest list, and holds all that any holds.
    let list = catalog.list(Revision::V2026_07_28);
    let largest = list.len();
    if largest > file.limits.catalog {
        return Err(Refusal::new(format!(
            "the tools/list answer has {largest} bytes, {} are allowed",
            file.limits.catalog
        ))
        .file(&file.path)
        .entry("limits.max_catalog_bytes")
        .advice("allow fewer operations, shorten their descriptions, or raise the limit"));
    }
    if let Some(name) = rules.reveals(list) {
        return Err(Refusal::new(format!("the known secret {name} stands in the tools/list answer"))
            .file(&file.path)
            .entry("allow")
            .advice("take it out of the operations' descriptions and schemas"));
    }
    Ok(())
}
