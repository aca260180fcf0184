//! The `opgate` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(3)
}
