//! What an owner may ask about a job or a report, and change.

use backend::session::Owner;
use jiff::Timestamp;
use sqlx::{FromRow, Row as _, any::AnyRow};

use super::{Store, StoreError, millis, moment};
use crate::job::{Cancellation, Job, Report, State};

impl FromRow<'_, AnyRow> for Job {
    fn from_row(row: &AnyRow) -> Result<Self, sqlx::Error> {
        let optional = |name: &str| row.try_get::<Option<i64>, _>(name)?.map(moment).transpose();
        Ok(Self {
            job_id: row.try_get("id")?,
            report_id: row.try_get("report_id")?,
            state: row.try_get("state")?,
            attempts: row.try_get("attempts")?,
            max_attempts: row.try_get("max_attempts")?,
            cancel_requested: row.try_get::<i64, _>("cancel_requested")? != 0,
            submitted_at: moment(row.try_get("submitted_at")?)?,
            run_at: moment(row.try_get("run_at")?)?,
            started_at: optional("started_at")?,
            finished_at: optional("finished_at")?,
            last_error: row.try_get("last_error")?,
        })
    }
}

impl Store {
    /// The state of a job of this owner.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn job(&self, owner: &Owner, id: &str) -> Result<Option<Job>, StoreError> {
        Ok(sqlx::query_as(
            "SELECT id, report_id, state, attempts, max_attempts, submitted_at, run_at, started_at, finished_at,
                    last_error, CASE WHEN cancel_requested THEN 1 ELSE 0 END AS cancel_requested
             FROM jobs WHERE id = $1 AND owner = $2",
        )
        .bind(id)
        .bind(owner.as_str())
        .fetch_optional(self.0.pool())
        .await?)
    }

    /// Cancels a waiting job at once; asks the worker of a running one to stop.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn cancel(&self, owner: &Owner, id: &str, now: Timestamp) -> Result<Cancellation, StoreError> {
        let mut transaction = self.0.write().await?;
        let changed: Option<State> = sqlx::query_scalar(
            "UPDATE jobs
             SET state = CASE WHEN state = 'queued' THEN 'cancelled' ELSE state END,
                 finished_at = CASE WHEN state = 'queued' THEN $3 ELSE finished_at END,
                 cancel_requested = (state = 'running')
             WHERE id = $1 AND owner = $2 AND state IN ('queued', 'running')
             RETURNING state",
        )
        .bind(id)
        .bind(owner.as_str())
        .bind(millis(now))
        .fetch_optional(&mut *transaction)
        .await?;
        transaction.commit().await?;
        match changed {
            Some(State::Cancelled) => return Ok(Cancellation::Cancelled),
            Some(_) => return Ok(Cancellation::Requested),
            None => {}
        }
        let known: Option<String> = sqlx::query_scalar("SELECT id FROM jobs WHERE id = $1 AND owner = $2")
            .bind(id)
            .bind(owner.as_str())
            .fetch_optional(self.0.pool())
            .await?;
        Ok(known.map_or(Cancellation::Missing, |_| Cancellation::Terminal))
    }

    /// Queues a finally failed job for one more attempt, at once. False for any other job.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn retry(&self, owner: &Owner, id: &str, now: Timestamp) -> Result<bool, StoreError> {
        let changed = sqlx::query(
            "UPDATE jobs SET state = 'queued', run_at = $3, max_attempts = attempts + 1, finished_at = NULL
             WHERE id = $1 AND owner = $2 AND state = 'failed'",
        )
        .bind(id)
        .bind(owner.as_str())
        .bind(millis(now))
        .execute(self.0.pool())
        .await?;
        Ok(changed.rows_affected() == 1)
    }

    /// A finished report of this owner.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn report(&self, owner: &Owner, report_id: &str) -> Result<Option<Report>, StoreError> {
        let found: Option<(f64, i64)> = sqlx::query_as(
            "SELECT reports.sum, reports.count FROM reports
             JOIN report_owners ON report_owners.report_id = reports.report_id
             WHERE reports.report_id = $1 AND report_owners.owner = $2",
        )
        .bind(report_id)
        .bind(owner.as_str())
        .fetch_optional(self.0.pool())
        .await?;
        Ok(found.map(|(sum, count)| Report { sum, count }))
    }
}
