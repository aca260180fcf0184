//! What a run came to, for people.

use std::fmt;
use std::time::Duration;

use super::producer::Producer;
use super::{Kind, Load};

/// What happened, and how long it took. That nothing went wrong is why there is one.
pub(crate) struct Summary {
    load: Load,
    pub(super) events: Vec<String>,
    started_in: Vec<Duration>,
    memory: Vec<u64>,
    took: Duration,
    /// From submission to the end of the job, each in milliseconds.
    waited: Vec<i64>,
    /// Jobs that took more than one attempt.
    recovered: usize,
    repeated: usize,
    retried: usize,
}

impl Summary {
    pub(super) fn new(load: &Load, producers: &[Producer]) -> Self {
        Self {
            load: load.clone(),
            events: Vec::new(),
            started_in: producers.iter().map(|producer| producer.started_in).collect(),
            memory: Vec::new(),
            took: Duration::ZERO,
            waited: Vec::new(),
            recovered: 0,
            repeated: 0,
            retried: 0,
        }
    }

    pub(super) fn finish(&mut self, producers: &[Producer]) {
        self.memory = producers.iter().map(|producer| producer.memory).collect();
        self.repeated = producers.iter().map(|producer| producer.repeated).sum();
        self.retried = producers.iter().map(|producer| producer.retried).sum();
        let jobs = || producers.iter().flat_map(|producer| &producer.jobs).filter_map(|accepted| accepted.job.as_ref());
        self.recovered = jobs().filter(|job| job.attempts > 1).count();
        self.waited = jobs()
            .filter_map(|job| i64::try_from(job.finished_at?.duration_since(job.submitted_at).as_millis()).ok())
            .collect();
        self.waited.sort_unstable();
        // By the database's own account: how long the producers looked for what was done does not count.
        let first = jobs().map(|job| job.submitted_at).min();
        let last = jobs().filter_map(|job| job.finished_at).max();
        self.took = first.zip(last).map_or(Duration::ZERO, |(first, last)| last.duration_since(first).unsigned_abs());
    }

    /// How many were done.
    pub(crate) fn jobs(&self) -> usize {
        self.waited.len()
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Load { database, producers, workers, kills, seed, .. } = &self.load;
        let name = if *database == Kind::Sqlite { "SQLite" } else { "PostgreSQL" };
        let jobs = self.jobs();
        writeln!(
            to,
            "{name}: {jobs} jobs, {producers} producers, {workers} workers, {kills} to be killed, seed {seed}"
        )?;
        for event in &self.events {
            writeln!(to, "  {event}")?;
        }
        let second = u32::try_from(jobs).map_or(0.0, f64::from) / self.took.as_secs_f64();
        writeln!(
            to,
            "  from the first submit to the last end {:.1} s: {second:.0} jobs a second",
            self.took.as_secs_f64()
        )?;
        let at = |share: usize| self.waited.get((jobs * share / 100).min(jobs.saturating_sub(1))).unwrap_or(&0);
        writeln!(
            to,
            "  from submit to done: half within {} ms, 9 in 10 within {} ms, 99 in 100 within {} ms, all within {} ms",
            at(50),
            at(90),
            at(99),
            at(100)
        )?;
        writeln!(
            to,
            "  jobs that a worker was lost over: {}; calls that failed and were made again: {}; retries: {}",
            self.recovered, self.repeated, self.retried
        )?;
        let started = self.started_in.iter().max().unwrap_or(&Duration::ZERO).as_millis();
        let memory = self.memory.iter().max().unwrap_or(&0) / 1024;
        writeln!(to, "  an entry: started within {started} ms, at most {memory} MiB of memory")?;
        write!(to, "  no job lost or done twice, no report wrong, nothing visible to another owner")
    }
}
