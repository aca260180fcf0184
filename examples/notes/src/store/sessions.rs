//! Issuing, checking and revoking sessions.

use backend::{
    database::millis,
    random,
    session::{self, Owner},
};
use jiff::Timestamp;
use secrecy::SecretString;

use super::{Store, StoreError};
use crate::session::{Audience, Denied, Issued, Method};

impl Store {
    /// Makes a session for `owner` that may be used for the operations of `audience` and is valid until `expires_at`.
    ///
    /// # Errors
    ///
    /// When there is no randomness or the database fails.
    pub async fn issue_session(
        &self,
        owner: &Owner,
        audience: &Audience,
        expires_at: Timestamp,
        now: Timestamp,
    ) -> Result<Issued, StoreError> {
        let issued = Issued { session: session::mint("ns_")?, id: random::name("session_", 8)? };
        let mut transaction = self.0.write().await?;
        sqlx::query("INSERT INTO sessions (id, digest, owner, issued_at, expires_at) VALUES ($1, $2, $3, $4, $5)")
            .bind(&issued.id)
            .bind(session::digest(&issued.session))
            .bind(owner.as_str())
            .bind(millis(now))
            .bind(millis(expires_at))
            .execute(&mut *transaction)
            .await?;
        for method in audience.methods() {
            sqlx::query("INSERT INTO session_methods (session, method) VALUES ($1, $2)")
                .bind(&issued.id)
                .bind(method.as_str())
                .execute(&mut *transaction)
                .await?;
        }
        transaction.commit().await?;
        Ok(issued)
    }

    /// The owner that `evidence` speaks for, if it may be used for `method`. The only way from evidence to an owner.
    ///
    /// # Errors
    ///
    /// See [`Denied`].
    pub async fn authenticate(&self, evidence: &SecretString, method: Method, now: Timestamp) -> Result<Owner, Denied> {
        let found: Option<(Owner, i64, Option<i64>, Option<String>)> = sqlx::query_as(
            "SELECT sessions.owner, sessions.expires_at, sessions.revoked_at, session_methods.method
             FROM sessions
             LEFT JOIN session_methods ON session_methods.session = sessions.id AND session_methods.method = $2
             WHERE sessions.digest = $1",
        )
        .bind(session::digest(evidence))
        .bind(method.as_str())
        .fetch_optional(self.0.pool())
        .await
        .map_err(StoreError::from)?;
        match found {
            None => Err(Denied::Unknown),
            Some((_, _, Some(_), _)) => Err(Denied::Revoked),
            Some((_, expires_at, ..)) if expires_at <= millis(now) => Err(Denied::Expired),
            Some((_, _, None, None)) => Err(Denied::OtherAudience),
            Some((owner, _, None, Some(_))) => Ok(owner),
        }
    }

    /// Makes the session of that id invalid; false if there is none. Doing it again changes nothing.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn revoke_session(&self, id: &str, now: Timestamp) -> Result<bool, StoreError> {
        let revoked = sqlx::query("UPDATE sessions SET revoked_at = COALESCE(revoked_at, $2) WHERE id = $1")
            .bind(id)
            .bind(millis(now))
            .execute(self.0.pool())
            .await?;
        Ok(revoked.rows_affected() == 1)
    }

    /// Makes every session of `owner` invalid and says how many there are, earlier ones included.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn revoke_sessions(&self, owner: &Owner, now: Timestamp) -> Result<u64, StoreError> {
        let revoked = sqlx::query("UPDATE sessions SET revoked_at = COALESCE(revoked_at, $2) WHERE owner = $1")
            .bind(owner.as_str())
            .bind(millis(now))
            .execute(self.0.pool())
            .await?;
        Ok(revoked.rows_affected())
    }
}
