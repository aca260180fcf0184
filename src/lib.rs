//! The one small, guarded door between an MCP host and an application's business functions.
//!
//! A team declares operations of its application; a trusted launch file says which of them one process exposes, as
//! which identity and within which bounds; an MCP host starts that process and calls them as tools, one at a time.
//!
//! ```
//! use opgate::{Application, Effect, Failure, Operation, Retry};
//! use schemars::JsonSchema;
//! use serde::Deserialize;
//!
//! struct Greeter;
//! struct Greetings(&'static str);
//!
//! #[derive(Deserialize, JsonSchema)]
//! #[serde(deny_unknown_fields)]
//! struct Person {
//!     name: String,
//! }
//!
//! impl Application for Greeter {
//!     type Running = Greetings;
//!     type Context = ();
//!
//!     fn operations(&self) -> Vec<Operation<Self>> {
//!         vec![
//!             Operation::new("greeter", "greet", Greetings::greet)
//!                 .describe("Greet a person by name.")
//!                 .effect(Effect::Read)
//!                 .retry(Retry::Safe)
//!                 .output("The greeting."),
//!         ]
//!     }
//!
//!     async fn start(&self) -> Result<Greetings, Failure> {
//!         Ok(Greetings("Hello"))
//!     }
//! }
//!
//! impl Greetings {
//!     async fn greet(&self, person: Person) -> Result<String, Failure> {
//!         Ok(format!("{}, {}!", self.0, person.name))
//!     }
//! }
//!
//! fn main() -> std::process::ExitCode {
//!     # if std::env::args().len() == 1 {
//!     #     // Without a command there is nothing to run: look at the declaration instead.
//!     #     assert_eq!(Greeter.operations()[0].declaration().name(), "greeter.greet");
//!     #     return std::process::ExitCode::SUCCESS;
//!     # }
//!     opgate::run(|| Ok::<_, Failure>(Greeter))
//! }
//! ```
//!
//! Foreign types in this API: serde, `serde_json::Value`, schemars' `JsonSchema`, secrecy's `SecretString`.

#[cfg(not(unix))]
compile_error!("opgate runs on Unix: it hands descriptors, signals and process groups to the protocol's guard");
#[cfg(panic = "abort")]
compile_error!("opgate contains panics of operations, which needs panic = \"unwind\"");

mod application;
mod ask;
mod audit;
mod binding;
mod catalog;
#[cfg(any(test, fuzzing))]
#[doc(hidden)]
pub mod checks;
mod cli;
mod diagnostic;
mod door;
mod entry;
mod environment;
mod failure;
mod fingerprint;
mod gate;
mod key;
mod launch;
#[cfg(any(test, benching))]
#[doc(hidden)]
pub mod measured;
mod operation;
mod process;
mod redaction;
mod runtime;
mod scan;
mod schema;
mod shutdown;
mod stdio;
mod way;

pub use application::Application;
pub use binding::{Answer, Binding, Call, Part};
pub use entry::{Entry, run};
pub use failure::Failure;
pub use operation::{Cancellation, ContextHandler, Declaration, Effect, Handler, NoInput, Operation, Retry};
pub use process::run_process_application;
