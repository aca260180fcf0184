//! One SQL database that has to survive a crash.
//!
//! Every statement goes through sqlx's `Any`, which knows only what its drivers have in common. So statements are what
//! SQLite and PostgreSQL both understand, with these rules: no `BOOLEAN` leaves a statement (`CASE .. THEN 1 ELSE 0 END`
//! does); and a statement that changes a row and returns one runs in a transaction, as without one its row may come
//! before its commit. What the two do not have in common is in `dialect`, and in the applications' migrations.

mod dialect;
mod location;
mod wakes;

use std::time::Duration;

use jiff::Timestamp;
use sqlx::any::{Any, AnyPoolOptions};
use sqlx::{AnyPool, AssertSqlSafe, Transaction, migrate::Migrator};

use self::dialect::Dialect;
pub use self::{location::Location, wakes::Wakes};

/// No SQL database has to take the null character in a text: the pattern of those that are stored.
pub const NO_NULL: &str = r"^[^\x00]*$";

/// How long a server that refuses connections is tried: one that is started again takes less. A Unix socket is gone
/// meanwhile, which fails at once.
const PATIENCE: Duration = Duration::from_secs(10);

/// Why a database cannot be made or opened.
#[derive(Debug, thiserror::Error)]
pub enum DatabaseError {
    /// There is no file at the location.
    #[error("the database does not exist: run the `migrate` command first")]
    Missing,
    /// The server has no database of that name.
    #[error("the server has no such database: have it created, then run the `migrate` command")]
    NotOnServer,
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
    /// Whether the `migrate` command mends it, or the last step of mending it is.
    #[must_use]
    pub fn asks_for_migration(&self) -> bool {
        matches!(self, Self::Missing | Self::NotOnServer | Self::NotMigrated)
    }
}

/// The tables of an application, for each kind of database.
#[derive(Debug)]
pub struct Migrations {
    /// For SQLite.
    pub sqlite: Migrator,
    /// For PostgreSQL.
    pub postgres: Migrator,
}

impl Migrations {
    fn of(&self, dialect: Dialect) -> &Migrator {
        match dialect {
            Dialect::Sqlite => &self.sqlite,
            Dialect::Postgres => &self.postgres,
        }
    }
}

/// An open database. Cloning shares it.
#[derive(Debug, Clone)]
pub struct Database {
    pool: AnyPool,
    location: Location,
    dialect: Dialect,
}

impl Database {
    /// Creates a file if need be, with the folders above it, and brings the tables up to date. Running it again changes
    /// nothing. A database of a server is there already.
    ///
    /// # Errors
    ///
    /// When a folder or the file cannot be made, there is no such database on the server, or a migration fails.
    pub async fn migrate(location: &Location, migrations: &Migrations) -> Result<Self, DatabaseError> {
        if let Some(folder) = location.path().and_then(|path| path.parent()) {
            std::fs::create_dir_all(folder).map_err(DatabaseError::Folder)?;
        }
        let database = Self::connect(location, true).await?;
        if database.dialect == Dialect::Sqlite {
            // Kept in the file, so that later openings need not ask for it.
            sqlx::query("PRAGMA journal_mode = WAL").execute(&database.pool).await?;
        }
        migrations.of(database.dialect).run(&database.pool).await?;
        Ok(database)
    }

    /// Opens a database that [`Database::migrate`] made with the same migrations.
    ///
    /// # Errors
    ///
    /// [`DatabaseError::Missing`], [`DatabaseError::NotOnServer`] and [`DatabaseError::NotMigrated`] say what to do.
    pub async fn open(location: &Location, migrations: &Migrations) -> Result<Self, DatabaseError> {
        if location.path().is_some_and(|path| !path.exists()) {
            return Err(DatabaseError::Missing);
        }
        let database = Self::connect(location, false).await?;
        let newest = migrations.of(database.dialect).iter().map(|migration| migration.version).max();
        match database.version().await {
            Ok(version) if version == newest => Ok(database),
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
    pub fn pool(&self) -> &AnyPool {
        &self.pool
    }

    /// A transaction that may write.
    ///
    /// # Errors
    ///
    /// When the database fails, or another writer does not end.
    pub async fn write(&self) -> Result<Transaction<'static, Any>, sqlx::Error> {
        self.pool.begin_with(self.dialect.begin()).await
    }

    /// `select`, which reads rows that its transaction will change, so that it passes over those that another transaction
    /// is about to change: two that look for work at once find different work, and wait for nobody.
    #[must_use]
    pub fn unlocked(&self, select: &'static str) -> AssertSqlSafe<String> {
        AssertSqlSafe(format!("{select} {}", self.dialect.unlocked()))
    }

    async fn connect(location: &Location, create: bool) -> Result<Self, DatabaseError> {
        sqlx::any::install_default_drivers();
        let dialect = Dialect::of(location);
        // One process does one thing at a time: a call, or a job. The second connection lets a worker look after its
        // lease while a result is being written.
        let pool = AnyPoolOptions::new()
            .max_connections(2)
            .acquire_timeout(PATIENCE)
            .after_connect(move |connection, _| {
                Box::pin(async move { sqlx::raw_sql(dialect.settings()).execute(connection).await.map(drop) })
            })
            .connect_with(location.options(create)?)
            .await
            .map_err(|error| {
                if dialect.is_no_database(&error) { DatabaseError::NotOnServer } else { DatabaseError::Failed(error) }
            })?;
        Ok(Self { pool, location: location.clone(), dialect })
    }

    async fn version(&self) -> Result<Option<i64>, sqlx::Error> {
        match sqlx::query_scalar("SELECT MAX(version) FROM _sqlx_migrations WHERE success").fetch_one(&self.pool).await
        {
            // Another program's database, or an empty one.
            Err(error) if self.dialect.is_no_table(&error) => Ok(None),
            version => version,
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_a_file_accepted_survives_a_power_cut() {
        let folder = tempfile::tempdir().unwrap();
        let location = Location::from(folder.path().join("data.db"));
        let database = Database::connect(&location, true).await.unwrap();
        // FULL, as SQLite has it from the start: each commit is synced.
        let synchronous: i64 = sqlx::query_scalar("PRAGMA synchronous").fetch_one(&database.pool).await.unwrap();
        assert_eq!(synchronous, 2);
        database.close().await;
    }
}
