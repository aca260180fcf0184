//! One SQL database that has to survive a crash.
//!
//! What SQLite and PostgreSQL do not have in common is here and in the applications' migrations; their statements are
//! what both understand.

mod location;

use std::time::Duration;

use jiff::Timestamp;
use sqlx::{
    Sqlite, SqlitePool, Transaction,
    migrate::Migrator,
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous},
};

pub use self::location::Location;

/// Longer than any transaction of an example by far; a writer that waits this long has met a stuck one.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// Why a database cannot be made or opened.
#[derive(Debug, thiserror::Error)]
pub enum DatabaseError {
    /// There is no file at the location.
    #[error("the database does not exist: run the `migrate` command first")]
    Missing,
    /// The tables are missing, or older or newer than this program.
    #[error("the database does not fit this version of the program: run its `migrate` command first")]
    NotMigrated,
    /// The folder of the database cannot be made.
    #[error("the folder of the database cannot be made")]
    Folder(#[source] std::io::Error),
    /// The migration failed; what it had begun is undone.
    #[error("the migration failed")]
    Migration(#[from] sqlx::migrate::MigrateError),
    /// The database itself.
    #[error("the database failed")]
    Failed(#[from] sqlx::Error),
}

impl DatabaseError {
    /// Whether the `migrate` command mends it.
    #[must_use]
    pub fn asks_for_migration(&self) -> bool {
        matches!(self, Self::Missing | Self::NotMigrated)
    }
}

/// An open database. Cloning shares it.
#[derive(Debug, Clone)]
pub struct Database {
    pool: SqlitePool,
}

impl Database {
    /// Creates the database if need be, with the folders above it, and brings its tables up to date. Running it again
    /// changes nothing.
    ///
    /// # Errors
    ///
    /// When a folder or the file cannot be made, or a migration fails.
    pub async fn migrate(location: &Location, migrations: &Migrator) -> Result<Self, DatabaseError> {
        if let Some(folder) = location.path().parent() {
            std::fs::create_dir_all(folder).map_err(DatabaseError::Folder)?;
        }
        // The journal mode is kept in the file, so that later openings need not ask for it.
        let options = options(location).create_if_missing(true).journal_mode(SqliteJournalMode::Wal);
        let database = Self::connect(options).await?;
        migrations.run(&database.pool).await?;
        Ok(database)
    }

    /// Opens a database that [`Database::migrate`] made with the same migrations.
    ///
    /// # Errors
    ///
    /// [`DatabaseError::Missing`] and [`DatabaseError::NotMigrated`] say what to do.
    pub async fn open(location: &Location, migrations: &Migrator) -> Result<Self, DatabaseError> {
        if !location.path().exists() {
            return Err(DatabaseError::Missing);
        }
        let database = Self::connect(options(location)).await?;
        match database.version().await {
            Ok(version) if version == migrations.iter().map(|migration| migration.version).max() => Ok(database),
            unfit => {
                database.close().await;
                Err(unfit.err().map_or(DatabaseError::NotMigrated, DatabaseError::Failed))
            }
        }
    }

    /// Waits for statements in progress and closes the database.
    pub async fn close(&self) {
        self.pool.close().await;
    }

    /// Where statements run that need no transaction.
    #[must_use]
    pub fn pool(&self) -> &SqlitePool {
        &self.pool
    }

    /// A transaction that may write. It holds the write lock from its first moment: a lock taken between a read and a
    /// write could fail half-way.
    ///
    /// # Errors
    ///
    /// When the database fails, or another writer does not end.
    pub async fn write(&self) -> Result<Transaction<'static, Sqlite>, sqlx::Error> {
        self.pool.begin_with("BEGIN IMMEDIATE").await
    }

    async fn connect(options: SqliteConnectOptions) -> Result<Self, sqlx::Error> {
        // One process does one thing at a time: a call, or a job. The second connection lets a worker look after its
        // lease while a result is being written.
        let pool = SqlitePoolOptions::new().max_connections(2).connect_with(options).await?;
        Ok(Self { pool })
    }

    async fn version(&self) -> Result<Option<i64>, sqlx::Error> {
        match sqlx::query_scalar("SELECT MAX(version) FROM _sqlx_migrations WHERE success").fetch_one(&self.pool).await
        {
            // Another program's database, or an empty file.
            Err(sqlx::Error::Database(error)) if error.message().starts_with("no such table") => Ok(None),
            version => version,
        }
    }
}

fn options(location: &Location) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(location.path())
        // What was accepted survives a power cut.
        .synchronous(SqliteSynchronous::Full)
        .busy_timeout(BUSY_TIMEOUT)
        .foreign_keys(true)
}

/// A moment as the database holds it: milliseconds since 1970 in UTC.
#[must_use]
pub fn millis(moment: Timestamp) -> i64 {
    moment.as_millisecond()
}

/// A moment that the database held.
///
/// # Errors
///
/// When it is out of range.
pub fn moment(millis: i64) -> Result<Timestamp, sqlx::Error> {
    Timestamp::from_millisecond(millis).map_err(|error| sqlx::Error::Decode(Box::new(error)))
}
