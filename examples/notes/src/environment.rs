//! The variable that says where the notes are: `NOTES_DATABASE`. Sessions come from the launch context instead.

use backend::{database::Location, environment::EnvironmentError};

/// The variable that names the database.
pub const DATABASE: &str = "NOTES_DATABASE";

/// The location in `NOTES_DATABASE`.
///
/// # Errors
///
/// When the variable is unset, empty, not text, or names no database.
pub fn database() -> Result<Location, EnvironmentError> {
    Location::from_variable(
        DATABASE,
        "the database, for example sqlite:var/notes.db (relative to the working directory) or postgres://HOST/DATABASE",
    )
}
