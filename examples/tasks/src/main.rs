//! The `tasks` program: the entry that hosts start, and the commands of the people who run the queue.

use std::process::ExitCode;

use tasks::application::Tasks;
use tasks::{command, environment};

fn main() -> ExitCode {
    opgate::Entry::new(Tasks::from_environment)
        // The address of a database may hold its password.
        .secret_variable(environment::DATABASE)
        .secret_variable(environment::SESSION)
        .command("migrate", "Make the database, or bring its tables up to date", command::migrate::main)
        .command("issue-session", "Print a new session of an owner", command::issue_session::main)
        .command("revoke-sessions", "Make all sessions of an owner invalid", command::revoke_sessions::main)
        .command("worker", "Run queued jobs until told to stop", command::worker::main)
        .command("demo", "Show the whole way of one report", command::demo::main)
        .run()
}
