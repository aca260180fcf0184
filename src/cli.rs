//! The commands of an entry.

mod bound;
mod call;
mod check;
mod exit;
mod frames;
mod host_config;
mod init;
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
use crate::entry::{Constructor, Entry, OwnCommand};

use exit::Exit;

/// Reads the command line of this process and runs its command.
pub(crate) fn run<A: Application>(mut entry: Entry<A>) -> ExitCode {
    let commands = std::mem::take(&mut entry.commands);
    let described = matches!(entry.constructor, Constructor::Described(_));
    let matches = match usage::command(&commands, described).try_get_matches() {
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
        Some(("init", arguments)) => init::run(entry, arguments).into(),
        Some(("host-config", arguments)) => host_config::run(entry, arguments).into(),
        Some(("completions", arguments)) => usage::completions(usage::command(&commands, described), arguments).into(),
        Some((name, arguments)) => match prompts::run(name, arguments) {
            Some(exit) => exit.into(),
            None => own(commands, name, arguments),
        },
        None => Exit::Usage.into(),
    }
}

fn own(commands: Vec<OwnCommand>, name: &str, arguments: &ArgMatches) -> ExitCode {
    let arguments: Vec<OsString> = arguments.get_many("arguments").into_iter().flatten().cloned().collect();
    match commands.into_iter().find(|command| command.name == name) {
        Some(command) => (command.run)(arguments),
        None => Exit::Usage.into(),
    }
}
