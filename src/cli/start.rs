//! The beginning of every command that runs application code: guard the stream, then launch on the application's
//! thread, while signals are watched.

use std::fs::File;
use std::io::Write;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use redact_json::{Rules, Skipped};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde_json::Value;
use tracing_subscriber::EnvFilter;

use super::bound;
use super::exit::Exit;
use crate::application::Application;
use crate::ask::Asker;
use crate::binding::{Bound, Part};
use crate::entry::{Entry, Secret};
use crate::environment::Environment;
use crate::gate::{Panicked, contain};
use crate::launch::{Given, Launch, LaunchFile, NamedVariable, Refusal, Side, Variable, refuse_bound_twice};
use crate::process::Children;
use crate::redaction;
use crate::runtime::Runtime;
use crate::shutdown::{Signals, Wake, Woken, wake};
use crate::stdio::{Guarded, Relay, guard};

/// How long relayed text is waited for at the end.
pub(super) const LAST_WORDS: Duration = Duration::from_millis(200);
/// How long a reader of a result is waited for after a signal.
const PATIENCE: Duration = Duration::from_secs(5);

/// A launch that was not refused, and everything it stands on.
pub(super) struct Started<A: Application> {
    pub(super) launch: Launch<A>,
    pub(super) skipped: Vec<Skipped>,
    /// The binding of the side that was not launched.
    pub(super) other_binding: Arc<dyn Bound<A>>,
    /// The variables that code and files name, each once. Never a value.
    pub(super) variables: Vec<NamedVariable>,
    /// Whoever can write one of these has the identity.
    pub(super) files: Vec<PathBuf>,
    pub(super) children: Children,
    pub(super) input: OwnedFd,
    pub(super) output: OwnedFd,
    pub(super) errors: OwnedFd,
    pub(super) relay: Relay,
    pub(super) runtime: Runtime,
    pub(super) signals: Signals,
    pub(super) wake: Wake,
    pub(super) woken: Woken,
}

/// Who a command works for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Caller {
    /// A host, whose stream carries frames alone.
    Host,
    /// A person or a script that looks at what a host would get.
    Onlooker,
    /// A person or a script that calls an operation.
    Person,
}

/// Launches what a file says. `Err` is the exit status of a launch that was refused or that a signal ended.
pub(super) fn start<A: Application>(entry: Entry<A>, path: &Path, caller: Caller) -> Result<Started<A>, Exit> {
    let path = path.to_owned();
    start_with(entry, move || LaunchFile::read(&path), caller)
}

/// Launches. `Err` is the exit status of a launch that was refused or that a signal ended.
pub(super) fn start_with<A: Application>(
    entry: Entry<A>,
    file: impl FnOnce() -> Result<LaunchFile, Refusal> + Send + 'static,
    caller: Caller,
) -> Result<Started<A>, Exit> {
    let side = if caller == Caller::Person { Side::Cli } else { Side::Mcp };
    // First of all: a signal must never find the process without an answer to it.
    let signals = Signals::watch()
        .map_err(|error| refuse(&rustix::stdio::stderr(), &Refusal::new(error.to_string()).entry("signals")))?;
    let environment = Environment::read();
    let Entry { constructor, children, mcp, cli, mut secrets, variables, worker_threads, commands: _, decode_context } =
        entry;
    let file = match file() {
        Ok(file) => file,
        Err(refusal) => return Err(refuse_unread(&refusal, secrets, &environment)),
    };
    let variables = bound::of_code(&variables, &secrets, &environment);
    let unset = variables.iter().filter(|variable| !variable.is_set).map(|variable| variable.name.clone()).collect();
    let variables = bound::variables(&file, variables, &environment);
    secrets.extend(bound::secrets(&file));
    let (rules, skipped) = match redaction::rules(secrets, &file.masking.keys, &environment) {
        Ok(rules) => rules,
        Err(error) => {
            return Err(refuse(&rustix::stdio::stderr(), &Refusal::new(error.to_string()).entry("redaction")));
        }
    };
    let prepared = Prepared::new(file, side, &environment, (&*mcp, &*cli));
    let Prepared { file, context, confirm, approve } =
        prepared.map_err(|refusal| refuse(&rustix::stdio::stderr(), &refusal.shown(&rules)))?;
    let broken = |error: std::io::Error| Refusal::new(error.to_string()).entry("standard streams");
    let Guarded { input, output, errors, stray, one_file } =
        guard().map_err(|error| refuse(&rustix::stdio::stderr(), &broken(error)))?;
    // A person at a terminal sees both; a host's stream must never be written to.
    let mute = one_file && (caller == Caller::Host || !rustix::termios::isatty(&output));
    let prepared = errors.try_clone().and_then(|own| {
        let relay = Relay::start(stray, own, rules.clone(), mute)?;
        // The runtime panics where it gets no descriptors.
        let runtime = contain(|| Runtime::start(worker_threads));
        let runtime = runtime.unwrap_or_else(|Panicked| Err(std::io::Error::other("no runtime could be made")))?;
        Ok((relay, wake()?, runtime))
    });
    let (relay, (wake, woken), runtime) = prepared.map_err(|error| refuse(&errors, &broken(error)))?;
    log_to(&relay);

    let (code, other_binding) = if side == Side::Mcp { (mcp, cli) } else { (cli, mcp) };
    let given =
        Given { constructor, file, code, decode_context, context, confirm, approve, rules: rules.clone(), unset };
    // On the application's runtime, and on a thread that may block: a constructor may use a blocking client.
    let opened = attend(&signals, Duration::ZERO, |done| {
        runtime.spawn(Box::pin(async move {
            if let Ok(opened) = tokio::task::spawn_blocking(move || Launch::open(given, side)).await {
                done(opened);
            }
        }));
        Ok(())
    });
    match opened {
        Ok(Ok(mut launch)) => Ok(Started {
            variables: std::mem::take(&mut launch.variables).into_iter().fold(variables, bound::merged),
            files: std::mem::take(&mut launch.files),
            children,
            launch,
            skipped,
            other_binding,
            input,
            output,
            errors,
            relay,
            runtime,
            signals,
            wake,
            woken,
        }),
        // Nothing was admitted, so a host's entry has nothing to drain; whoever else asked got nothing.
        Err(Unattended::Signalled) => {
            children.kill();
            relay.finish(LAST_WORDS);
            Err(if caller == Caller::Host { Exit::Ok } else { Exit::Failed })
        }
        Ok(Err(refusal)) => {
            relay.finish(LAST_WORDS);
            Err(refuse(&errors, &refusal.shown(&rules)))
        }
        Err(Unattended::Failed(error)) => Err(refuse(&errors, &broken(error))),
    }
}

/// What is known of a launch before anything of the application's runs.
struct Prepared {
    file: LaunchFile,
    context: Option<Value>,
    confirm: Option<Asker>,
    approve: Option<Asker>,
}

impl Prepared {
    /// Refuses a part that is bound twice, on either side, and a variable that is needed and unset.
    fn new<A: Application>(
        file: LaunchFile,
        side: Side,
        environment: &Environment,
        (mcp, cli): (&dyn Bound<A>, &dyn Bound<A>),
    ) -> Result<Self, Refusal> {
        refuse_bound_twice(&file.mcp, mcp)?;
        refuse_bound_twice(&file.cli, cli)?;
        let binding = file.binding(side);
        let programs = binding.all_asks().filter_map(|(_, asks)| asks.program());
        let needed = binding.context.iter().flat_map(|context| context.variables()).map(|(variable, _)| variable);
        let needed = needed.chain(&file.masking.secrets).chain(programs.flat_map(|program| &program.variables));
        Variable::refuse_unset(needed, environment)?;
        let context = binding.context.as_ref().map(|context| context.resolve(environment)).transpose()?;
        let asker = |part| binding.asks(part).map(|asks| Asker::new(asks, environment, side, &file.pinned)).transpose();
        let (confirm, approve) = (asker(Part::Confirm)?, asker(Part::Approve)?);
        Ok(Self { file, context, confirm, approve })
    }
}

/// Refuses a file that cannot be read and thus rules nothing, with the rules of code and the environment.
fn refuse_unread(refusal: &Refusal, secrets: Vec<Secret>, environment: &Environment) -> Exit {
    let rules = redaction::rules(secrets, &[], environment).map_or_else(|_| Rules::default(), |(rules, _)| rules);
    refuse(&rustix::stdio::stderr(), &refusal.shown(&rules))
}

impl<A: Application> Started<A> {
    /// Ends a command with its result on standard output.
    pub(super) fn finish(self, text: &str) -> Exit {
        self.children.end();
        let text = text.to_owned();
        let printed = self.attend(PATIENCE, move |output, _| print(File::from(output), &text));
        self.relay.finish(LAST_WORDS);
        let problem = match printed {
            Ok(Ok(())) => return Exit::Ok,
            Ok(Err(error)) | Err(Unattended::Failed(error)) => error.to_string(),
            Err(Unattended::Signalled) => "a signal came while nobody read it".to_owned(),
        };
        say(&self.errors, &format!("opgate: the result could not be written: {problem}"));
        Exit::Failed
    }

    /// Does what may block with standard output or input on a thread of its own, which a signal leaves behind.
    pub(super) fn attend<T: Send + 'static>(
        &self,
        patience: Duration,
        work: impl FnOnce(OwnedFd, OwnedFd) -> T + Send + 'static,
    ) -> Result<T, Unattended> {
        let (output, input) = (self.output.try_clone(), self.input.try_clone());
        attend(&self.signals, patience, |done| {
            let (output, input) = (output?, input?);
            thread::Builder::new().spawn(move || done(work(output, input))).map(drop)
        })
    }

    /// Refuses a launch that is not right after all.
    pub(super) fn refuse(self, refusal: &Refusal) -> Exit {
        let line = format!("opgate: {}", refusal.shown(&self.launch.gate.rules));
        self.fail(Exit::Launch, &line)
    }

    /// Ends a command with a line on standard error, behind what was relayed.
    pub(super) fn fail(self, exit: Exit, line: &str) -> Exit {
        self.children.end();
        self.relay.finish(LAST_WORDS);
        say(&self.errors, line);
        exit
    }
}

/// Why there is no result.
pub(super) enum Unattended {
    Signalled,
    Failed(std::io::Error),
}

/// Waits for what `begin` started to be done; after a signal for so long at most.
fn attend<T: Send + 'static>(
    signals: &Signals,
    patience: Duration,
    begin: impl FnOnce(Box<dyn FnOnce(T) + Send>) -> std::io::Result<()>,
) -> Result<T, Unattended> {
    let (sender, receiver) = mpsc::channel();
    let (wake, woken) = wake().map_err(Unattended::Failed)?;
    // Dropped unused when the work panicked, which wakes as well.
    begin(Box::new(move |result| {
        // Nobody receives any more after a signal.
        let _ = sender.send(result);
        drop(wake);
    }))
    .map_err(Unattended::Failed)?;
    let mut signalled: Option<Instant> = None;
    loop {
        let left = signalled.map(|since| patience.saturating_sub(since.elapsed()));
        let timeout = left.and_then(|left| Timespec::try_from(left).ok());
        let mut wanted = [PollFd::new(&woken, PollFlags::IN), PollFd::new(signals, PollFlags::IN)];
        match poll(&mut wanted, timeout.as_ref()) {
            Ok(_) if !wanted[0].revents().is_empty() => break,
            Ok(_) if !wanted[1].revents().is_empty() => {
                signals.take();
                signalled.get_or_insert_with(Instant::now);
            }
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(Unattended::Failed(error.into())),
        }
        if signalled.is_some_and(|since| since.elapsed() >= patience) {
            return Err(Unattended::Signalled);
        }
    }
    receiver.recv().map_err(|_| Unattended::Failed(std::io::Error::other("it panicked; its message is above")))
}

/// Writes a command's result whole, also where somebody left the description non-blocking. A reader that has seen enough
/// and gone away is no error.
pub(super) fn print(mut output: impl Write + AsFd, text: &str) -> std::io::Result<()> {
    let mut rest = text.as_bytes();
    while !rest.is_empty() {
        match output.write(rest) {
            Ok(count) => rest = &rest[count..],
            Err(error) => match error.kind() {
                std::io::ErrorKind::BrokenPipe => return Ok(()),
                std::io::ErrorKind::Interrupted => {}
                std::io::ErrorKind::WouldBlock => {
                    poll(&mut [PollFd::new(&output, PollFlags::OUT)], None)?;
                }
                _ => return Err(error),
            },
        }
    }
    match output.flush() {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

/// Writes one refusal straight to standard error.
pub(super) fn refuse(errors: &impl AsFd, refusal: &impl std::fmt::Display) -> Exit {
    say(errors, &format!("opgate: {refusal}"));
    Exit::Launch
}

/// Writes a line to standard error, and does not wait for ever for somebody to read it.
pub(super) fn say(errors: &impl AsFd, line: &str) {
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
