//! `notes migrate`: makes the database, or brings it up to date.

use std::{ffi::OsString, process::ExitCode};

use backend::command;
use clap::Parser;

use crate::{environment, store::Store};

/// Make the database that `NOTES_DATABASE` names, or bring its tables up to date
#[derive(Debug, Parser)]
#[command(name = "notes migrate")]
struct Arguments {}

/// Runs the command.
#[must_use]
pub fn main(arguments: Vec<OsString>) -> ExitCode {
    command::run("notes migrate", arguments, async |Arguments {}| {
        Store::migrate(&environment::database()?).await?.close().await;
        command::say("the database is ready");
        Ok(())
    })
}
