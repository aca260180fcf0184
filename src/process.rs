//! Process applications: operations of a program in any language, declared in a file, run as processes of their own.
//!
//! Invariant: a program gets its input through standard input alone, sees the variables that its file names and no
//! others, inherits no descriptor of ours, and leads a process group that is ours to end. What it writes is checked and
//! redacted while it arrives; nothing of it is kept that the budget does not allow.

mod answer;
mod child;
mod children;
mod describe;
mod manifest;
mod plugin;
pub(crate) mod program;
mod value;
mod worker;

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::application::Application;
use crate::binding::decode_context;
use crate::cli;
use crate::entry::{Constructor, Entry};
use crate::environment::Environment;
use crate::failure::Failure;
use crate::launch::{LaunchFile, Place, Refusal};
use crate::operation::{Declaration, Operation, Run};

pub(crate) use children::Children;

use plugin::Plugin;

/// Runs opgate's commands for applications that an `application.toml` describes; what the `opgate` program does.
#[must_use = "it is what main returns"]
pub fn run_process_application() -> ExitCode {
    let children = Children::default();
    let theirs = children.clone();
    let constructor = Constructor::Described(Box::new(move |launch: &LaunchFile| {
        let Some((file, place)) = &launch.application else {
            return Err(Refusal::new("missing").file(&launch.path).entry("application").advice(
                "add application = \"path/to/application.toml\" above the first [table]; a native application is its own program",
            ));
        };
        manifest::read(file, place, &launch.pinned, &Environment::read(), &theirs)
    }));
    cli::run(Entry::of(constructor, children, Some(decode_context)))
}

/// What a file describes.
pub(crate) struct ProcessApplication {
    operations: Vec<Described>,
    mcp_operations: Option<Vec<Described>>,
}

/// One described operation.
#[derive(Clone)]
struct Described {
    declaration: Declaration,
    place: Place,
    plugin: Arc<Plugin>,
    timeout: Option<Duration>,
}

impl Described {
    fn operation(&self) -> Operation<ProcessApplication> {
        let Self { declaration, place, plugin, timeout } = self.clone();
        let method = declaration.method.clone();
        // Nothing else is to be done on the application's thread while the one admitted call runs: waiting for the
        // process there saves two wake-ups.
        let run: Run<ProcessApplication> = Arc::new(move |input, context, writing| {
            let (plugin, method) = (Arc::clone(&plugin), method.clone());
            Box::pin(async move { plugin.call(&method, timeout, &input, context.as_ref(), &writing) })
        });
        Operation::at_run_time(declaration, Some(place), run)
    }
}

impl Application for ProcessApplication {
    type Running = ();
    type Context = Value;

    fn operations(&self) -> Vec<Operation<Self>> {
        self.operations.iter().map(Described::operation).collect()
    }

    fn mcp_operations(&self) -> Option<Vec<Operation<Self>>> {
        self.mcp_operations.as_ref().map(|operations| operations.iter().map(Described::operation).collect())
    }

    /// A program is started when its operation is invoked: until then there is nothing to run.
    async fn start(&self) -> Result<(), Failure> {
        Ok(())
    }
}
