//! What an owner sees of a job.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sqlx::any::{Any, AnyTypeInfo, AnyValueRef};
use sqlx::error::BoxDynError;

/// Automatic attempts of a new job; each manual retry allows one more.
pub const AUTOMATIC_ATTEMPTS: i64 = 3;

/// Where a job stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// Waiting for its time, or for a worker.
    Queued,
    /// A worker holds its lease.
    Running,
    /// The report is written.
    Succeeded,
    /// No attempt is left.
    Failed,
    /// Stopped at its owner's wish; no report was written by it.
    Cancelled,
}

impl State {
    const ALL: [Self; 5] = [Self::Queued, Self::Running, Self::Succeeded, Self::Failed, Self::Cancelled];

    /// The state's name, as callers and the database know it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }
}

impl sqlx::Type<Any> for State {
    fn type_info() -> AnyTypeInfo {
        <str as sqlx::Type<Any>>::type_info()
    }
}

impl<'r> sqlx::Decode<'r, Any> for State {
    fn decode(value: AnyValueRef<'r>) -> Result<Self, BoxDynError> {
        let name = <&str as sqlx::Decode<'r, Any>>::decode(value)?;
        Ok(Self::ALL.into_iter().find(|state| state.as_str() == name).ok_or("no state has this name")?)
    }
}

/// The state of one job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Job {
    /// The job's id.
    pub job_id: String,
    /// The report it writes.
    pub report_id: String,
    /// Where it stands.
    pub state: State,
    /// Attempts begun so far.
    pub attempts: i64,
    /// Attempts allowed in all.
    pub max_attempts: i64,
    /// True once a cancel was requested while it ran.
    pub cancel_requested: bool,
    /// When it was submitted.
    pub submitted_at: Timestamp,
    /// When it may run, or might have.
    pub run_at: Timestamp,
    /// When its newest attempt began.
    pub started_at: Option<Timestamp>,
    /// When it reached a terminal state.
    pub finished_at: Option<Timestamp>,
    /// Why its newest failed attempt failed.
    pub last_error: Option<String>,
}

/// What became of a wish to cancel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Cancellation {
    /// The job runs; its worker will notice. It has not stopped yet and may still finish.
    Requested,
    /// The job had not started and never will.
    Cancelled,
    /// The job had already ended; nothing changed.
    Terminal,
    /// No such job of this owner.
    Missing,
}

/// A finished report.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The sum of the rows.
    pub sum: f64,
    /// How many rows there were.
    pub count: i64,
}
