//! What a worker says: one short line an event, with ids and numbers and nothing a caller wrote.

use std::fmt;

use jiff::Timestamp;

use crate::{job::State, store::Settled};

/// Something that happened to a worker.
#[derive(Debug, Clone)]
pub enum Event {
    /// It looks for jobs now.
    Started {
        /// The name its leases carry.
        worker: String,
    },
    /// It holds a job.
    Claimed {
        /// The job.
        job_id: String,
        /// Which attempt this is, from 1.
        attempt: i64,
        /// Whether another worker had lost the job.
        recovered: bool,
    },
    /// An attempt was settled.
    Settled {
        /// The job.
        job_id: String,
        /// How.
        settled: Settled,
        /// When it runs again, if it was queued again.
        retry_at: Option<Timestamp>,
    },
    /// A job whose worker was lost is not attempted again.
    GaveUp {
        /// The job.
        job_id: String,
        /// Its final state.
        state: State,
    },
    /// The database failed; the worker goes on.
    Troubled {
        /// The error and its causes.
        error: String,
    },
    /// It will claim no more.
    Draining,
    /// It is done.
    Stopped,
}

impl fmt::Display for Event {
    fn fmt(&self, line: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Started { worker } => write!(line, "{worker} started"),
            Self::Claimed { job_id, attempt, recovered } => {
                let recovered = if *recovered { ", recovered from a lost worker" } else { "" };
                write!(line, "{job_id} running, attempt {attempt}{recovered}")
            }
            Self::Settled { job_id, settled: Settled::Lost, .. } => {
                write!(line, "{job_id} lost: the lease ran out, nothing was written")
            }
            Self::Settled { job_id, settled: Settled::As(State::Queued), retry_at: Some(at) } => {
                write!(line, "{job_id} attempt failed, again at {at:.3}")
            }
            Self::Settled { job_id, settled: Settled::As(state), .. } | Self::GaveUp { job_id, state } => {
                write!(line, "{job_id} {}", state.as_str())
            }
            Self::Troubled { error } => write!(line, "{error}; trying again"),
            Self::Draining => line.write_str("draining: the job in hand is finished, no other is begun"),
            Self::Stopped => line.write_str("stopped"),
        }
    }
}
