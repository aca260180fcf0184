//! Everything that has to survive a crash: one SQL database.
//!
//! Invariants: each statement that serves an owner names that owner, so a foreign job and an
//! unknown one cannot be told apart; what belongs together is one transaction; a job is settled
//! only by the newest holder of its lease. The clock is the caller's. The SQL is what SQLite and
//! PostgreSQL have in common, by the rules of `backend::database`, except for the migrations.

mod jobs;
mod lease;
mod queue;
mod sessions;
mod submit;

use backend::database::{Database, DatabaseError, Location, Migrations, Wakes, millis, moment};
use sqlx::migrate;

pub use self::{
    lease::{Lost, Settled},
    queue::{Claim, Claimed},
    submit::Refusal,
};

static MIGRATIONS: Migrations =
    Migrations { sqlite: migrate!("migrations/sqlite"), postgres: migrate!("migrations/postgres") };

/// What the trigger of `migrations/postgres` notifies when a job is queued.
const QUEUED: &str = "jobs";

/// Why the store cannot do something.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The operating system has no randomness.
    #[error("no randomness")]
    Randomness(#[from] getrandom::Error),
    /// Rows that are not JSON, in either direction.
    #[error("the rows of a job are not JSON numbers")]
    Rows(#[from] serde_json::Error),
    /// The database itself.
    #[error("the database failed")]
    Database(#[from] sqlx::Error),
}

/// An open store. Cloning shares it.
#[derive(Debug, Clone)]
pub struct Store(Database);

impl Store {
    /// Creates a file if need be, with the folders above it, and brings the tables up to date.
    /// Running it again changes nothing. A database of a server is there already.
    ///
    /// # Errors
    ///
    /// When a folder or the file cannot be made, the server has no such database, or a migration
    /// fails.
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

    /// Begins to hear of jobs that are queued, where the database tells.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn wakes(&self) -> Result<Wakes, StoreError> {
        Ok(self.0.wakes(QUEUED).await?)
    }
}
