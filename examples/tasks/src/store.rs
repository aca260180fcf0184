//! Everything that has to survive a crash: one SQL database.
//!
//! Invariants: each statement that serves an owner names that owner, so a foreign job and an
//! unknown one cannot be told apart; what belongs together is one transaction; a job is settled
//! only by the newest holder of its lease. The clock is the caller's. The SQL is what SQLite and
//! PostgreSQL have in common, except for `Store::write` and the migrations.

mod jobs;
mod lease;
mod queue;
mod submit;

use std::time::Duration;

use jiff::Timestamp;
use sqlx::{
    Sqlite, SqlitePool, Transaction,
    migrate::Migrator,
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous},
};

pub use self::{
    lease::{Lost, Settled},
    queue::{Claim, Claimed},
    submit::Refusal,
};
use crate::environment::Location;

static MIGRATIONS: Migrator = sqlx::migrate!("migrations/sqlite");

/// Longer than any transaction here by far; a writer that waits this long has met a stuck one.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// Why the store cannot do something.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// There is no file at the location.
    #[error("the database does not exist: run `tasks migrate` first")]
    Missing,
    /// The tables are missing, or older or newer than this program.
    #[error("the database does not fit this version of the program: run its `tasks migrate` first")]
    NotMigrated,
    /// The folder of the database cannot be made.
    #[error("the folder of the database cannot be made")]
    Folder(#[source] std::io::Error),
    /// The migration failed; what it had begun is undone.
    #[error("the migration failed")]
    Migration(#[from] sqlx::migrate::MigrateError),
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

/// An open database. Cloning shares it.
#[derive(Debug, Clone)]
pub struct Store {
    pool: SqlitePool,
}

impl Store {
    /// Creates the database if need be, with the folders above it, and brings its tables up to
    /// date. Running it again changes nothing.
    ///
    /// # Errors
    ///
    /// When a folder or the file cannot be made, or a migration fails.
    pub async fn migrate(location: &Location) -> Result<Self, StoreError> {
        if let Some(folder) = location.path().parent() {
            std::fs::create_dir_all(folder).map_err(StoreError::Folder)?;
        }
        // The journal mode is kept in the file, so that later openings need not ask for it.
        let options = options(location).create_if_missing(true).journal_mode(SqliteJournalMode::Wal);
        let store = Self::connect(options).await?;
        MIGRATIONS.run(&store.pool).await?;
        Ok(store)
    }

    /// Opens a database that [`Store::migrate`] made.
    ///
    /// # Errors
    ///
    /// [`StoreError::Missing`] and [`StoreError::NotMigrated`] say what to do.
    pub async fn open(location: &Location) -> Result<Self, StoreError> {
        if !location.path().exists() {
            return Err(StoreError::Missing);
        }
        let store = Self::connect(options(location)).await?;
        if store.version().await? == MIGRATIONS.iter().map(|migration| migration.version).max() {
            Ok(store)
        } else {
            store.close().await;
            Err(StoreError::NotMigrated)
        }
    }

    /// Waits for statements in progress and closes the database.
    pub async fn close(&self) {
        self.pool.close().await;
    }

    async fn connect(options: SqliteConnectOptions) -> Result<Self, StoreError> {
        // One process does one thing at a time: a call, or a job. The second connection lets a
        // worker look after its lease while a result is being written.
        let pool = SqlitePoolOptions::new().max_connections(2).connect_with(options).await?;
        Ok(Self { pool })
    }

    async fn version(&self) -> Result<Option<i64>, StoreError> {
        match sqlx::query_scalar("SELECT MAX(version) FROM _sqlx_migrations WHERE success").fetch_one(&self.pool).await
        {
            Ok(version) => Ok(version),
            // Another program's database, or an empty file.
            Err(sqlx::Error::Database(error)) if error.message().starts_with("no such table") => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    pub(crate) fn pool(&self) -> &SqlitePool {
        &self.pool
    }

    /// A transaction that may write. It holds the write lock from its first moment: a lock taken
    /// between a read and a write could fail half-way.
    async fn write(&self) -> Result<Transaction<'static, Sqlite>, StoreError> {
        Ok(self.pool.begin_with("BEGIN IMMEDIATE").await?)
    }
}

fn options(location: &Location) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(location.path())
        // A job that was accepted survives a power cut.
        .synchronous(SqliteSynchronous::Full)
        .busy_timeout(BUSY_TIMEOUT)
        .foreign_keys(true)
}

/// A moment as the database holds it.
pub(crate) fn millis(moment: Timestamp) -> i64 {
    moment.as_millisecond()
}

/// A moment that the database held.
fn moment(millis: i64) -> Result<Timestamp, sqlx::Error> {
    Timestamp::from_millisecond(millis).map_err(|error| sqlx::Error::Decode(Box::new(error)))
}
