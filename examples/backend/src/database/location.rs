//! Where a database is.

use std::fmt::{self, Write as _};
use std::path::{Path, PathBuf};
use std::str::FromStr as _;

use secrecy::{ExposeSecret as _, SecretString};
use sqlx::any::AnyConnectOptions;

use crate::environment::{EnvironmentError, variable};

/// A file of SQLite, or a database of a PostgreSQL server. Shown, it says nothing that is secret.
#[derive(Debug, Clone)]
pub enum Location {
    /// The file that holds the database.
    Sqlite(PathBuf),
    /// A URL, which may hold a password.
    Postgres(SecretString),
}

impl Location {
    /// Reads `sqlite:PATH`, `sqlite://PATH`, a plain path, or a `postgres://` or `postgresql://` URL; `None` for another
    /// scheme, no path at all, or what is no URL. A relative path is relative to the working directory of the process.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let path = match text.split_once(':') {
            Some(("sqlite", rest)) => rest.strip_prefix("//").unwrap_or(rest),
            Some(("postgres" | "postgresql", rest)) => {
                let is_url = rest.starts_with("//") && AnyConnectOptions::from_str(text).is_ok();
                return is_url.then(|| Self::Postgres(text.into()));
            }
            Some((scheme, _)) if scheme.chars().all(|c| c.is_ascii_alphanumeric()) => return None,
            _ => text,
        };
        if path.is_empty() || path == ":memory:" {
            return None;
        }
        Some(Self::Sqlite(PathBuf::from(path)))
    }

    /// The location in a variable; `wanted` says what it has to hold.
    ///
    /// # Errors
    ///
    /// When the variable is unset, empty, not text, or names no database.
    pub fn from_variable(name: &'static str, wanted: &'static str) -> Result<Self, EnvironmentError> {
        Self::parse(&variable(name, wanted)?).ok_or(EnvironmentError::UnknownDatabase { name })
    }

    /// The file of a database that is one.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Sqlite(path) => Some(path),
            Self::Postgres(_) => None,
        }
    }

    /// How to connect; `create` lets a missing file be made.
    pub(super) fn options(&self, create: bool) -> Result<AnyConnectOptions, sqlx::Error> {
        match self {
            Self::Sqlite(path) => AnyConnectOptions::from_str(&sqlite_url(path, create)),
            Self::Postgres(url) => AnyConnectOptions::from_str(url.expose_secret()),
        }
    }
}

/// A URL whose path nothing rewrites: no character of it means anything to a URL.
fn sqlite_url(path: &Path, create: bool) -> String {
    let mut url = String::from("sqlite:");
    for byte in path.as_os_str().as_encoded_bytes() {
        // Writing to a String cannot fail.
        let _ = write!(url, "%{byte:02X}");
    }
    url + if create { "?mode=rwc" } else { "?mode=rw" }
}

impl From<PathBuf> for Location {
    fn from(path: PathBuf) -> Self {
        Self::Sqlite(path)
    }
}

impl fmt::Display for Location {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(path) => path.display().fmt(to),
            Self::Postgres(_) => to.write_str("the PostgreSQL database"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_location_is_a_path_with_or_without_its_scheme() {
        for text in ["var/tasks.db", "sqlite:var/tasks.db", "sqlite://var/tasks.db"] {
            assert_eq!(Location::parse(text).unwrap().path(), Some(Path::new("var/tasks.db")), "{text}");
        }
    }

    #[test]
    fn or_the_url_of_a_server_which_is_never_shown() {
        for text in ["postgres://me:hunter2@host/db", "postgresql:///db?host=/run/postgresql"] {
            let location = Location::parse(text).unwrap();
            assert!(matches!(&location, Location::Postgres(url) if url.expose_secret() == text));
            let shown = format!("{location} {location:?}");
            assert!(!shown.contains("hunter2") && !shown.contains("host"), "{shown}");
        }
    }

    #[test]
    fn other_databases_are_refused() {
        for text in
            ["mysql://host/db", "postgres:", "postgres:db", "postgres://host:port/db", "sqlite:", "sqlite::memory:", ""]
        {
            assert!(Location::parse(text).is_none(), "{text}");
        }
    }
}
