//! `tasks demo`: the whole way of one report, with each part as it is in earnest.
//!
//! The entry and the worker are processes of this very program; only the host is played here.

mod host;

use std::error::Error;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use backend::command::{self, print};
use backend::database::Location;
use backend::session::Owner;
use clap::Parser;
use jiff::Timestamp;
use secrecy::SecretString;
use serde_json::{Value, json};

use self::host::{Entry, Program};
use crate::environment;
use crate::job::{Job, State};
use crate::store::Store;

/// Show the whole way of one report: a host submits it, a worker computes it, the host sees it done
///
/// Makes a database in a folder, issues a session, starts the MCP entry as a host would, and a worker.
/// May be run again in the same folder.
#[derive(Debug, Parser)]
#[command(name = "tasks demo")]
struct Arguments {
    /// Where the database is made
    #[arg(long, default_value = "var/demo")]
    folder: PathBuf,
    /// The launch file of the entry; by default config/tasks.toml of this workspace
    #[arg(long)]
    launch: Option<PathBuf>,
}

/// A step that failed, and why.
#[derive(Debug, thiserror::Error)]
#[error("the step \"{step}\" failed")]
pub(super) struct DemoError {
    step: &'static str,
    source: Box<dyn Error + Send + Sync>,
}

/// Names the step in which something failed.
trait At<T> {
    fn at(self, step: &'static str) -> Result<T, DemoError>;
}

impl<T, E: Into<Box<dyn Error + Send + Sync>>> At<T> for Result<T, E> {
    fn at(self, step: &'static str) -> Result<T, DemoError> {
        self.map_err(|error| DemoError { step, source: error.into() })
    }
}

/// Runs the command.
#[must_use]
pub fn main(arguments: Vec<OsString>) -> ExitCode {
    command::run("tasks demo", arguments, async |arguments: Arguments| Ok(demonstrate(arguments).await?))
}

async fn demonstrate(arguments: Arguments) -> Result<(), DemoError> {
    let launch = arguments.launch.unwrap_or_else(environment::launch_file);
    let launch = std::fs::canonicalize(&launch)
        .map_err(|error| format!("{}: {error}; name the file with --launch", launch.display()))
        .at("find the launch file")?;

    let database = std::path::absolute(arguments.folder.join("tasks.db")).at("find the folder")?;
    let session = prepare(&database).await.at("make the database")?;
    step("database", &format!("{} is ready", database.display()))?;
    step("session", "issued for the owner \"demo\"; the database holds only its hash")?;

    let program = Program::this(&database, session).at("find this program")?;
    let entry = Entry::launch(&program, &launch).await.at("launch the entry")?;
    step("entry", &format!("launched as a host would: tasks serve {}", launch.display()))?;
    for tool in entry.tools() {
        step("tool", tool)?;
    }

    // A report of its own for each run, so that each run has something to do.
    let report = format!("demo-{}", Timestamp::now().as_millisecond());
    let submission = json!({
        "reportId": report, "rows": [1, 2.5, -3], "failUntilAttempt": 2, "deduplicationKey": report,
    });
    let id: String = call(&entry, "tasks.submit", &submission).await?;
    let again: String = call(&entry, "tasks.submit", &submission).await?;
    if id != again {
        return Err("a repetition with the same deduplicationKey gave another job").at("submit a report twice");
    }
    step("", "the same deduplicationKey: the same job")?;
    call::<Job>(&entry, "tasks.query", &json!({"jobId": id})).await?;

    step("worker", "tasks worker --until-idle")?;
    // A short lease: the job of a demonstration that was interrupted is not waited for long.
    program
        .run(&["worker", "--until-idle", "--lease-ms", "2000"], |line| step("", line))
        .await
        .at("run the worker until nothing is queued; --folder elsewhere gives an empty queue")?;

    let done: Job = call(&entry, "tasks.query", &json!({"jobId": id})).await?;
    if done.state != State::Succeeded {
        return Err(format!("it is {}", done.state.as_str())).at("find the job succeeded");
    }
    entry.close().await.at("close the entry")?;

    let input = json!({"reportId": report}).to_string();
    step("report", "no tool gives it, the command line does: tasks call LAUNCH tasks report --input JSON")?;
    let launch_word = launch.display().to_string();
    let read = ["call", &launch_word, "tasks", "report", "--input", &input];
    program.run(&read, |line| step("", line)).await.at("read the report")?;

    advise(&program, &launch, &database).at("print what to do next")
}

async fn prepare(database: &Path) -> Result<SecretString, Box<dyn Error + Send + Sync>> {
    let owner: Owner = "demo".parse()?;
    let store = Store::migrate(&Location::from(database.to_owned())).await?;
    // Those of earlier demonstrations are of no use to anybody.
    store.revoke_sessions(&owner).await?;
    let session = store.issue_session(&owner, None, Timestamp::now()).await;
    store.close().await;
    Ok(session?)
}

/// Calls a tool and shows what was sent and what came back.
async fn call<T: serde::de::DeserializeOwned>(
    entry: &Entry,
    title: &'static str,
    arguments: &Value,
) -> Result<T, DemoError> {
    step(title, &arguments.to_string())?;
    let answer = entry.call(title, arguments).await.at(title)?;
    step("", &format!("-> {answer}"))?;
    serde_json::from_str(&answer).at(title)
}

fn advise(program: &Program, launch: &Path, database: &Path) -> std::io::Result<()> {
    let entry = json!({"mcpServers": {"tasks": {
        "command": program.path(),
        "args": ["serve", launch],
        "env": {
            environment::DATABASE: format!("sqlite:{}", database.display()),
            environment::SESSION: "<the session that issue-session prints>",
        },
    }}});
    let program = program.path().display();
    let database = database.display();
    print("\nIt works. To give these tools to an MCP host, issue a session, and keep a worker running:\n")?;
    print(&format!("  export {}='sqlite:{database}'", environment::DATABASE))?;
    print(&format!("  {program} issue-session --owner YOU"))?;
    print(&format!("  {program} worker"))?;
    print("\nThen paste this into the host's configuration, with that session in it:\n")?;
    print(&format!("{entry:#}"))
}

fn step(name: &str, text: &str) -> Result<(), DemoError> {
    print(&format!("{name:<13} {text}")).at("print")
}
