//! `pending`, `allow` and `deny`: the prompts of `ask = "terminal"`, of all of this user's opgate processes. No
//! application code runs here.

use std::fs::File;
use std::os::fd::AsFd;

use clap::{Arg, ArgAction, ArgMatches, Command};
use serde_json::json;

use super::exit::Exit;
use super::start::{print, say};
use super::usage::binary_name;
use crate::ask::terminal::desk::{Pending, answer, pending};
use crate::ask::visible::line;
use crate::catalog::canonical;
use crate::environment::Environment;

/// The three commands, for every program that has them.
pub(super) fn commands() -> [Command; 3] {
    let id =
        Arg::new("ID").required(true).help("The prompt's id, from `pending`, or the first 6 characters of it or more");
    let json = Arg::new("json").long("json").action(ArgAction::SetTrue).help("Print JSON for a program");
    [
        Command::new("pending").about("Show the prompts that wait for an answer of this user").arg(json.clone()),
        Command::new("allow").about("Say yes to a prompt that `pending` shows").arg(id.clone()).arg(json.clone()),
        Command::new("deny").about("Say no to a prompt that `pending` shows").arg(id).arg(json),
    ]
}

/// Runs one of the three, if `name` is one.
pub(super) fn run(name: &str, arguments: &ArgMatches) -> Option<Exit> {
    let as_json = || arguments.get_flag("json");
    Some(match name {
        "pending" => show(as_json()),
        "allow" | "deny" => decide(name, arguments.get_one::<String>("ID").map_or("", String::as_str), as_json()),
        _ => return None,
    })
}

fn show(as_json: bool) -> Exit {
    let (prompts, problems) = pending(&Environment::read());
    let broken = !problems.is_empty();
    for problem in problems {
        say(&rustix::stdio::stderr(), &format!("opgate: {problem}"));
    }
    let text = if as_json {
        let prompts: Vec<_> = prompts.iter().map(for_programs).collect();
        canonical(&json!({ "prompts": prompts })) + "\n"
    } else if prompts.is_empty() {
        "No prompt waits for an answer.\n".to_owned()
    } else {
        prompts.iter().map(for_people).collect::<Vec<_>>().join("\n")
    };
    match out(&text) {
        Exit::Ok if broken => Exit::Failed,
        exit => exit,
    }
}

fn for_programs(pending: &Pending) -> serde_json::Value {
    json!({
        "id": pending.id, "process": pending.process, "seconds_left": pending.seconds_left, "prompt": pending.prompt,
    })
}

fn for_people(pending: &Pending) -> String {
    let (name, id) = (binary_name(), line(&pending.id));
    format!(
        "{}  process    {}, waits {} s more\n  answer     {name} allow {id}\n             {name} deny {id}\n",
        pending.text(),
        pending.process,
        pending.seconds_left
    )
}

fn decide(verb: &str, id: &str, as_json: bool) -> Exit {
    match answer(&Environment::read(), id, verb) {
        Ok(pending) if as_json => {
            let answer = if verb == "allow" { "yes" } else { "no" };
            out(&(canonical(&json!({ "answered": answer, "digest": pending.digest(), "id": pending.id })) + "\n"))
        }
        Ok(pending) => {
            let done = if verb == "allow" { "Allowed" } else { "Denied" };
            out(&format!("{done} the prompt with the digest {}.\n", line(pending.digest())))
        }
        Err(problem) => {
            say(&rustix::stdio::stderr(), &format!("opgate: {problem}"));
            Exit::Failed
        }
    }
}

/// No frames are written by these commands: standard output is for the person.
fn out(text: &str) -> Exit {
    let written = rustix::stdio::stdout().as_fd().try_clone_to_owned().and_then(|out| print(File::from(out), text));
    if written.is_ok() { Exit::Ok } else { Exit::Failed }
}
