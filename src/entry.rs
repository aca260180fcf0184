//! The entry of a native application: one line of `main`, and what a launch supplies in code.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use secrecy::SecretString;
use serde::de::DeserializeOwned;

use crate::application::Application;
use crate::binding::{Binding, Bound, DecodeContext, Unbound, decode_context};
use crate::cli;
use crate::failure::Failure;
use crate::launch::{LaunchFile, NamedVariable, Refusal};
use crate::process::Children;

/// Runs opgate's commands for an application; the whole of a native application's `main`.
///
/// `constructor` is called once, after the protocol's stream is guarded, so whatever it prints harms nothing. It reads
/// the application's configuration and opens nothing. A closure that cannot fail names its error type:
/// `|| Ok::<_, Failure>(App)`. Same as [`Entry::new`] and [`Entry::run`].
#[must_use = "it is what main returns"]
pub fn run<A, E>(constructor: impl FnOnce() -> Result<A, E> + Send + 'static) -> ExitCode
where
    A: Application,
    A::Context: DeserializeOwned,
    E: Into<Failure>,
{
    Entry::new(constructor).run()
}

/// An application with what its launch supplies in code.
///
/// ```no_run
/// # use opgate::{Application, Failure, Operation};
/// # struct Orders;
/// # impl Application for Orders {
/// #     type Running = (); type Context = ();
/// #     fn operations(&self) -> Vec<Operation<Self>> { vec![] }
/// #     async fn start(&self) -> Result<(), Failure> { Ok(()) }
/// # }
/// # impl Orders { fn from_environment() -> Result<Self, Failure> { Ok(Orders) } }
/// fn main() -> std::process::ExitCode {
///     opgate::Entry::new(Orders::from_environment)
///         .secret_variable("ORDERS_DATABASE")
///         .command("migrate", "Prepare the database", |_arguments| std::process::ExitCode::SUCCESS)
///         .run()
/// }
/// ```
pub struct Entry<A: Application> {
    pub(crate) constructor: Constructor<A>,
    /// The programs that its operations start.
    pub(crate) children: Children,
    pub(crate) mcp: Arc<dyn Bound<A>>,
    pub(crate) cli: Arc<dyn Bound<A>>,
    pub(crate) secrets: Vec<Secret>,
    pub(crate) variables: Vec<String>,
    pub(crate) worker_threads: Option<usize>,
    pub(crate) commands: Vec<OwnCommand>,
    /// For a context that a launch file can express.
    pub(crate) decode_context: Option<DecodeContext<A>>,
}

/// Where an application comes from.
pub(crate) enum Constructor<A> {
    /// The program's own code.
    Native(Box<dyn FnOnce() -> Result<A, Failure> + Send>),
    /// The file that the launch file names.
    Described(Box<Describe<A>>),
}

/// Reads the file that a launch file names.
type Describe<A> = dyn FnOnce(&LaunchFile) -> Result<Described<A>, Refusal> + Send;

/// An application that a file describes, and what to know of it before it runs.
pub(crate) struct Described<A> {
    pub(crate) application: A,
    /// What its file calls it.
    pub(crate) name: Option<String>,
    /// The variables it is given. Never a value.
    pub(crate) variables: Vec<NamedVariable>,
    /// What to know before a host runs it.
    pub(crate) warnings: Vec<String>,
    /// Whoever can write one of these has the identity.
    pub(crate) files: Vec<PathBuf>,
}

/// A value that must not leave the process, by its own or by a variable's name.
pub(crate) enum Secret {
    Value(String, SecretString),
    Variable(String),
}

/// A command of the application's own, beside opgate's.
pub(crate) struct OwnCommand {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) run: Box<dyn FnOnce(Vec<OsString>) -> ExitCode>,
}

impl<A: Application> Entry<A> {
    /// An entry whose context, if any, deserializes, so that a launch file can give it (`[binding.context]`).
    pub fn new<E: Into<Failure>>(constructor: impl FnOnce() -> Result<A, E> + Send + 'static) -> Self
    where
        A::Context: DeserializeOwned,
    {
        let mut entry = Self::with_context_in_code(constructor);
        entry.decode_context = Some(decode_context);
        entry
    }

    /// An entry whose context no file can express (it does not deserialize) and is bound in code alone: a launch file that
    /// gives one is refused.
    pub fn with_context_in_code<E: Into<Failure>>(constructor: impl FnOnce() -> Result<A, E> + Send + 'static) -> Self {
        let constructor = Constructor::Native(Box::new(move || constructor().map_err(Into::into)));
        Self::of(constructor, Children::default(), None)
    }

    /// An entry with nothing in code.
    pub(crate) fn of(
        constructor: Constructor<A>,
        children: Children,
        decode_context: Option<DecodeContext<A>>,
    ) -> Self {
        Self {
            constructor,
            children,
            mcp: Arc::new(Unbound),
            cli: Arc::new(Unbound),
            secrets: Vec::new(),
            variables: Vec::new(),
            worker_threads: None,
            commands: Vec::new(),
            decode_context,
        }
    }

    /// Binds parts for calls that come over MCP (`serve` and `try`), and for those alone. A second call replaces the first.
    #[must_use]
    pub fn mcp(mut self, binding: impl Binding<A>) -> Self {
        self.mcp = Arc::new(binding);
        self
    }

    /// Binds parts for the `call` command, and for it alone. A second call replaces the first.
    #[must_use]
    pub fn cli(mut self, binding: impl Binding<A>) -> Self {
        self.cli = Arc::new(binding);
        self
    }

    /// Masks `value` wherever it stands in what leaves the process; `name` tells it apart in `check`. A value under 8
    /// bytes is not searched for, and `check` says so.
    #[must_use]
    pub fn secret(mut self, name: impl Into<String>, value: SecretString) -> Self {
        self.secrets.push(Secret::Value(name.into(), value));
        self
    }

    /// The same with the value of an environment variable, if it is set. Variables whose name says secret (`PASSWORD`,
    /// `API_KEY`, ..) need no such line.
    #[must_use]
    pub fn secret_variable(mut self, name: impl Into<String>) -> Self {
        self.secrets.push(Secret::Variable(name.into()));
        self
    }

    /// Names a variable that the application reads, so that `check` can say whether it is set. Its value is not masked.
    #[must_use]
    pub fn variable(mut self, name: impl Into<String>) -> Self {
        self.variables.push(name.into());
        self
    }

    /// Runs the application on `threads` threads instead of one. Calls are admitted one at a time either way; this is
    /// for operations that spawn. 0 counts as 1.
    #[must_use]
    pub fn worker_threads(mut self, threads: usize) -> Self {
        self.worker_threads = Some(threads.max(1));
        self
    }

    /// Adds a command of the application's own, shown in `--help`. `run` gets the arguments after the name, with the
    /// ordinary standard streams; opgate does nothing else for it. A name that opgate uses is never reached.
    #[must_use]
    pub fn command(
        mut self,
        name: &'static str,
        about: &'static str,
        run: impl FnOnce(Vec<OsString>) -> ExitCode + 'static,
    ) -> Self {
        self.commands.push(OwnCommand { name, about, run: Box::new(run) });
        self
    }

    /// Reads the command line and runs the command. Returns when it has ended; see the README for exit statuses.
    #[must_use = "it is what main returns"]
    pub fn run(self) -> ExitCode {
        cli::run(self)
    }
}
