//! The `opgate` program. It will serve applications written in other languages; a native application is its own program.

use std::io::Write;
use std::process::ExitCode;

const ABOUT: &str = "\
opgate lets an AI agent call a few chosen functions of an application, and nothing else.

This version serves native applications: Rust programs that use the opgate library. Each of them is its own program
with the commands serve, check, list, call and try; run it with --help. Applications in other languages, which this
program will serve, are not in this version.

  opgate pending      show the prompts that wait for an answer of this user, of all such programs
  opgate allow ID     say yes to one of them
  opgate deny ID      say no
";

fn main() -> ExitCode {
    if let Some(exit) = opgate::answer_prompts() {
        return exit;
    }
    let asked = std::env::args_os().nth(1);
    if asked.is_some_and(|argument| argument == "--help" || argument == "-h") {
        // A reader that has gone away is no error.
        #[expect(clippy::disallowed_methods, reason = "no frames are written by this program")]
        let _ = std::io::stdout().write_all(ABOUT.as_bytes());
        return ExitCode::SUCCESS;
    }
    let _ = std::io::stderr().write_all(ABOUT.as_bytes());
    ExitCode::from(2)
}
