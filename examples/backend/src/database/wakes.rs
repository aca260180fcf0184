//! Being told that there is work, instead of looking again and again.

use std::time::Duration;

use secrecy::ExposeSecret as _;
use sqlx::postgres::PgListener;
use tokio::time::{sleep, timeout};

use super::{Database, Location};

/// What wakes a process that waits: the database's word, where it has one to give, and the time.
#[derive(Debug)]
pub struct Wakes(Option<PgListener>);

impl Database {
    /// Begins to hear what is said on `channel`: with PostgreSQL what a migration's trigger notifies, with SQLite nothing.
    /// What is said from now on is not missed, whenever [`Wakes::wait`] is called.
    ///
    /// # Errors
    ///
    /// When the database cannot be reached.
    pub async fn wakes(&self, channel: &str) -> Result<Wakes, sqlx::Error> {
        let Location::Postgres(url) = &self.location else { return Ok(Wakes(None)) };
        let mut listener = PgListener::connect(url.expose_secret()).await?;
        listener.listen(channel).await?;
        Ok(Wakes(Some(listener)))
    }
}

impl Wakes {
    /// Returns when something was said since the last wait, or after `at_most`. A connection that is lost is made again;
    /// what was said meanwhile is lost, and the time alone wakes.
    pub async fn wait(&mut self, at_most: Duration) {
        let Some(listener) = &mut self.0 else { return sleep(at_most).await };
        let heard = timeout(at_most, async {
            if listener.try_recv().await.is_err() {
                // The server is away: the rest of the time is waited for.
                std::future::pending::<()>().await;
            }
        });
        // A lost connection wakes too, once it is there again: something may have been said.
        let _ = heard.await;
        while listener.next_buffered().is_some() {}
    }
}
