//! Which job is next.
//!
//! A claim takes a job for a limited time and gives it a new fence: see the leases.

use jiff::Timestamp;
use sqlx::{Any, FromRow, Row as _, Transaction, any::AnyRow};

use super::{Store, StoreError, millis};
use crate::job::State;

/// A job in the hands of a worker.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// The job.
    pub job_id: String,
    /// The report it writes.
    pub report_id: String,
    /// Which submission of that report it is.
    pub revision: i64,
    /// The number of this attempt, from 1.
    pub attempt: i64,
    /// Whether no attempt is left after this one.
    pub is_last: bool,
    /// Attempts below this number fail.
    pub fail_until_attempt: i64,
    /// How long the attempt takes.
    pub duration_ms: i64,
    /// The numbers.
    pub rows: Vec<f64>,
    /// The right to settle this attempt.
    pub fence: i64,
}

/// What a look into the queue gave.
#[derive(Debug, Default)]
pub struct Claimed {
    /// The job to run now.
    pub claim: Option<Claim>,
    /// Whether another worker had lost that job.
    pub recovered: bool,
    /// Jobs whose worker was lost and that had no attempt left, or were to be cancelled.
    pub ended: Vec<(String, State)>,
}

impl FromRow<'_, AnyRow> for Claim {
    fn from_row(row: &AnyRow) -> Result<Self, sqlx::Error> {
        let rows: String = row.try_get("rows")?;
        let attempt = row.try_get("attempts")?;
        Ok(Self {
            job_id: row.try_get("id")?,
            report_id: row.try_get("report_id")?,
            revision: row.try_get("revision")?,
            attempt,
            is_last: attempt >= row.try_get("max_attempts")?,
            fail_until_attempt: row.try_get("fail_until_attempt")?,
            duration_ms: row.try_get("duration_ms")?,
            rows: serde_json::from_str(&rows).map_err(|error| sqlx::Error::Decode(Box::new(error)))?,
            fence: row.try_get("fence")?,
        })
    }
}

impl Store {
    /// Ends the jobs that were lost for good, then claims the job that has been due longest, if
    /// there is one. The claim is an attempt, also when it recovers a lost job.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn claim(&self, worker: &str, lease_until: Timestamp, now: Timestamp) -> Result<Claimed, StoreError> {
        let mut transaction = self.0.write().await?;
        let ended = self.end_lost(&mut transaction, now).await?;
        let due: Option<(String, State)> = sqlx::query_as(self.0.unlocked(
            "SELECT id, state FROM jobs
             WHERE state IN ('queued', 'running')
               AND ((state = 'queued' AND run_at <= $1)
                    OR (state = 'running' AND lease_expires_at <= $1
                        AND attempts < max_attempts AND NOT cancel_requested))
             ORDER BY run_at, submitted_at LIMIT 1",
        ))
        .bind(millis(now))
        .fetch_optional(&mut *transaction)
        .await?;
        let mut claimed = Claimed { claim: None, recovered: false, ended };
        if let Some((id, state)) = due {
            let claim = sqlx::query_as(
                "UPDATE jobs
                 SET state = 'running', attempts = attempts + 1, fence = fence + 1, started_at = $2,
                     lease_owner = $3, lease_expires_at = $4
                 WHERE id = $1
                 RETURNING id, report_id, revision, attempts, max_attempts, fail_until_attempt, duration_ms, rows,
                           fence",
            )
            .bind(id)
            .bind(millis(now))
            .bind(worker)
            .bind(millis(lease_until))
            .fetch_one(&mut *transaction)
            .await?;
            claimed.claim = Some(claim);
            claimed.recovered = state == State::Running;
        }
        transaction.commit().await?;
        Ok(claimed)
    }

    /// Ends those that no worker holds any more and that are not to be attempted again.
    async fn end_lost(
        &self,
        transaction: &mut Transaction<'static, Any>,
        now: Timestamp,
    ) -> Result<Vec<(String, State)>, sqlx::Error> {
        let lost: Vec<(String,)> = sqlx::query_as(self.0.unlocked(
            "SELECT id FROM jobs
             WHERE state = 'running' AND lease_expires_at <= $1 AND (cancel_requested OR attempts >= max_attempts)",
        ))
        .bind(millis(now))
        .fetch_all(&mut **transaction)
        .await?;
        let mut ended = Vec::with_capacity(lost.len());
        for (id,) in lost {
            let row = sqlx::query_as(
                "UPDATE jobs
                 SET state = CASE WHEN cancel_requested THEN 'cancelled' ELSE 'failed' END,
                     last_error = 'the worker was lost', finished_at = $2,
                     lease_owner = NULL, lease_expires_at = NULL
                 WHERE id = $1
                 RETURNING id, state",
            )
            .bind(id)
            .bind(millis(now))
            .fetch_one(&mut **transaction)
            .await?;
            ended.push(row);
        }
        Ok(ended)
    }

    /// True when no job is queued or running, whoever owns it and whenever it is due.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn is_idle(&self) -> Result<bool, StoreError> {
        let open: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM jobs WHERE state IN ('queued', 'running')")
            .fetch_one(self.0.pool())
            .await?;
        Ok(open == 0)
    }
}
