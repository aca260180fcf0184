//! What a worker may do with a job that it claimed.
//!
//! Whoever holds an older fence, or a lease that has run out, changes nothing: a worker that was
//! paused, or cut off from the database, cannot overwrite the work of the one that took over.

use jiff::Timestamp;

use super::{Claim, Store, StoreError, millis};
use crate::job::{Report, State};

/// How an attempt was settled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Settled {
    /// The job now has this state; a failed attempt that is to be repeated leaves it queued.
    As(State),
    /// The lease is gone: nothing was changed, somebody else has the job.
    Lost,
}

/// The lease is gone: somebody else has the job, or will have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lost;

impl Store {
    /// Whether the owner wants a claimed job cancelled.
    ///
    /// # Errors
    ///
    /// When the database fails; the inner error when the lease is gone.
    pub async fn cancel_requested(&self, claim: &Claim) -> Result<Result<bool, Lost>, StoreError> {
        let flag: Option<i64> = sqlx::query_scalar(
            "SELECT CASE WHEN cancel_requested THEN 1 ELSE 0 END FROM jobs
             WHERE id = $1 AND fence = $2 AND state = 'running'",
        )
        .bind(&claim.job_id)
        .bind(claim.fence)
        .fetch_optional(self.0.pool())
        .await?;
        Ok(flag.map(|flag| flag != 0).ok_or(Lost))
    }

    /// Keeps a claimed job until `lease_until`.
    ///
    /// # Errors
    ///
    /// When the database fails; the inner error when the lease has run out or was taken over.
    pub async fn renew(
        &self,
        claim: &Claim,
        lease_until: Timestamp,
        now: Timestamp,
    ) -> Result<Result<(), Lost>, StoreError> {
        let changed = sqlx::query(
            "UPDATE jobs SET lease_expires_at = $4
             WHERE id = $1 AND fence = $2 AND state = 'running' AND lease_expires_at > $3",
        )
        .bind(&claim.job_id)
        .bind(claim.fence)
        .bind(millis(now))
        .bind(millis(lease_until))
        .execute(self.0.pool())
        .await?;
        Ok(if changed.rows_affected() == 1 { Ok(()) } else { Err(Lost) })
    }

    /// Ends an attempt with its report, in one transaction. A cancel that came first wins: the job
    /// is then cancelled and the report stays as it was. A report of a newer submission is not
    /// overwritten.
    ///
    /// # Errors
    ///
    /// When the database fails; the attempt is then not settled.
    pub async fn succeed(&self, claim: &Claim, report: Report, now: Timestamp) -> Result<Settled, StoreError> {
        let mut transaction = self.0.write().await?;
        let state: Option<State> = sqlx::query_scalar(
            "UPDATE jobs
             SET state = CASE WHEN cancel_requested THEN 'cancelled' ELSE 'succeeded' END,
                 finished_at = $3, lease_owner = NULL, lease_expires_at = NULL
             WHERE id = $1 AND fence = $2 AND state = 'running' AND lease_expires_at > $3
             RETURNING state",
        )
        .bind(&claim.job_id)
        .bind(claim.fence)
        .bind(millis(now))
        .fetch_optional(&mut *transaction)
        .await?;
        let Some(state) = state else { return Ok(Settled::Lost) };
        if state == State::Succeeded {
            sqlx::query(
                "INSERT INTO reports (report_id, revision, sum, count) VALUES ($1, $2, $3, $4)
                 ON CONFLICT (report_id) DO UPDATE
                 SET revision = excluded.revision, sum = excluded.sum, count = excluded.count
                 WHERE excluded.revision >= reports.revision",
            )
            .bind(&claim.report_id)
            .bind(claim.revision)
            .bind(report.sum)
            .bind(report.count)
            .execute(&mut *transaction)
            .await?;
        }
        transaction.commit().await?;
        Ok(Settled::As(state))
    }

    /// Ends an attempt without a report: cancelled if that was asked for, else queued again for
    /// `retry_at`, else failed.
    ///
    /// # Errors
    ///
    /// When the database fails; the attempt is then not settled.
    pub async fn fail(
        &self,
        claim: &Claim,
        error: &str,
        retry_at: Option<Timestamp>,
        now: Timestamp,
    ) -> Result<Settled, StoreError> {
        let (state, run_at, finished_at) = match retry_at {
            Some(at) => (State::Queued, Some(millis(at)), None),
            None => (State::Failed, None, Some(millis(now))),
        };
        let mut transaction = self.0.write().await?;
        let state: Option<State> = sqlx::query_scalar(
            "UPDATE jobs
             SET state = CASE WHEN cancel_requested THEN 'cancelled' ELSE $4 END,
                 run_at = COALESCE($5, run_at),
                 finished_at = CASE WHEN cancel_requested THEN $3 ELSE $6 END,
                 last_error = $7, lease_owner = NULL, lease_expires_at = NULL
             WHERE id = $1 AND fence = $2 AND state = 'running' AND lease_expires_at > $3
             RETURNING state",
        )
        .bind(&claim.job_id)
        .bind(claim.fence)
        .bind(millis(now))
        .bind(state.as_str())
        .bind(run_at)
        .bind(finished_at)
        .bind(error)
        .fetch_optional(&mut *transaction)
        .await?;
        transaction.commit().await?;
        Ok(state.map_or(Settled::Lost, Settled::As))
    }
}
