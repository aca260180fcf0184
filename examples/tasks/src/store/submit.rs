//! Accepting a job.

use backend::{random, session::Owner};
use jiff::Timestamp;

use super::{Store, StoreError, millis};
use crate::{
    job::{AUTOMATIC_ATTEMPTS, State},
    submission::Submission,
};

/// Why a submission is not accepted. Nothing was written.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// The report id belongs to somebody else.
    #[error("the report id belongs to another owner")]
    Denied,
    /// The owner has used the deduplication key for another submission.
    #[error("the deduplication key stands for another submission")]
    KeyReused,
    /// The store failed; whether the job was accepted is not known.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<sqlx::Error> for Refusal {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(error.into())
    }
}

impl Store {
    /// Queues a job and records the owner of its report, in one transaction, and returns the job's
    /// id. A submission that the owner has already made under its deduplication key returns the
    /// id of that job, however long ago that was.
    ///
    /// # Errors
    ///
    /// See [`Refusal`].
    pub async fn submit(&self, owner: &Owner, asked: &Submission, now: Timestamp) -> Result<String, Refusal> {
        let id = random::name("job_", 16).map_err(StoreError::from)?;
        let digest = asked.digest().map_err(StoreError::from)?;
        let rows = serde_json::to_string(&asked.rows).map_err(StoreError::from)?;
        let mut transaction = self.0.write().await?;

        // No row comes back when the report has another owner. Both databases lock the row, so of
        // two owners that submit a new id at once one becomes its owner and one is denied.
        let revision: Option<i64> = sqlx::query_scalar(
            "INSERT INTO report_owners (report_id, owner, revision) VALUES ($1, $2, 1)
             ON CONFLICT (report_id) DO UPDATE SET revision = report_owners.revision + 1
             WHERE report_owners.owner = excluded.owner
             RETURNING revision",
        )
        .bind(&asked.report_id)
        .bind(owner.as_str())
        .fetch_optional(&mut *transaction)
        .await?;
        let Some(revision) = revision else { return Err(Refusal::Denied) };

        let inserted: Option<String> = sqlx::query_scalar(
            "INSERT INTO jobs (id, owner, report_id, revision, rows, fail_until_attempt, duration_ms,
                               deduplication_key, digest, state, max_attempts, run_at, submitted_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
             ON CONFLICT (owner, deduplication_key) DO NOTHING
             RETURNING id",
        )
        .bind(id)
        .bind(owner.as_str())
        .bind(&asked.report_id)
        .bind(revision)
        .bind(rows)
        .bind(i64::from(asked.fail_until_attempt.unwrap_or(0)))
        .bind(i64::from(asked.duration_ms.unwrap_or(0)))
        .bind(&asked.deduplication_key)
        .bind(&digest)
        .bind(State::Queued.as_str())
        .bind(AUTOMATIC_ATTEMPTS)
        .bind(millis(asked.run_at.map_or(now, |at| at.0)))
        .bind(millis(now))
        .fetch_optional(&mut *transaction)
        .await?;
        if let Some(id) = inserted {
            transaction.commit().await?;
            return Ok(id);
        }

        // Dropping the transaction takes the revision back.
        let (first, known): (String, String) =
            sqlx::query_as("SELECT id, digest FROM jobs WHERE owner = $1 AND deduplication_key = $2")
                .bind(owner.as_str())
                .bind(&asked.deduplication_key)
                .fetch_one(&mut *transaction)
                .await?;
        if known == digest { Ok(first) } else { Err(Refusal::KeyReused) }
    }
}
