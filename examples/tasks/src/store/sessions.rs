//! Sessions: who a process speaks for.

use backend::session::{self, Owner};
use jiff::Timestamp;
use secrecy::SecretString;

use super::{Store, StoreError, millis};

impl Store {
    /// Makes a session for `owner`, valid until `expires_at` or until it is revoked. It cannot be
    /// read back.
    ///
    /// # Errors
    ///
    /// When there is no randomness or the database fails.
    pub async fn issue_session(
        &self,
        owner: &Owner,
        expires_at: Option<Timestamp>,
        now: Timestamp,
    ) -> Result<SecretString, StoreError> {
        let minted = session::mint("ts_")?;
        sqlx::query("INSERT INTO sessions (digest, owner, issued_at, expires_at) VALUES ($1, $2, $3, $4)")
            .bind(session::digest(&minted))
            .bind(owner.as_str())
            .bind(millis(now))
            .bind(expires_at.map(millis))
            .execute(self.0.pool())
            .await?;
        Ok(minted)
    }

    /// Deletes every session of `owner` and says how many there were.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn revoke_sessions(&self, owner: &Owner) -> Result<u64, StoreError> {
        let deleted =
            sqlx::query("DELETE FROM sessions WHERE owner = $1").bind(owner.as_str()).execute(self.0.pool()).await?;
        Ok(deleted.rows_affected())
    }

    /// The owner that `session` speaks for; `None` when it is unknown, expired or revoked.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn authenticate(&self, session: &SecretString, now: Timestamp) -> Result<Option<Owner>, StoreError> {
        let owner = sqlx::query_scalar(
            "SELECT owner FROM sessions WHERE digest = $1 AND (expires_at IS NULL OR expires_at > $2)",
        )
        .bind(session::digest(session))
        .bind(millis(now))
        .fetch_optional(self.0.pool())
        .await?;
        Ok(owner)
    }
}
