//! A producer: an entry with an identity of its own, and the host that drives it.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tasks::job::{Job, Report, State};
use test_host::{Host, Session};

use super::Ground;
use super::plan::Submission;

/// Longer than anything takes, also while the database is away.
pub(super) const PATIENCE: Duration = Duration::from_mins(2);

pub(super) struct Producer {
    pub(super) owner: String,
    entry: Session,
    calls: u64,
    /// Calls that failed and were made again, as an agent would.
    pub(super) repeated: usize,
    pub(super) retried: usize,
    pub(super) started_in: Duration,
    pub(super) memory: u64,
    pub(super) jobs: Vec<Accepted>,
}

pub(super) struct Accepted {
    pub(super) id: String,
    pub(super) report_id: String,
    pub(super) expected: Report,
    pub(super) job: Option<Job>,
}

impl Producer {
    pub(super) fn start(ground: &Ground, number: usize) -> Self {
        let owner = format!("producer-{number}");
        let session = ground.session(&owner);
        let begun = Instant::now();
        let mut entry = Host::new(Ground::program())
            .arg("serve")
            .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/../../config/tasks.toml"))
            .env("TASK_DATABASE", &ground.address)
            .env("TASK_SESSION", session)
            .deadline(PATIENCE)
            .spawn();
        entry.initialize("2025-11-25");
        let started_in = begun.elapsed();
        Self { owner, entry, calls: 0, repeated: 0, retried: 0, started_in, memory: 0, jobs: Vec::new() }
    }

    /// Submits everything, then waits until all of it is done.
    pub(super) fn run(mut self, submissions: &[Submission], accepted: &AtomicUsize) -> Self {
        for Submission { arguments, report_id, expected } in submissions {
            let id = self.call("operation_0", arguments);
            let id = id.as_str().expect("a job id").to_owned();
            self.jobs.push(Accepted { id, report_id: report_id.clone(), expected: *expected, job: None });
            accepted.fetch_add(1, Ordering::Relaxed);
        }
        let mut open: Vec<usize> = (0..self.jobs.len()).collect();
        let until = Instant::now() + PATIENCE;
        while !open.is_empty() {
            assert!(Instant::now() < until, "{} jobs are not done in time", open.len());
            open.retain(|&number| !self.is_done(number));
            sleep(Duration::from_millis(100));
        }
        self.memory = memory(self.entry.id());
        self
    }

    fn is_done(&mut self, number: usize) -> bool {
        let named = json!({"jobId": self.jobs[number].id});
        let job: Job = serde_json::from_value(self.call("operation_1", &named)).expect("a job of one's own");
        match job.state {
            State::Succeeded => self.jobs[number].job = Some(job),
            // Three workers were lost over it: a person, or an agent, gives it another attempt.
            State::Failed => {
                self.call("operation_3", &named);
                self.retried += 1;
            }
            _ => {}
        }
        self.jobs[number].job.is_some()
    }

    /// None of these jobs of somebody else is there, by any tool.
    pub(super) fn assert_hidden(&mut self, ids: &[String]) {
        for id in ids {
            let named = json!({"jobId": id});
            for (tool, answer) in [("operation_1", Value::Null), ("operation_2", json!("missing"))] {
                assert_eq!(self.call(tool, &named), answer, "{id} is visible to {}", self.owner);
            }
        }
    }

    /// Calls a tool until it is answered: while the database is away, calls fail.
    fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        let until = Instant::now() + PATIENCE;
        loop {
            self.calls += 1;
            self.entry.call(self.calls, tool, arguments.clone());
            let answer = self.entry.answer_to(self.calls);
            if answer["result"]["isError"] != json!(true) {
                return answer.output();
            }
            assert!(Instant::now() < until, "{tool} keeps failing: {answer:?}");
            self.repeated += 1;
            sleep(Duration::from_millis(100));
        }
    }

    pub(super) fn close(self) {
        self.entry.close();
    }
}

/// What a process holds for itself and its share of the rest, in KiB.
fn memory(process: u32) -> u64 {
    let path = Path::new("/proc").join(process.to_string()).join("smaps_rollup");
    let text = fs::read_to_string(path).unwrap_or_default();
    let fields: HashMap<&str, &str> = text.lines().filter_map(|line| line.split_once(':')).collect();
    let pss = fields.get("Pss").and_then(|value| value.trim().trim_end_matches(" kB").parse().ok());
    pss.unwrap_or(0)
}
