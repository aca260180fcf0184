//! The `opgate` program: applications in any language, described by an `application.toml`. A native application is its
//! own program with the same commands.

use std::process::ExitCode;

fn main() -> ExitCode {
    opgate::run_process_application()
}
