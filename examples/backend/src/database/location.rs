//! Where a database is.

use std::path::{Path, PathBuf};

use crate::environment::{EnvironmentError, variable};

/// The file that holds the database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location(PathBuf);

impl Location {
    /// Reads `sqlite:PATH`, `sqlite://PATH` or a plain path; `None` for another scheme or no path at all. A relative
    /// path is relative to the working directory of the process.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let path = match text.split_once(':') {
            Some(("sqlite", rest)) => rest.strip_prefix("//").unwrap_or(rest),
            Some((scheme, _)) if scheme.chars().all(|c| c.is_ascii_alphanumeric()) => return None,
            _ => text,
        };
        if path.is_empty() || path == ":memory:" {
            return None;
        }
        Some(Self(PathBuf::from(path)))
    }

    /// The location in a variable; `wanted` says what it has to hold.
    ///
    /// # Errors
    ///
    /// When the variable is unset, empty, not text, or names no database.
    pub fn from_variable(name: &'static str, wanted: &'static str) -> Result<Self, EnvironmentError> {
        Self::parse(&variable(name, wanted)?).ok_or(EnvironmentError::UnknownDatabase { name })
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
            assert!(Location::parse(text).is_none(), "{text}");
        }
    }
}
