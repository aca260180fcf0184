//! The commands of an entry.

mod bound;
mod call;
mod check;
mod exit;
mod list;
mod prompts;
mod serve;
mod start;
mod try_it;
mod usage;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::ArgMatches;

use crate::application::Application;
use crate::entry::{Entry, OwnCommand};

use exit::Exit;

/// Reads the command line of this process and runs its command.
pub(crate) fn run<A: Application>(mut entry: Entry<A>) -> ExitCode {
    let commands = std::mem::take(&mut entry.commands);
    let matches = match usage::command(&commands).try_get_matches() {
        Ok(matches) => matches,
        Err(error) => {
            // A reader that has gone away is no error of ours.
            let _ = error.print();
            return if error.use_stderr() { Exit::Usage.into() } else { Exit::Ok.into() };
        }
    };
    match matches.subcommand() {
        Some(("serve", arguments)) => serve::run(entry, usage::launch(arguments)).into(),
        Some(("check", arguments)) => check::run(entry, usage::launch(arguments), arguments.get_flag("json")).into(),
        Some(("list", arguments)) => list::run(entry, usage::launch(arguments), arguments.get_flag("json")).into(),
        Some(("call", arguments)) => call::run(entry, arguments).into(),
        Some(("try", arguments)) => try_it::run(arguments).into(),
        Some((name, arguments)) => match prompts::run(name, arguments) {
            Some(exit) => exit.into(),
            None => own(commands, name, arguments),
        },
        None => Exit::Usage.into(),
    }
}

/// The commands that need no application, for the `opgate` program; `None` if the command line names none of them.
pub(crate) fn run_without_application() -> Option<ExitCode> {
    let named = std::env::args_os().nth(1)?;
    if !prompts::commands().iter().any(|command| named.to_str() == Some(command.get_name())) {
        return None;
    }
    let command = clap::Command::new(usage::binary_name()).subcommands(prompts::commands());
    Some(match command.try_get_matches() {
        Ok(matches) => {
            let exit = matches.subcommand().and_then(|(name, arguments)| prompts::run(name, arguments));
            exit.unwrap_or(Exit::Usage).into()
        }
        Err(error) => {
            let _ = error.print();
            if error.use_stderr() { Exit::Usage.into() } else { Exit::Ok.into() }
        }
    })
}

fn own(commands: Vec<OwnCommand>, name: &str, arguments: &ArgMatches) -> ExitCode {
    let arguments: Vec<OsString> = arguments.get_many("arguments").into_iter().flatten().cloned().collect();
    match commands.into_iter().find(|command| command.name == name) {
        Some(command) => (command.run)(arguments),
        None => Exit::Usage.into(),
    }
}
