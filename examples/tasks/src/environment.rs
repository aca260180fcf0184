//! The two variables that configure a process: `TASK_DATABASE` and `TASK_SESSION`.

use std::path::{Path, PathBuf};

use backend::database::Location;
use backend::environment::{EnvironmentError, variable};
use secrecy::SecretString;

/// The variable that names the database.
pub const DATABASE: &str = "TASK_DATABASE";
/// The variable that holds the session.
pub const SESSION: &str = "TASK_SESSION";

/// The location in `TASK_DATABASE`.
///
/// # Errors
///
/// When the variable is unset, empty, not text, or names no database.
pub fn database() -> Result<Location, EnvironmentError> {
    Location::from_variable(
        DATABASE,
        "the database, for example sqlite:var/tasks.db (relative to the working directory) or postgres://HOST/DATABASE",
    )
}

/// The session in `TASK_SESSION`.
///
/// # Errors
///
/// When the variable is unset, empty or not text.
pub fn session() -> Result<SecretString, EnvironmentError> {
    variable(SESSION, "a session printed by `tasks issue-session --owner NAME`").map(SecretString::from)
}

/// The launch file of this example: in the workspace when cargo runs the program, else under the
/// working directory.
pub(crate) fn launch_file() -> PathBuf {
    let root = std::env::var_os("CARGO_MANIFEST_DIR").map(|example| Path::new(&example).join("../.."));
    root.unwrap_or_default().join("config/tasks.toml")
}
