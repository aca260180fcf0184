//! The two variables that configure a process: `TASK_DATABASE` and `TASK_SESSION`.
//!
//! Neither has a default: a queue that is quietly created somewhere else, or opened as somebody
//! else, is worse than a refusal.

use std::path::{Path, PathBuf};

use secrecy::SecretString;

/// The variable that names the database.
pub const DATABASE: &str = "TASK_DATABASE";
/// The variable that holds the session.
pub const SESSION: &str = "TASK_SESSION";

/// Why the environment cannot be used. The text names the variable, never its value.
#[derive(Debug, thiserror::Error)]
pub enum EnvironmentError {
    /// Unset, or set to nothing.
    #[error("{name} is not set: set it to {wanted}")]
    Unset {
        /// The variable.
        name: &'static str,
        /// What it has to hold.
        wanted: &'static str,
    },
    /// Set to bytes that are not text.
    #[error("{name} is not valid UTF-8")]
    NotText {
        /// The variable.
        name: &'static str,
    },
    /// A database this program cannot open.
    #[error("{DATABASE} names an unknown kind of database: use sqlite:PATH or a plain path")]
    UnknownDatabase,
}

/// The file that holds the database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location(PathBuf);

impl Location {
    /// Reads `sqlite:PATH`, `sqlite://PATH` or a plain path. A relative path is relative to the
    /// working directory of the process.
    ///
    /// # Errors
    ///
    /// [`EnvironmentError::UnknownDatabase`] for another scheme or no path at all.
    pub fn parse(text: &str) -> Result<Self, EnvironmentError> {
        let path = match text.split_once(':') {
            Some(("sqlite", rest)) => rest.strip_prefix("//").unwrap_or(rest),
            Some((scheme, _)) if scheme.chars().all(|c| c.is_ascii_alphanumeric()) => {
                return Err(EnvironmentError::UnknownDatabase);
            }
            _ => text,
        };
        if path.is_empty() || path == ":memory:" {
            return Err(EnvironmentError::UnknownDatabase);
        }
        Ok(Self(PathBuf::from(path)))
    }

    /// The location in `TASK_DATABASE`.
    ///
    /// # Errors
    ///
    /// When the variable is unset, empty, not text, or names no database.
    pub fn from_environment() -> Result<Self, EnvironmentError> {
        let wanted = "the database, for example sqlite:var/tasks.db (relative to the working directory)";
        Self::parse(&variable(DATABASE, wanted)?)
    }

    /// The path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl From<PathBuf> for Location {
    fn from(path: PathBuf) -> Self {
        Self(path)
    }
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

#[expect(clippy::disallowed_methods, reason = "this module owns the environment of the application")]
fn variable(name: &'static str, wanted: &'static str) -> Result<String, EnvironmentError> {
    match std::env::var(name) {
        Ok(value) if !value.is_empty() => Ok(value),
        Ok(_) | Err(std::env::VarError::NotPresent) => Err(EnvironmentError::Unset { name, wanted }),
        Err(std::env::VarError::NotUnicode(_)) => Err(EnvironmentError::NotText { name }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_location_is_a_path_with_or_without_its_scheme() {
        for text in ["var/tasks.db", "sqlite:var/tasks.db", "sqlite://var/tasks.db"] {
            assert_eq!(Location::parse(text).unwrap().path(), Path::new("var/tasks.db"), "{text}");
        }
    }

    #[test]
    fn other_databases_are_refused() {
        for text in ["postgres://host/db", "sqlite:", "sqlite::memory:", ""] {
            assert!(Location::parse(text).is_err(), "{text}");
        }
    }
}
