//! The commands beside those that opgate brings: each a function from arguments to an exit status.
//!
//! Exit status: 0; 1 when the command failed; 2 for bad arguments.

pub mod demo;
pub mod issue_session;
pub mod migrate;
pub mod revoke_sessions;
pub mod worker;

use std::{ffi::OsString, io::Write as _, process::ExitCode};

use clap::Parser;

use crate::{causes::chain, environment::EnvironmentError, store::StoreError};

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
enum CommandError {
    #[error(transparent)]
    Environment(#[from] EnvironmentError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Demo(#[from] demo::DemoError),
    #[error("the runtime or a standard stream failed")]
    Io(#[from] std::io::Error),
}

/// Reads the arguments and runs `command` on a runtime of its own.
fn run<A: Parser>(
    name: &'static str,
    arguments: Vec<OsString>,
    command: impl AsyncFnOnce(A) -> Result<(), CommandError>,
) -> ExitCode {
    let words = std::iter::once(OsString::from(name)).chain(arguments);
    let arguments = match A::try_parse_from(words) {
        Ok(arguments) => arguments,
        Err(error) => {
            // Nobody is left to tell when the stream is closed.
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    let outcome = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(CommandError::from)
        .and_then(|runtime| runtime.block_on(command(arguments)));
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say(&format!("{name}: {}", chain(&error)));
            ExitCode::FAILURE
        }
    }
}

/// One line on standard error; lost if nobody reads it.
fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// One line on standard output.
#[expect(clippy::disallowed_methods, reason = "a command of its own prints its result; no frames are served here")]
fn print(line: &str) -> std::io::Result<()> {
    writeln!(std::io::stdout(), "{line}")
}
