//! From a trusted launch file and an application to what is fixed for the process. Nothing is started here.

mod allow;
mod asks;
mod binding;
pub(crate) mod command;
mod context;
mod covered;
mod declarations;
mod file;
mod limits;
mod masking;
mod pinned;
mod pins;
mod refusal;
pub(crate) mod section;
pub(crate) mod text;
mod tools;
mod variables;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use redact_json::Rules;
use serde_json::{Value, json};

use crate::application::Application;
use crate::ask::Asker;
use crate::audit::Audit;
use crate::binding::{Bound, DecodeContext, FileContext, Part, Supplied};
use crate::catalog::{self, Catalog, Tool};
use crate::entry::{Constructor, Described};
use crate::fingerprint::Fingerprint;
use crate::gate::{Exposed, Gate, Panicked, Validator, contain};
use crate::key::Key;
use crate::operation::Operation;
use crate::schema::InputSchema;

pub(crate) use asks::{AskingProgram, Asks, Way};
pub(crate) use binding::FileBinding;
pub(crate) use context::ContextTable;
pub(crate) use declarations::{Declared, is_plugin};
pub(crate) use file::LaunchFile;
pub(crate) use limits::Limits;
pub(crate) use pinned::PinnedFiles;
pub(crate) use refusal::{Place, Refusal, nearest};
pub(crate) use tools::{Names, ToolOptions};
pub(crate) use variables::{NamedVariable, Variable};

use declarations::Declarations;

/// So long clients may keep a list whose names are the operations' own.
const KEEP_CANONICAL: Duration = Duration::from_mins(5);

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
    pub(crate) file: LaunchFile,
    /// What code binds for the side that is launched.
    pub(crate) code: Arc<dyn Bound<A>>,
    pub(crate) decode_context: Option<DecodeContext<A>>,
    /// The launch file's context for that side, with its variables filled in.
    pub(crate) context: Option<Value>,
    /// Whom the launch file asks.
    pub(crate) confirm: Option<Asker>,
    pub(crate) approve: Option<Asker>,
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
    /// What the application's file calls it.
    pub(crate) name: Option<String>,
    /// The variables that a file gives the application.
    pub(crate) variables: Vec<NamedVariable>,
    /// What to know of the application before a host runs it.
    pub(crate) warnings: Vec<String>,
    /// Whoever can write one of these has the identity.
    pub(crate) files: Vec<PathBuf>,
}

impl<A: Application> Launch<A> {
    /// Runs the application's constructor and its declarations; both are trusted code.
    pub(crate) fn open(given: Given<A>, side: Side) -> Result<Self, Refusal> {
        let Given { constructor, file, code, decode_context, context, confirm, approve, rules, unset } = given;
        file.pinned.refuse_changed()?;
        let context = context_of(file.binding(side), decode_context, context)?;
        let binding = Supplied { code, context, confirm, approve };
        let Described { application, name, variables, warnings, mut files } = construct(constructor, &file, &unset)?;
        files.extend(file.pinned.paths().map(Path::to_owned));
        let declarations = Declarations::read(&application)?;
        let allowed = allow::select(&file, &declarations.mcp_names(), &declarations.cli_names())?;
        let mut declared = declarations.table(&allowed);
        // For people, also what is not allowed and thus in no list that was looked through.
        for operation in &mut declared {
            operation.description = redact_json::redact_text(&operation.description, &rules).into_owned();
        }
        let chosen = match side {
            Side::Mcp => declarations.take_allowed(&allowed),
            Side::Cli => declarations.take_for_cli(),
        };
        let names = if side == Side::Mcp { file.tools.names } else { Names::Index };
        let (exposed, tools) = expose(chosen, names, &file, &rules)?;
        // The numbers of index names belong to one launch configuration: no list may be kept beyond it.
        let keep = if names == Names::Index { Duration::ZERO } else { KEEP_CANONICAL };
        let catalog = Catalog::new(tools, keep);
        if side == Side::Mcp {
            check_catalog(&catalog, &exposed, &file, &rules)?;
        }
        let gate = Gate {
            application,
            operations: exposed,
            binding,
            asked: rules.declared_only(),
            rules,
            limits: file.limits,
            identity: file.identity.as_deref().map(Arc::from),
            key: Key::random().map_err(|error| Refusal::new(error.to_string()).entry("random bytes"))?,
            audit: audit(&file, side)?,
        };
        let gate = Arc::new(gate);
        let launch = Self { file, catalog, gate, declared, name, variables, warnings, files };
        if side == Side::Mcp && launch.file.pins.are_there() {
            launch.check_pins()?;
        }
        Ok(launch)
    }

    /// The fingerprint of each allowed operation, in the order of the allowlist.
    pub(crate) fn fingerprints(&self) -> impl Iterator<Item = (String, Fingerprint)> {
        self.gate.operations.iter().zip(self.catalog.tools()).map(|(exposed, tool)| {
            let declaration = &exposed.declaration;
            let parts = [(Part::Confirm, declaration.confirmation), (Part::Approve, declaration.approval)];
            let asked = parts.map(|(part, required)| if required { self.who_is_asked(part) } else { Value::Null });
            let effective = exposed.validator.schema();
            let launch = catalog::Reviewed {
                asked: json!(asked),
                context: if declaration.context { self.how_context_is_made() } else { Value::Null },
                masking: self.file.masking.reviewed(),
                audited: self.file.audit.is_some(),
            };
            (declaration.name(), catalog::fingerprint(declaration, effective, tool, launch))
        })
    }

    /// By each side; what code binds for the command line is the application's own.
    fn how_context_is_made(&self) -> Value {
        let [mcp, cli] = [&self.file.mcp, &self.file.cli].map(|file| file.context.as_ref().map(ContextTable::reviewed));
        json!([mcp.unwrap_or_else(|| self.bound_in_code(Part::Context)), cli])
    }

    fn who_is_asked(&self, part: Part) -> Value {
        let [mcp, cli] = [&self.file.mcp, &self.file.cli].map(|file| file.asks(part).map(Asks::reviewed));
        json!([mcp.unwrap_or_else(|| self.bound_in_code(part)), cli])
    }

    fn bound_in_code(&self, part: Part) -> Value {
        json!(if self.gate.binding.binds(part) { "code" } else { "nobody" })
    }

    fn check_pins(&self) -> Result<(), Refusal> {
        let declared: Vec<String> = self.declared.iter().map(|declared| declared.name.clone()).collect();
        self.file.pins.check_names(&declared)?;
        self.fingerprints().try_for_each(|(operation, fingerprint)| self.file.pins.check(&operation, &fingerprint))
    }
}

fn audit(file: &LaunchFile, side: Side) -> Result<Option<Audit>, Refusal> {
    let Some(entry) = &file.audit else { return Ok(None) };
    let name = if side == Side::Mcp { "mcp" } else { "cli" };
    Audit::new(&entry.path, name).map(Some).map_err(|problem| {
        entry.place.clone().problem(problem).advice("name a file in a folder of this user's; no link is followed")
    })
}

/// Refuses a context that the application's type does not take.
fn context_of<A: Application>(
    file: &FileBinding,
    decode: Option<DecodeContext<A>>,
    context: Option<Value>,
) -> Result<Option<FileContext<A>>, Refusal> {
    Ok(match (&file.context, context) {
        (Some(table), Some(value)) => {
            let Some(decode) = decode else {
                return Err(table
                    .refuse(&[], "this application's context can be bound in code alone")
                    .advice("remove the table; the application's main binds context"));
            };
            // Dropping a context is the application's code, too.
            match contain(|| decode(&value).map(drop)) {
                Ok(Ok(())) => Some(FileContext { value, decode }),
                Ok(Err(refused)) => {
                    return Err(table
                        .refuse(&refused.way, "it does not fit the type of the application's context")
                        .advice(refused.missing.map_or_else(
                            || "see the application's documentation for what its context holds".to_owned(),
                            |name| format!("{name:?} is missing"),
                        )));
                }
                Err(Panicked) => return Err(table.refuse(&[], "deserializing it panicked; the message is above")),
            }
        }
        _ => None,
    })
}

/// Each part of a side is bound in code or in the file.
pub(crate) fn refuse_bound_twice<A: Application>(file: &FileBinding, code: &dyn Bound<A>) -> Result<(), Refusal> {
    let mut in_code = Part::ALL.into_iter().filter(|part| code.binds(*part));
    match in_code.find_map(|part| file.refuse(part, "the application binds it in code, too")) {
        None => Ok(()),
        Some(refusal) => Err(refusal.advice("remove it here, or from the application's Entry::mcp or Entry::cli")),
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
        Ok(Ok(application)) => {
            Ok(Described { application, name: None, variables: Vec::new(), warnings: Vec::new(), files: Vec::new() })
        }
        // The operator, who is trusted, sees the whole chain; whoever prints it redacts it.
        Ok(Err(failure)) => Err(refuse(failure.chain())),
        Err(Panicked) => Err(refuse("panicked; its message is above".to_owned())),
    }
}

/// What the gate runs and what clients see, of the same operations in the same order.
fn expose<A: Application>(
    operations: Vec<Operation<A>>,
    names: Names,
    file: &LaunchFile,
    rules: &Rules,
) -> Result<(Vec<Exposed<A>>, Vec<Tool>), Refusal> {
    let operation_names: Vec<String> = operations.iter().map(|operation| operation.declaration().name()).collect();
    let tool_names = names.of(&operation_names).map_err(|(index, problem)| {
        Refusal::new(problem)
            .file(&file.path)
            .entry(format!("operation {:?}", operation_names[index]))
            .advice("write names = \"index\" under [tools], or rename the operation")
    })?;
    let mut tools = Vec::with_capacity(operations.len());
    let mut exposed = Vec::with_capacity(operations.len());
    let listed: BTreeSet<&str> = operation_names.iter().map(String::as_str).collect();
    for (operation, name) in operations.into_iter().zip(tool_names) {
        let place = operation.place().cloned();
        let (declaration, schema, decode) = operation.into_parts();
        let refuse = |problem: String| crate::operation::refuse(&declaration, place.as_ref(), problem);
        let schema = InputSchema::new(schema).map_err(refuse)?;
        let validator = Validator::new(schema.effective);
        if validator.has_patterns() {
            validator.compiled().map_err(|problem| refuse(format!("its input schema: {problem}")))?;
        }
        let secret_outputs = rules.with_paths(&declaration.secret_output);
        let rules = secret_outputs.map_err(|error| refuse(format!("its secret output: {error}")))?;
        let declaration = Arc::new(declaration);
        tools.push(Tool::new(name, Arc::clone(&declaration), schema.served));
        exposed.push(Exposed {
            validator,
            rules,
            reconcile: declaration.reconcile.clone().filter(|name| listed.contains(name.as_str())),
            declaration,
            decode,
        });
    }
    Ok((exposed, tools))
}

fn check_catalog<A: Application>(
    catalog: &Catalog,
    exposed: &[Exposed<A>],
    file: &LaunchFile,
    rules: &Rules,
) -> Result<(), Refusal> {
    let list = catalog.largest();
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
    // What is served of a schema may be the beginning of what stands in it.
    let inside = || exposed.iter().find_map(|exposed| rules.reveals(&exposed.validator.schema().to_string()));
    if let Some(name) = rules.reveals(list).or_else(inside) {
        return Err(Refusal::new(format!("the known secret {name} stands in the tools/list answer"))
            .file(&file.path)
            .entry("allow")
            .advice("take it out of the operations' descriptions and schemas"));
    }
    Ok(())
}
