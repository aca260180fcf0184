//! Many producers and workers on one database, while workers are killed and the database is restarted.
//!
//! Each producer is an entry of its own, with an identity of its own, driven over MCP as a host would. What a run does,
//! and what it kills after how many submissions, follows from its seed.

mod plan;
mod producer;
mod summary;
mod workers;

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use backend::database::Location;
use jiff::Timestamp;
use secrecy::ExposeSecret as _;
use sqlx::AnyPool;
use tasks::store::Store;
use tempfile::TempDir;
use test_host::postgres::Cluster;
use tokio::runtime::Runtime;

use self::plan::{Event, Plan};
use self::producer::Producer;
pub(crate) use self::summary::Summary;
use self::workers::Workers;

/// What a run consists of.
#[derive(Debug, Clone)]
pub(crate) struct Load {
    pub(crate) database: Kind,
    pub(crate) producers: usize,
    pub(crate) workers: usize,
    pub(crate) jobs: usize,
    pub(crate) kills: usize,
    pub(crate) seed: u64,
}

/// Which database, restarted once if it is a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Sqlite,
    Postgres,
}

/// Where a run takes place.
struct Ground {
    #[expect(dead_code, reason = "it only has to live")]
    folder: TempDir,
    address: String,
    cluster: Option<Cluster>,
    runtime: Runtime,
    store: Store,
}

impl Load {
    /// Runs it to its end.
    ///
    /// # Panics
    ///
    /// If a job is lost or doubled, a report is wrong, or anything is visible to another owner.
    pub(crate) fn run(&self) -> Summary {
        let mut ground = Ground::new(self.database);
        let plan = Plan::new(self);
        let producers: Vec<_> = (0..self.producers).map(|number| Producer::start(&ground, number)).collect();
        let mut summary = Summary::new(self, &producers);
        let accepted = AtomicUsize::new(0);
        let (mut finished, events) = thread::scope(|scope| {
            let running: Vec<_> = producers
                .into_iter()
                .zip(&plan.submissions)
                .map(|(producer, submissions)| scope.spawn(|| producer.run(submissions, &accepted)))
                .collect();
            let are_producing = || running.iter().any(|producer| !producer.is_finished());
            let events = self.carry_out(&plan.events, &mut ground, &accepted, are_producing);
            (running.into_iter().map(|producer| producer.join().expect("a producer")).collect::<Vec<_>>(), events)
        });
        assert_eq!(events.len(), plan.events.len(), "the run was over before all of its plan was carried out");
        summary.events = events;
        ground.verify(&finished);
        summary.finish(&finished);
        hide_from_each_other(&mut finished);
        finished.into_iter().for_each(Producer::close);
        ground.runtime.block_on(ground.store.close());
        summary
    }

    /// Keeps the workers running, and kills and restarts what the plan says, while the producers wait for their jobs.
    fn carry_out(
        &self,
        plan: &[(usize, Event)],
        ground: &mut Ground,
        accepted: &AtomicUsize,
        are_producing: impl Fn() -> bool,
    ) -> Vec<String> {
        let begun = Instant::now();
        let mut workers = Workers::start(ground, self.workers);
        let mut told = Vec::new();
        let mut due = plan.iter().peekable();
        while are_producing() {
            let accepted = accepted.load(Ordering::Relaxed);
            while let Some((_, event)) = due.next_if(|(after, _)| *after <= accepted) {
                let what = match event {
                    Event::Kill(number) => workers.kill(*number),
                    Event::Restart => {
                        ground.cluster.as_mut().expect("a server").restart();
                        "database restarted".to_owned()
                    }
                };
                told.push(format!("{:7.2} s  after {accepted:>5} jobs  {what}", begun.elapsed().as_secs_f64()));
            }
            workers.replace_those_that_ended();
            thread::sleep(Duration::from_millis(5));
        }
        workers.drain();
        told
    }
}

/// Each producer asks for every job of its neighbour.
fn hide_from_each_other(producers: &mut [Producer]) {
    let mut ids: Vec<Vec<String>> =
        producers.iter().map(|producer| producer.jobs.iter().map(|job| job.id.clone()).collect()).collect();
    ids.rotate_left(1);
    thread::scope(|scope| {
        for (producer, ids) in producers.iter_mut().zip(&ids) {
            scope.spawn(|| producer.assert_hidden(ids));
        }
    });
}

impl Ground {
    fn new(kind: Kind) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let cluster = (kind == Kind::Postgres).then(Cluster::durable);
        let address = cluster.as_ref().map_or_else(
            || format!("sqlite:{}", folder.path().join("tasks.db").display()),
            |cluster| cluster.database().url(),
        );
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let location = Location::parse(&address).expect("a location");
        let store = runtime.block_on(Store::migrate(&location)).expect("a migrated database");
        Self { folder, address, cluster, runtime, store }
    }

    fn session(&self, owner: &str) -> String {
        let owner = owner.parse().expect("a name");
        let issued = self.runtime.block_on(self.store.issue_session(&owner, None, Timestamp::now()));
        issued.expect("a session").expose_secret().to_owned()
    }

    /// Each job that was accepted is there once and has succeeded, its report is right, and only its owner has it.
    fn verify(&self, producers: &[Producer]) {
        let expected: usize = producers.iter().map(|producer| producer.jobs.len()).sum();
        let states: Vec<(String, i64)> = self.runtime.block_on(async {
            sqlx::any::install_default_drivers();
            let pool = AnyPool::connect(&self.address).await.expect("the database");
            let query = sqlx::query_as("SELECT state, COUNT(*) FROM jobs GROUP BY state");
            let states = query.fetch_all(&pool).await.expect("an answer");
            pool.close().await;
            states
        });
        assert_eq!(states, [("succeeded".to_owned(), i64::try_from(expected).expect("a count"))]);
        for (number, producer) in producers.iter().enumerate() {
            let stranger = producers[(number + 1) % producers.len()].owner.parse().expect("a name");
            let owner = producer.owner.parse().expect("a name");
            for job in &producer.jobs {
                let report =
                    |owner| self.runtime.block_on(self.store.report(owner, &job.report_id)).expect("an answer");
                assert_eq!(report(&owner), Some(job.expected), "{}", job.report_id);
                assert_eq!(report(&stranger), None, "{}", job.report_id);
            }
        }
    }

    fn program() -> PathBuf {
        PathBuf::from(env!("CARGO_BIN_EXE_tasks"))
    }
}
