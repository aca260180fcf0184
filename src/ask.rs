//! Asking a human, as the launch file says: who is asked, for how long, and what counts as a yes.
//!
//! Invariant: only an explicit yes to exactly this prompt, given in time and while somebody waits for the call, is one.
//! Time-out, cancellation, end of input, a signal, a dead asker and anything odd are no. Nothing is remembered: each call
//! that needs an answer asks anew. Terminals and programs are asked on threads of their own, so no application code delays
//! an answer or a time-out; a client's answer comes through the door, which notes when it came.

mod client;
mod program;
mod prompt;
mod shown;
pub(crate) mod terminal;
pub(crate) mod visible;
mod wrap;

use std::io;
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::Timespec;
use tokio::sync::oneshot;

use crate::environment::Environment;
use crate::gate::Stop;
use crate::launch::{Asks, PinnedFiles, Refusal, Side, Way};
use crate::shutdown::{Woken, wake};

pub(crate) use client::{Between, Client, Held, Looked};
pub(crate) use prompt::{Prompt, Unaskable};

use program::Program;
use terminal::Terminal;

/// What came of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Told {
    Yes,
    No,
    TimedOut,
    /// Cancelled, or the process is asked to end.
    Stopped,
    /// The client offers no way to be asked.
    Unable,
    /// Nobody could be asked, or the answer was none; the reason is for the log.
    Failed(&'static str),
}

impl Told {
    /// The word for logs and audit.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::No => "no",
            Self::TimedOut => "timed-out",
            Self::Stopped => "stopped",
            Self::Unable => "unable",
            Self::Failed(_) => "failed",
        }
    }
}

/// Whom the launch file asks for one part of one side.
pub(crate) struct Asker {
    pub(crate) ready: Ready,
    pub(crate) timeout: Duration,
    pub(crate) allow_partial: bool,
}

pub(crate) enum Ready {
    Terminal(Terminal),
    Program(Program),
    Client,
}

impl Asker {
    /// Refuses what cannot work before anything is served.
    pub(crate) fn new(
        asks: &Asks,
        environment: &Environment,
        side: Side,
        pinned: &PinnedFiles,
    ) -> Result<Self, Refusal> {
        let ready = match &asks.way {
            Way::Terminal => Ready::Terminal(
                Terminal::new(environment, side == Side::Cli).map_err(|problem| asks.place.clone().problem(problem))?,
            ),
            Way::Program(program) => Ready::Program(Program::new(program, environment, pinned)),
            Way::Client => Ready::Client,
        };
        Ok(Self { ready, timeout: asks.timeout, allow_partial: asks.allow_partial })
    }

    /// Asks, and waits for the answer. Must be awaited to its end.
    pub(crate) async fn ask(&self, prompt: &Prompt, client: &Client, stop: &Stop) -> Told {
        match &self.ready {
            Ready::Terminal(terminal) => terminal.ask(prompt, stop).await,
            Ready::Program(program) => program.ask(prompt, stop).await,
            Ready::Client => client.ask_held(prompt, stop).await,
        }
    }
}

/// What ends a question besides its answer.
struct Open {
    stop: Stop,
    woken: Woken,
    deadline: Instant,
}

impl Open {
    fn new(stop: &Stop, timeout: Duration) -> io::Result<Self> {
        let (wake, woken) = wake()?;
        stop.also_wake(wake);
        Ok(Self { stop: stop.clone(), woken, deadline: Instant::now() + timeout })
    }

    fn ended(&self) -> Option<Told> {
        if self.stop.asks_no_more() {
            Some(Told::Stopped)
        } else if Instant::now() >= self.deadline {
            Some(Told::TimedOut)
        } else {
            None
        }
    }

    /// Until the deadline, or `sooner`.
    fn left(&self, sooner: Option<Instant>) -> Option<Timespec> {
        let until = sooner.map_or(self.deadline, |sooner| sooner.min(self.deadline));
        // Rounded up, so that a wait does not end just before its time.
        let left = until.saturating_duration_since(Instant::now()) + Duration::from_millis(1);
        Timespec::try_from(left).ok()
    }
}

/// Holds a question on a thread of its own, which has ended when this returns.
async fn on_a_thread(stop: &Stop, timeout: Duration, hold: impl FnOnce(&Open) -> Told + Send + 'static) -> Told {
    let Ok(open) = Open::new(stop, timeout) else { return Told::Failed("no descriptors are left") };
    let (sender, receiver) = oneshot::channel();
    let thread = thread::Builder::new().name("asker".to_owned()).spawn(move || {
        // Whoever asked waits for it.
        let _ = sender.send(hold(&open));
    });
    let Ok(thread) = thread else { return Told::Failed("no thread could be started") };
    let told = receiver.await;
    let ended = thread.join();
    match (told, ended) {
        (Ok(told), Ok(())) => told,
        _ => Told::Failed("the asker panicked"),
    }
}
