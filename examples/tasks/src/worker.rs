//! The process that runs jobs, one at a time.
//!
//! A worker holds a job by a lease that it keeps renewing. If it dies, the lease runs out and
//! another worker takes the job over; if it is only paused, the fence keeps it from settling what
//! is no longer its own. Nothing is ever finished by a worker alone: the database decides.

mod attempt;
mod event;

use std::time::Duration;

use backend::{chain, random};
use jiff::Timestamp;
use tokio::{sync::watch, time::sleep};

pub use self::event::Event;
use crate::store::{Store, StoreError};

/// Failures of the database in a row, a second apart, after which a worker gives up and leaves
/// the rest to whoever restarts it.
const TOLERATED_FAILURES: u32 = 10;

/// How a worker works.
#[derive(Debug, Clone, Copy)]
pub struct Pace {
    /// How long a job is held without a sign of life.
    pub lease: Duration,
    /// How often an empty queue is looked at, whatever the database says.
    pub poll: Duration,
    /// Whether to end when no job is queued or running.
    pub until_idle: bool,
}

impl Default for Pace {
    fn default() -> Self {
        Self { lease: Duration::from_secs(30), poll: Duration::from_millis(500), until_idle: false }
    }
}

/// One worker. It tells `events` what it does.
pub struct Worker<E> {
    store: Store,
    name: String,
    pace: Pace,
    events: E,
}

impl<E: Fn(&Event)> Worker<E> {
    /// A worker with a name of its own.
    ///
    /// # Errors
    ///
    /// When there is no randomness.
    pub fn new(store: Store, pace: Pace, events: E) -> Result<Self, StoreError> {
        let name = random::name("worker_", 4)?;
        Ok(Self { store, name, pace, events })
    }

    /// Runs jobs until `drain` becomes true: then the job in hand is finished, nothing more is
    /// claimed, and the call returns. With `until_idle` it also returns when nothing is left.
    ///
    /// # Errors
    ///
    /// When the database keeps failing. A job in hand is then recovered by its lease.
    pub async fn run(&self, mut drain: watch::Receiver<bool>) -> Result<(), StoreError> {
        // Before the first look at the queue: what is queued after it wakes.
        let mut wakes = self.store.wakes().await?;
        (self.events)(&Event::Started { worker: self.name.clone() });
        let mut failures = 0;
        while !*drain.borrow_and_update() {
            let troubled = match self.step().await {
                Ok(Step::Worked) => {
                    failures = 0;
                    continue;
                }
                Ok(Step::Idle) => break,
                Ok(Step::Waiting) => {
                    failures = 0;
                    false
                }
                Err(error) if failures == TOLERATED_FAILURES => return Err(error),
                Err(error) => {
                    failures += 1;
                    (self.events)(&Event::Troubled { error: chain(&error) });
                    true
                }
            };
            let pause =
                async { if troubled { sleep(Duration::from_secs(1)).await } else { wakes.wait(self.pace.poll).await } };
            tokio::select! {
                () = pause => {}
                // A closed channel means that nobody can ask for a drain any more.
                Ok(()) = drain.changed() => {}
            }
        }
        (self.events)(&Event::Stopped);
        Ok(())
    }

    async fn step(&self) -> Result<Step, StoreError> {
        let now = Timestamp::now();
        let claimed = self.store.claim(&self.name, now + self.pace.lease, now).await?;
        for (job_id, state) in claimed.ended {
            (self.events)(&Event::GaveUp { job_id, state });
        }
        if let Some(claim) = claimed.claim {
            let recovered = claimed.recovered;
            (self.events)(&Event::Claimed { job_id: claim.job_id.clone(), attempt: claim.attempt, recovered });
            self.attempt(&claim).await?;
            return Ok(Step::Worked);
        }
        if self.pace.until_idle && self.store.is_idle().await? {
            return Ok(Step::Idle);
        }
        Ok(Step::Waiting)
    }
}

enum Step {
    Worked,
    Waiting,
    Idle,
}
