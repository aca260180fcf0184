//! `tasks issue-session`: gives an owner a session, shown this once.

use std::{ffi::OsString, process::ExitCode, time::Duration};

use backend::{command, session::Owner};
use clap::Parser;
use jiff::Timestamp;
use secrecy::ExposeSecret as _;

use crate::{environment, store::Store};

/// Print a new session for `TASK_SESSION`; it is stored as a hash and cannot be shown again
#[derive(Debug, Parser)]
#[command(name = "tasks issue-session")]
struct Arguments {
    /// Whose jobs and reports the session reaches
    #[arg(long)]
    owner: Owner,
    /// How many days it is valid; without this it is valid until it is revoked
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=3650))]
    days: Option<u32>,
}

/// Runs the command.
#[must_use]
pub fn main(arguments: Vec<OsString>) -> ExitCode {
    command::run("tasks issue-session", arguments, async |Arguments { owner, days }| {
        let store = Store::open(&environment::database()?).await?;
        let now = Timestamp::now();
        let expires_at = days.map(|days| now + Duration::from_hours(u64::from(days) * 24));
        let session = store.issue_session(&owner, expires_at, now).await?;
        store.close().await;
        // The only line on standard output, so that a shell can take it into a variable.
        command::print(session.expose_secret())?;
        Ok(())
    })
}
