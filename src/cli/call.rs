//! `call`: one operation from the command line, through the same gate.

use std::fs::File;
use std::io::Read;
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use clap::ArgMatches;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::exit::Exit;
use super::start::{Caller, Started, Unattended, start};
use super::usage;
use crate::application::Application;
use crate::ask::Client;
use crate::diagnostic::{Diagnostic, Phase};
use crate::entry::Entry;
use crate::gate::{Admission, Answered, Arguments, Calls, Gate, Request, Stop};
use crate::redaction::Form;
use crate::scan::{Root, scan};
use crate::shutdown::{still_waiting, wake};

pub(super) fn run<A: Application>(entry: Entry<A>, arguments: &ArgMatches) -> Exit {
    let started = match start(entry, usage::launch(arguments), Caller::Person) {
        Ok(started) => started,
        Err(exit) => return exit,
    };
    let text = |name| arguments.get_one::<String>(name).map(String::as_str);
    let name = format!("{}.{}", text("PLUGIN").unwrap_or_default(), text("METHOD").unwrap_or_default());
    let gate = Arc::clone(&started.launch.gate);
    let Some(operation) = gate.operations.iter().position(|exposed| exposed.declaration.name() == name) else {
        let known: Vec<String> = gate.operations.iter().map(|exposed| exposed.declaration.name()).collect();
        return started.fail(
            Exit::Usage,
            &format!("opgate: no operation {name:?} is declared\n  declared: {}", known.join(", ")),
        );
    };
    let from_input = arguments.get_flag("stdin");
    let given = text("input").unwrap_or("{}").to_owned();
    let read = started.attend(Duration::ZERO, move |_, input| match given.strip_prefix('@') {
        _ if from_input => read_all(File::from(input)),
        Some(file) => File::open(file).map_err(|error| format!("{file}: {error}")).and_then(read_all),
        None => Ok(given),
    });
    let read = match read {
        Ok(read) => read,
        Err(Unattended::Failed(error)) => Err(error.to_string()),
        Err(Unattended::Signalled) => return started.fail(Exit::Failed, "opgate: a signal came; nothing was called"),
    };
    let arguments = match read.and_then(|text| parse(&text)) {
        Ok(arguments) => arguments,
        Err(problem) => return started.fail(Exit::Usage, &format!("opgate: the arguments cannot be used: {problem}")),
    };
    finish(started, gate, operation, arguments)
}

fn finish<A: Application>(started: Started<A>, gate: Arc<Gate<A>>, operation: usize, arguments: Arguments) -> Exit {
    // The place is free: this process makes one call.
    let Ok(permit) = Arc::new(Admission::default()).admit(Instant::now()) else { return Exit::Failed };
    let stop = Stop::default();
    let request = Request {
        permit,
        operation,
        arguments,
        stop: stop.clone(),
        form: Form::Plain,
        structured: false,
        client: Client::Unable,
    };
    let calls = Arc::clone(&gate);
    let (sender, receiver) = mpsc::channel::<Answered>();
    let (wake, woken) = match wake() {
        Ok(pair) => pair,
        Err(error) => return started.fail(Exit::Failed, &format!("opgate: {error}")),
    };
    started.runtime.spawn(Box::pin(async move {
        let finished = Calls::call(gate, request).await;
        let _ = sender.send(finished.answer);
        wake.wake();
    }));
    let (name, began) = (calls.operations[operation].declaration.name(), Instant::now());
    let longest = started.launch.file.limits.drain;
    let mut signalled: Option<Instant> = None;
    // A signal drains: an open question is refused, and what was invoked runs to its end, at most for `drain_seconds`.
    loop {
        let left = signalled.zip(longest).map(|(since, longest)| longest.saturating_sub(since.elapsed()));
        if left.is_some_and(|left| left.is_zero()) {
            started.children.kill();
            let text = calls.failed(operation, &mut Diagnostic::abandoned(), Form::Plain);
            return started.fail(Exit::DrainOver, &text);
        }
        let timeout = left.and_then(|left| Timespec::try_from(left).ok());
        let mut wanted = [PollFd::new(&woken, PollFlags::IN), PollFd::new(&started.signals, PollFlags::IN)];
        if poll(&mut wanted, timeout.as_ref()).is_err_and(|error| error != rustix::io::Errno::INTR)
            || !wanted[0].revents().is_empty()
        {
            break;
        }
        if !wanted[1].revents().is_empty() {
            started.signals.take();
            stop.no_more_questions();
            let since = *signalled.get_or_insert_with(Instant::now);
            let left = longest.map(|longest| longest.saturating_sub(since.elapsed()));
            started.relay.say(&still_waiting(&name, began.elapsed(), left));
        }
    }
    match receiver.recv() {
        Ok(Answered { text, failed: None, .. }) => started.finish(&(text + "\n")),
        Ok(Answered { text, failed: Some(failed), .. }) => {
            let exit = if failed.phase == Phase::Input { Exit::Usage } else { Exit::Failed };
            started.fail(exit, &text)
        }
        Err(_) => started.fail(Exit::Failed, "opgate: the call ended without an answer; look at the state"),
    }
}

/// The largest text that is read as arguments; the launch's own limit is checked in the gate.
const LARGEST: u64 = 1 << 26;

fn read_all(source: impl Read) -> Result<String, String> {
    let mut text = String::new();
    match source.take(LARGEST).read_to_string(&mut text) {
        Ok(_) => Ok(text),
        Err(error) => Err(error.to_string()),
    }
}

/// The same strictness as for a frame.
pub(super) fn parse(text: &str) -> Result<Arguments, String> {
    if text.trim().is_empty() {
        return Err("they are empty; the least is {}".to_owned());
    }
    let scanned = scan(text.trim().as_bytes()).map_err(|fault| fault.message().to_owned())?;
    if !matches!(scanned.root, Root::Object(_)) {
        return Err("they are no JSON object".to_owned());
    }
    let unholdable = scanned.is_unholdable(&(0..scanned.text.len()));
    Ok(Arguments { text: Some(scanned.text.into()), unholdable })
}
