//! What SQLite and PostgreSQL do not have in common, but for the migrations.

use super::Location;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    Sqlite,
    Postgres,
}

impl Dialect {
    pub(super) fn of(location: &Location) -> Self {
        match location {
            Location::Sqlite(_) => Self::Sqlite,
            Location::Postgres(_) => Self::Postgres,
        }
    }

    /// What each connection is told first. Ten seconds are longer than any transaction of an example by far: who waits
    /// that long has met a stuck one. A process that is paused in mid-transaction must not keep its locks.
    pub(super) fn settings(self) -> &'static str {
        match self {
            // Nothing here may read the file: a pool tries again what fails here, and what is no database stays none.
            Self::Sqlite => "PRAGMA busy_timeout = 10000; PRAGMA foreign_keys = ON",
            Self::Postgres => "SET lock_timeout = '10s'; SET idle_in_transaction_session_timeout = '10s'",
        }
    }

    /// How a transaction begins that may write. SQLite takes the write lock at once: a lock taken between a read and a
    /// write could fail half-way.
    pub(super) fn begin(self) -> &'static str {
        match self {
            Self::Sqlite => "BEGIN IMMEDIATE",
            Self::Postgres => "BEGIN",
        }
    }

    /// What makes a `SELECT` pass over rows that another transaction holds. SQLite has one writer at a time.
    pub(super) fn unlocked(self) -> &'static str {
        match self {
            Self::Sqlite => "",
            Self::Postgres => "FOR UPDATE SKIP LOCKED",
        }
    }

    /// Whether a table is not there.
    pub(super) fn is_no_table(self, error: &sqlx::Error) -> bool {
        let sqlx::Error::Database(error) = error else { return false };
        match self {
            Self::Sqlite => error.message().starts_with("no such table"),
            Self::Postgres => error.code().as_deref() == Some("42P01"),
        }
    }

    /// Whether the server has no such database.
    pub(super) fn is_no_database(self, error: &sqlx::Error) -> bool {
        let sqlx::Error::Database(error) = error else { return false };
        self == Self::Postgres && error.code().as_deref() == Some("3D000")
    }
}
