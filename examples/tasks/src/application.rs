//! The application as opgate sees it: what it declares, and how it starts and stops.

use backend::database::Location;
use backend::environment::EnvironmentError;
use jiff::Timestamp;
use opgate::{Application, Cancellation, Effect, Failure, Operation, Retry};
use secrecy::SecretString;

use crate::environment;
use crate::service::TasksService;
use crate::store::Store;

/// The configuration of the queue: where it is, and who asks.
pub struct Tasks {
    database: Location,
    session: SecretString,
}

impl Tasks {
    /// Reads `TASK_DATABASE` and `TASK_SESSION`. Opens nothing.
    ///
    /// # Errors
    ///
    /// When one of them is unset or unusable; the error names the variable and says what to set.
    pub fn from_environment() -> Result<Self, EnvironmentError> {
        Ok(Self { database: environment::database()?, session: environment::session()? })
    }
}

impl Application for Tasks {
    type Running = TasksService;
    type Context = ();

    fn operations(&self) -> Vec<Operation<Self>> {
        vec![submit(), query(), cancel(), retry(), report()]
    }

    /// Everything but `report`: an agent learns how a job stands, not what is in the report.
    fn mcp_operations(&self) -> Option<Vec<Operation<Self>>> {
        Some(vec![submit(), query(), cancel(), retry()])
    }

    async fn start(&self) -> Result<TasksService, Failure> {
        let store = Store::open(&self.database).await.map_err(|error| {
            if error.asks_for_migration() {
                Failure::safe(
                    "database-not-ready",
                    "The task database is missing or does not fit this version. Its operator has to run \
                     `tasks migrate`.",
                )
                .caused_by(error)
            } else {
                error.into()
            }
        })?;
        match store.authenticate(&self.session, Timestamp::now()).await {
            Ok(Some(owner)) => Ok(TasksService::new(store, owner)),
            refused => {
                store.close().await;
                refused?;
                Err(Failure::safe(
                    "session-refused",
                    "The session of this entry is unknown or has expired. Its operator has to issue a new one.",
                ))
            }
        }
    }

    async fn stop(running: TasksService) -> Result<(), Failure> {
        running.close().await;
        Ok(())
    }
}

fn submit() -> Operation<Tasks> {
    Operation::new("tasks", "submit", TasksService::submit)
        .describe(
            "Queue a job that computes a report: the sum and the count of `rows`. The job is stored before this \
             answers, and a separate worker runs it later, at most 3 times if it fails. The first submission of a \
             `reportId` makes you its owner for ever; a later one replaces the report when its job succeeds. Pass a \
             `deduplicationKey` of your own choosing: then the same submission can be sent again after a time-out, \
             and gives the same job. Without one, each submission is a new job. A key stands for one submission for \
             ever: with different arguments it is refused with `deduplication-key-reused`.",
        )
        .effect(Effect::Write)
        .destructive(true)
        .retry(Retry::Unsafe)
        .cancellation(Cancellation::Cooperative)
        .output(
            "The job id, a string. Keep it: only with it can the job be queried, cancelled or retried. It is an \
             address, not a permission: it works for the owner alone.",
        )
        .source("examples/tasks/src/store/submit.rs")
}

fn query() -> Operation<Tasks> {
    Operation::new("tasks", "query", TasksService::query)
        .describe(
            "Read the state of a job you own. Use it to wait for a job, and to look before you repeat a call whose \
             outcome you do not know. Ask again after a second or more; a queued job does not run before `runAt`.",
        )
        .effect(Effect::Read)
        .destructive(false)
        .retry(Retry::Safe)
        .cancellation(Cancellation::None)
        .output(
            "An object with `jobId`, `reportId`, `state` (queued, running, succeeded, failed or cancelled; the last \
             three are final), `attempts`, `maxAttempts`, `cancelRequested`, the times `submittedAt`, `runAt`, \
             `startedAt` and `finishedAt`, and `lastError`; or null if you have no such job.",
        )
        .source("examples/tasks/src/store/jobs.rs")
}

fn cancel() -> Operation<Tasks> {
    Operation::new("tasks", "cancel", TasksService::cancel)
        .describe(
            "Cancel a job you own. A waiting job is cancelled at once. A running one is asked to stop: `requested` \
             does not say that it has stopped, and it may still succeed or fail; query it until its state is final. \
             A cancelled job cannot be retried; submit it anew.",
        )
        .effect(Effect::Write)
        .destructive(true)
        .retry(Retry::Safe)
        .cancellation(Cancellation::None)
        .output(
            "\"cancelled\" (it will never run), \"requested\" (it runs; its worker was asked to stop), \"terminal\" \
             (it had already ended, nothing changed) or \"missing\" (you have no such job).",
        )
        .reconcile("tasks.query")
        .source("examples/tasks/src/store/jobs.rs")
}

fn retry() -> Operation<Tasks> {
    Operation::new("tasks", "retry", TasksService::retry)
        .describe(
            "Give a job you own one more attempt after its state became `failed`. Jobs in any other state are left \
             alone. Query the job before you repeat this call: each failure can be retried once more.",
        )
        .effect(Effect::Write)
        .destructive(false)
        .retry(Retry::Unsafe)
        .cancellation(Cancellation::None)
        .output("true if the job was queued again; false if it is not `failed` or you have no such job.")
        .reconcile("tasks.query")
        .source("examples/tasks/src/store/jobs.rs")
}

fn report() -> Operation<Tasks> {
    Operation::new("tasks", "report", TasksService::report)
        .describe("Read a finished report you own.")
        .effect(Effect::Read)
        .destructive(false)
        .retry(Retry::Safe)
        .cancellation(Cancellation::None)
        .output("An object with `sum` and `count`, or null if you have no such report or it is not finished yet.")
        .source("examples/tasks/src/store/jobs.rs")
}
