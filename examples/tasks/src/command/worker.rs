//! `tasks worker`: runs queued jobs until it is told to stop.

use std::{ffi::OsString, process::ExitCode, time::Duration};

use backend::command;
use clap::Parser;
use tokio::{
    signal::unix::{SignalKind, signal},
    sync::watch,
};

use crate::{
    environment,
    store::Store,
    worker::{Event, Pace, Worker},
};

/// Run queued jobs, one at a time, of all owners
///
/// The first SIGINT or SIGTERM drains: the job in hand is finished and no other is begun. Any number
/// of workers may run on one database.
#[derive(Debug, Parser)]
#[command(name = "tasks worker")]
struct Arguments {
    /// End when no job is queued or running, whenever it is due
    #[arg(long)]
    until_idle: bool,
    /// How long a job is held without a sign of life, in milliseconds
    #[arg(long, hide = true, default_value_t = 30_000, value_parser = clap::value_parser!(u64).range(100..=3_600_000))]
    lease_ms: u64,
    /// How often an empty queue is looked at, in milliseconds
    #[arg(long, hide = true, default_value_t = 500, value_parser = clap::value_parser!(u64).range(10..=60_000))]
    poll_ms: u64,
}

/// Runs the command.
#[must_use]
pub fn main(arguments: Vec<OsString>) -> ExitCode {
    command::run("tasks worker", arguments, async |arguments: Arguments| {
        // Before the first claim: a signal must never find a job without its drain.
        let mut interrupt = signal(SignalKind::interrupt())?;
        let mut terminate = signal(SignalKind::terminate())?;
        let store = Store::open(&environment::database()?).await?;
        let pace = Pace {
            lease: Duration::from_millis(arguments.lease_ms),
            poll: Duration::from_millis(arguments.poll_ms),
            until_idle: arguments.until_idle,
        };
        let events = |event: &Event| command::say(&event.to_string());
        let worker = Worker::new(store.clone(), pace, events)?;
        let (drain, drained) = watch::channel(false);
        let signals = async {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            }
            command::say(&Event::Draining.to_string());
            drain.send_replace(true);
            // Later signals change nothing: the job in hand is what is waited for.
            std::future::pending::<()>().await;
        };
        let outcome = tokio::select! {
            outcome = worker.run(drained) => outcome,
            () = signals => Ok(()),
        };
        store.close().await;
        Ok(outcome?)
    })
}
