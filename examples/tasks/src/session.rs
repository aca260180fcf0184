//! Sessions: who a process speaks for.
//!
//! A session is 32 random bytes, shown once. The database holds its SHA-256, which is enough for
//! a secret that nobody chose: there is nothing to guess from a stolen table.

use jiff::Timestamp;
use secrecy::{ExposeSecret as _, SecretString};
use sha2::{Digest, Sha256};

use crate::{
    random,
    store::{Store, StoreError, millis},
};

/// The person or program whose jobs these are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owner(String);

impl Owner {
    /// The owner's name, as the database knows it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::str::FromStr for Owner {
    type Err = &'static str;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        if name.is_empty() || name.chars().count() > 100 || name.chars().any(char::is_control) {
            return Err("an owner's name has 1 to 100 characters, none of them a control character");
        }
        Ok(Self(name.to_owned()))
    }
}

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
        let session = SecretString::from(random::name("ts_", 32)?);
        sqlx::query("INSERT INTO sessions (digest, owner, issued_at, expires_at) VALUES ($1, $2, $3, $4)")
            .bind(digest(&session))
            .bind(owner.as_str())
            .bind(millis(now))
            .bind(expires_at.map(millis))
            .execute(self.pool())
            .await?;
        Ok(session)
    }

    /// Deletes every session of `owner` and says how many there were.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn revoke_sessions(&self, owner: &Owner) -> Result<u64, StoreError> {
        let deleted =
            sqlx::query("DELETE FROM sessions WHERE owner = $1").bind(owner.as_str()).execute(self.pool()).await?;
        Ok(deleted.rows_affected())
    }

    /// The owner that `session` speaks for; `None` when it is unknown, expired or revoked.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn authenticate(&self, session: &SecretString, now: Timestamp) -> Result<Option<Owner>, StoreError> {
        let owner: Option<String> = sqlx::query_scalar(
            "SELECT owner FROM sessions WHERE digest = $1 AND (expires_at IS NULL OR expires_at > $2)",
        )
        .bind(digest(session))
        .bind(millis(now))
        .fetch_optional(self.pool())
        .await?;
        Ok(owner.map(Owner))
    }
}

fn digest(session: &SecretString) -> String {
    random::hex(&Sha256::digest(session.expose_secret().as_bytes()))
}
