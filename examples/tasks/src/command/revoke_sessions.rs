//! `tasks revoke-sessions`: takes all sessions of an owner away.

use std::ffi::OsString;
use std::process::ExitCode;

use backend::{command, session::Owner};
use clap::Parser;

use crate::environment;
use crate::store::Store;

/// Make every session of an owner invalid, from the next call on
#[derive(Debug, Parser)]
#[command(name = "tasks revoke-sessions")]
struct Arguments {
    /// Whose sessions
    #[arg(long)]
    owner: Owner,
}

/// Runs the command.
#[must_use]
pub fn main(arguments: Vec<OsString>) -> ExitCode {
    command::run("tasks revoke-sessions", arguments, async |Arguments { owner }| {
        let store = Store::open(&environment::database()?).await?;
        let revoked = store.revoke_sessions(&owner).await;
        store.close().await;
        match revoked? {
            // A slip in the name must not look like sessions taken away.
            0 => Err("that owner has no session; nothing was revoked".into()),
            revoked => {
                command::say(&format!("{revoked} revoked"));
                Ok(())
            }
        }
    })
}
