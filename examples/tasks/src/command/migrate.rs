//! `tasks migrate`: makes the database, or brings it up to date.

use std::{ffi::OsString, process::ExitCode};

use backend::command;
use clap::Parser;

use crate::{environment, store::Store};

/// Make the database that `TASK_DATABASE` names, or bring its tables up to date
#[derive(Debug, Parser)]
#[command(name = "tasks migrate")]
struct Arguments {}

/// Runs the command.
#[must_use]
pub fn main(arguments: Vec<OsString>) -> ExitCode {
    command::run("tasks migrate", arguments, async |Arguments {}| {
        let location = environment::database()?;
        Store::migrate(&location).await?.close().await;
        command::say(&format!("{location} is ready"));
        Ok(())
    })
}
