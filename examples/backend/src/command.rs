//! Commands beside those that opgate brings: each a function from arguments to an exit status.
//!
//! Exit status: 0; 1 when the command failed; 2 for bad arguments.

use std::error::Error;
use std::ffi::OsString;
use std::io::Write as _;
use std::process::ExitCode;

use clap::Parser;

use crate::causes::chain;

/// Reads the arguments and runs `command` on a runtime of its own. Its error, with its causes, is told on standard
/// error.
pub fn run<A: Parser>(
    name: &'static str,
    arguments: Vec<OsString>,
    command: impl AsyncFnOnce(A) -> Result<(), Box<dyn Error>>,
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
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return failed(name, &error),
    };
    match runtime.block_on(command(arguments)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failed(name, &*error),
    }
}

fn failed(name: &str, error: &(dyn Error + 'static)) -> ExitCode {
    say(&format!("{name}: {}", chain(error)));
    ExitCode::FAILURE
}

/// One line on standard error; lost if nobody reads it.
pub fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// One line on standard output.
///
/// # Errors
///
/// When nobody takes it.
#[expect(clippy::disallowed_methods, reason = "a command of its own prints its result; no frames are served here")]
pub fn print(line: &str) -> std::io::Result<()> {
    writeln!(std::io::stdout(), "{line}")
}
