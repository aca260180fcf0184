//! `notes issue-session`: gives a user a session, shown this once.

use std::{ffi::OsString, process::ExitCode};

use backend::{command, session::Owner};
use clap::Parser;
use jiff::Timestamp;
use secrecy::ExposeSecret as _;

use crate::environment;
use crate::session::{Audience, Expiry, Issued, Method};
use crate::store::Store;

/// Print a new session of a user; it is stored as a hash and cannot be shown again
///
/// The session alone goes to standard output. Its id, for `revoke-session`, goes to standard error.
#[derive(Debug, Parser)]
#[command(name = "notes issue-session")]
struct Arguments {
    /// Whose notes the session reaches
    #[arg(long, value_name = "NAME")]
    user: Owner,
    /// The operations it may be used for, separated by commas
    #[arg(long, value_name = "OPERATIONS", required = true, value_delimiter = ',')]
    audience: Vec<Method>,
    /// When it ends: after a span (12h, 30d, 1y) or at a time (2030-01-31T09:00:00+01:00)
    #[arg(long, value_name = "SPAN|TIME")]
    expires: Expiry,
}

/// Runs the command.
#[must_use]
pub fn main(arguments: Vec<OsString>) -> ExitCode {
    command::run("notes issue-session", arguments, async |arguments: Arguments| {
        let now = Timestamp::now();
        let audience = Audience::new(arguments.audience).ok_or("--audience names no operation")?;
        let expires_at = arguments.expires.from(now).ok_or("--expires is not in the future")?;
        let store = Store::open(&environment::database()?).await?;
        let issued = store.issue_session(&arguments.user, &audience, expires_at, now).await;
        store.close().await;
        let Issued { session, id } = issued?;
        // The only line on standard output, so that a shell can take it into a variable.
        command::print(session.expose_secret())?;
        command::say(&format!("{id}: for {audience}, until {}", expires_at.round(jiff::Unit::Second)?));
        Ok(())
    })
}
