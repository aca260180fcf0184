//! A migrated database, and the program that works on it.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use backend::database::Location;
use backend::session::Owner;
use jiff::Timestamp;
use secrecy::ExposeSecret as _;
use serde_json::{Value, json};
use tasks::job::{Job, State};
use tasks::store::Store;
use tempfile::TempDir;
use test_host::{Frame, Host, Session, TestDatabase};

/// Longer than anything here takes, also on a slow machine.
pub(crate) const DEADLINE: Duration = Duration::from_secs(30);

/// The example's own launch file.
pub(crate) const LAUNCH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../config/tasks.toml");

pub(crate) const SUBMIT: &str = "operation_0";
pub(crate) const QUERY: &str = "operation_1";
pub(crate) const CANCEL: &str = "operation_2";
pub(crate) const RETRY: &str = "operation_3";

pub(crate) struct Place {
    /// For launch files.
    pub(crate) folder: TempDir,
    pub(crate) database: TestDatabase,
    pub(crate) store: Store,
    runtime: tokio::runtime::Runtime,
}

impl Place {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let database = TestDatabase::of(module_path!());
        let location = Location::parse(&database.address()).unwrap();
        let store = runtime.block_on(Store::migrate(&location)).unwrap();
        Self { folder, database, store, runtime }
    }

    pub(crate) fn block_on<T>(&self, work: impl Future<Output = T>) -> T {
        self.runtime.block_on(work)
    }

    /// The entry, launched as a host would, for the owner of that session.
    pub(crate) fn entry(&self, session: &str) -> Session {
        self.serve(Path::new(LAUNCH), session)
    }

    /// The entry of another launch file.
    pub(crate) fn serve(&self, launch: &Path, session: &str) -> Session {
        let mut entry = Host::new(env!("CARGO_BIN_EXE_tasks"))
            .arg("serve")
            .arg(launch)
            .env("TASK_DATABASE", self.database.address())
            .env("TASK_SESSION", session)
            .spawn();
        entry.initialize("2025-11-25");
        entry
    }

    /// A new session of that owner.
    pub(crate) fn session(&self, name: &str) -> String {
        let owner = name.parse().unwrap();
        let issued = self.block_on(self.store.issue_session(&owner, None, Timestamp::now()));
        issued.unwrap().expose_secret().to_owned()
    }

    /// A command on this database.
    pub(crate) fn command<const N: usize>(&self, words: [&str; N]) -> Host {
        program(words).env("TASK_DATABASE", self.database.address())
    }

    /// A worker that notices quickly, with a lease of that many milliseconds.
    pub(crate) fn worker(&self, lease: u64) -> Session {
        let mut worker =
            self.command(["worker", "--poll-ms", "20", "--lease-ms"]).arg(lease.to_string()).deadline(DEADLINE).spawn();
        worker.wait_for_stderr("started");
        worker
    }

    /// Submits for alice.
    pub(crate) fn submit(&self, mut members: Value) -> String {
        for (name, value) in [("reportId", json!("r")), ("rows", json!([1, 2.5]))] {
            if members.get(name).is_none() {
                members[name] = value;
            }
        }
        let asked = serde_json::from_value(members).unwrap();
        self.block_on(self.store.submit(&alice(), &asked, Timestamp::now())).unwrap()
    }

    /// Alice's job.
    pub(crate) fn job(&self, id: &str) -> Job {
        self.block_on(self.store.job(&alice(), id)).unwrap().unwrap()
    }

    /// Waits until alice's job is in that state.
    #[track_caller]
    pub(crate) fn wait_for(&self, id: &str, state: State) -> Job {
        let until = Instant::now() + DEADLINE;
        loop {
            let job = self.job(id);
            if job.state == state {
                return job;
            }
            assert!(Instant::now() < until, "not {state:?}: {job:?}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Sum and count of alice's report `r`.
    pub(crate) fn report(&self) -> Option<(f64, i64)> {
        let report = self.block_on(self.store.report(&alice(), "r")).unwrap();
        report.map(|report| (report.sum, report.count))
    }
}

/// The program, as a command for people.
pub(crate) fn program<const N: usize>(words: [&str; N]) -> Host {
    Host::new(env!("CARGO_BIN_EXE_tasks")).args(words).text_output()
}

pub(crate) fn alice() -> Owner {
    "alice".parse().unwrap()
}

/// Calls a tool and waits for its answer.
#[track_caller]
pub(crate) fn call(entry: &mut Session, tool: &str, arguments: &Value) -> Frame {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let id = NEXT.fetch_add(1, Ordering::Relaxed);
    entry.call(id, tool, arguments.clone());
    entry.answer_to(id)
}
