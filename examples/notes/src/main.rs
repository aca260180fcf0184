//! The `notes` program: the entry that hosts start, and the commands of the people who run it.

use std::process::ExitCode;

use notes::application::Notes;
use notes::{command, environment};

fn main() -> ExitCode {
    opgate::Entry::new(Notes::from_environment)
        // The address of a database may hold its password.
        .secret_variable(environment::DATABASE)
        .command("migrate", "Make the database, or bring its tables up to date", command::migrate::main)
        .command("issue-session", "Print a new session of a user", command::issue_session::main)
        .command("revoke-session", "Make a session, or all of a user, invalid", command::revoke_session::main)
        .run()
}
