//! Sessions and notes in one SQL database.
//!
//! Invariant: each statement about a note names its owner, so a foreign note and an unknown one cannot be told apart.
//! The clock is the caller's. The SQL is what SQLite and PostgreSQL have in common, by the rules of
//! `backend::database`, except for the migrations.

mod notes;
mod sessions;

use backend::database::{Database, DatabaseError, Location, Migrations};
use sqlx::migrate;

pub use self::notes::Refusal;

static MIGRATIONS: Migrations =
    Migrations { sqlite: migrate!("migrations/sqlite"), postgres: migrate!("migrations/postgres") };

/// Why the store cannot do something.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The operating system has no randomness.
    #[error("no randomness")]
    Randomness(#[from] getrandom::Error),
    /// The database itself.
    #[error("the database failed")]
    Database(#[from] sqlx::Error),
}

/// An open store. Cloning shares it.
#[derive(Debug, Clone)]
pub struct Store(Database);

impl Store {
    /// Creates a file if need be, with the folders above it, and brings the tables up to date. Running it again changes
    /// nothing. A database of a server is there already.
    ///
    /// # Errors
    ///
    /// When a folder or the file cannot be made, the server has no such database, or a migration fails.
    pub async fn migrate(location: &Location) -> Result<Self, DatabaseError> {
        Database::migrate(location, &MIGRATIONS).await.map(Self)
    }

    /// Opens a database that [`Store::migrate`] made.
    ///
    /// # Errors
    ///
    /// What [`DatabaseError::asks_for_migration`] is for says what to do.
    pub async fn open(location: &Location) -> Result<Self, DatabaseError> {
        Database::open(location, &MIGRATIONS).await.map(Self)
    }

    /// Waits for statements in progress and closes the database.
    pub async fn close(&self) {
        self.0.close().await;
    }
}
