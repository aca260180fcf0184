//! `notes revoke-session`: takes a session away, or all of a user.

use std::{ffi::OsString, process::ExitCode};

use backend::{command, session::Owner};
use clap::{Args, Parser};
use jiff::Timestamp;

use crate::environment;
use crate::store::Store;

/// Make a session invalid, from the next call on
#[derive(Debug, Parser)]
#[command(name = "notes revoke-session")]
struct Arguments {
    #[command(flatten)]
    which: Which,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct Which {
    /// The id that `issue-session` told on standard error
    #[arg(long)]
    id: Option<String>,
    /// All sessions of this user
    #[arg(long, value_name = "NAME")]
    user: Option<Owner>,
}

/// Runs the command.
#[must_use]
pub fn main(arguments: Vec<OsString>) -> ExitCode {
    command::run("notes revoke-session", arguments, async |Arguments { which }| {
        let store = Store::open(&environment::database()?).await?;
        let revoked = revoke(&store, which).await;
        store.close().await;
        // A name with a slip in it must not look like a session taken away.
        match revoked? {
            0 => Err("there is no such session; nothing was revoked".into()),
            revoked => {
                command::say(&format!("{revoked} revoked"));
                Ok(())
            }
        }
    })
}

async fn revoke(store: &Store, which: Which) -> Result<u64, crate::store::StoreError> {
    let now = Timestamp::now();
    match (which.id, which.user) {
        (Some(id), _) => store.revoke_session(&id, now).await.map(u64::from),
        (_, Some(user)) => store.revoke_sessions(&user, now).await,
        (None, None) => Ok(0),
    }
}
