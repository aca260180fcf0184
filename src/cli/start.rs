//! The beginning of every command that runs application code: guard the stream, then launch on the application's
//! thread, while signals are watched.

use std::fs::File;
use std::io::Write;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use redact_json::Skipped;
use rustix::event::{PollFd, PollFlags, poll};
use tracing_subscriber::EnvFilter;

use super::exit::Exit;
use crate::application::Application;
use crate::entry::{Entry, Secret};
use crate::environment::Environment;
use crate::launch::{Given, Launch, Refusal, Side};
use crate::redaction;
use crate::runtime::Runtime;
use crate::shutdown::{Signals, Wake, Woken, wake};
use crate::stdio::{Guarded, Relay, guard};

/// How long relayed text is waited for at the end.
const LAST_WORDS: Duration = Duration::from_millis(200);

/// A launch that was not refused, and everything it stands on.
pub(super) struct Started<A: Application> {
    pub(super) launch: Launch<A>,
    pub(super) skipped: Vec<Skipped>,
    /// The variables that code named, and whether each is set. Never a value.
    pub(super) variables: Vec<(String, bool)>,
    pub(super) input: OwnedFd,
    pub(super) output: OwnedFd,
    pub(super) errors: OwnedFd,
    pub(super) relay: Relay,
    pub(super) runtime: Runtime,
    pub(super) signals: Signals,
    pub(super) wake: Wake,
    pub(super) woken: Woken,
}

/// Launches for `side`. `Err` is the exit status of a launch that was refused or that a signal ended.
pub(super) fn start<A: Application>(entry: Entry<A>, path: &Path, side: Side) -> Result<Started<A>, Exit> {
    let environment = Environment::read();
    let Entry { constructor, mcp, cli, secrets, variables, worker_threads, commands: _ } = entry;
    let named = variables.iter().chain(secrets.iter().filter_map(|secret| match secret {
        Secret::Variable(name) => Some(name),
        Secret::Value(..) => None,
    }));
    let variables = named.map(|name| (name.clone(), environment.get(name).is_some())).collect();
    let (rules, skipped) = match redaction::rules(secrets, &environment) {
        Ok(rules) => rules,
        Err(error) => {
            return Err(refuse(&rustix::stdio::stderr(), &Refusal::new(error.to_string()).entry("redaction")));
        }
    };
    let broken = |error: std::io::Error| Refusal::new(error.to_string()).entry("standard streams");
    let Guarded { input, output, errors, stray, one_file } =
        guard().map_err(|error| refuse(&rustix::stdio::stderr(), &broken(error)))?;
    // A person at a terminal sees both; a host's stream must never be written to.
    let mute = one_file && (side == Side::Mcp || !rustix::termios::isatty(&output));
    let prepared = errors.try_clone().and_then(|own| {
        let relay = Relay::start(stray, own, rules.clone(), mute)?;
        Ok((relay, Signals::watch()?, wake()?, wake()?, Runtime::start(worker_threads)?))
    });
    let (relay, signals, (wake, woken), (launched, launched_here), runtime) =
        prepared.map_err(|error| refuse(&errors, &broken(error)))?;
    log_to(&relay);

    let (sender, receiver) = mpsc::channel();
    let given = Given { constructor, binding: if side == Side::Mcp { mcp } else { cli }, rules: rules.clone() };
    let owned_path = path.to_owned();
    runtime.spawn(async move {
        // A thread that may block: a constructor may use a blocking client, or a runtime of its own.
        let opened = tokio::task::spawn_blocking(move || Launch::open(&owned_path, given, side)).await;
        if let Ok(opened) = opened {
            // Nobody receives any more when a signal has ended the launch.
            let _ = sender.send(opened);
        }
        launched.wake();
    });
    if !wait_for(&launched_here, &signals) {
        relay.finish(LAST_WORDS);
        return Err(Exit::Ok);
    }
    match receiver.recv() {
        Ok(Ok(launch)) => {
            Ok(Started { launch, skipped, variables, input, output, errors, relay, runtime, signals, wake, woken })
        }
        Ok(Err(refusal)) => {
            relay.finish(LAST_WORDS);
            let text = redact_json::redact_text(&refusal.to_string(), &rules).into_owned();
            Err(refuse(&errors, &text))
        }
        Err(_) => Err(refuse(&errors, &Refusal::new("the launch panicked; its message is above"))),
    }
}

impl<A: Application> Started<A> {
    /// Ends a command with its result on standard output.
    pub(super) fn finish(self, text: &str) -> Exit {
        let printed = self.output.try_clone().and_then(|output| print(File::from(output), text));
        self.relay.finish(LAST_WORDS);
        match printed {
            Ok(()) => Exit::Ok,
            Err(error) => {
                say(&self.errors, &format!("opgate: the result could not be written: {error}"));
                Exit::Failed
            }
        }
    }

    /// Ends a command with a line on standard error, behind what was relayed.
    pub(super) fn fail(self, exit: Exit, line: &str) -> Exit {
        self.relay.finish(LAST_WORDS);
        say(&self.errors, line);
        exit
    }
}

/// Whether the other side woke us before a signal did.
fn wait_for(woken: &Woken, signals: &Signals) -> bool {
    loop {
        let mut wanted = [PollFd::new(woken, PollFlags::IN), PollFd::new(signals, PollFlags::IN)];
        match poll(&mut wanted, None) {
            Ok(_) if !wanted[1].revents().is_empty() => return false,
            Ok(_) if !wanted[0].revents().is_empty() => return true,
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(_) => return false,
        }
    }
}

/// Writes a command's result. A reader that has seen enough and gone away is no error.
pub(super) fn print(mut output: impl Write, text: &str) -> std::io::Result<()> {
    match output.write_all(text.as_bytes()).and_then(|()| output.flush()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

/// Writes one refusal straight to standard error.
fn refuse(errors: &impl AsFd, refusal: &impl std::fmt::Display) -> Exit {
    say(errors, &format!("opgate: {refusal}"));
    Exit::Launch
}

/// Writes a line to standard error, and does not wait for ever for somebody to read it.
fn say(errors: &impl AsFd, line: &str) {
    let line = format!("{line}\n");
    if let Ok(own) = errors.as_fd().try_clone_to_owned() {
        let (done, written) = mpsc::channel::<()>();
        let writer = thread::Builder::new().spawn(move || {
            let _ = File::from(own).write_all(line.as_bytes());
            drop(done);
        });
        if writer.is_ok() {
            let _ = written.recv_timeout(Duration::from_secs(1));
        }
    }
}

/// Our log and the application's: warnings and worse, or what `OPGATE_LOG` says. rmcp logs payloads and is kept out.
fn log_to(relay: &Relay) {
    let filter = EnvFilter::builder().with_env_var("OPGATE_LOG").with_default_directive(tracing::Level::WARN.into());
    let filter = filter.from_env_lossy();
    let filter = match "rmcp=off".parse() {
        Ok(off) => filter.add_directive(off),
        Err(_) => filter,
    };
    // An application that installed its own subscriber keeps it.
    let _ = tracing_subscriber::fmt()
        .with_writer(relay.clone())
        .with_ansi(false)
        .without_time()
        .with_env_filter(filter)
        .try_init();
}
