//! What runs the operations of one plugin, and what becomes of a call of it.

use std::fmt::Display;
use std::io::BufReader;
use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::{Value, json};

use super::answer::{self, Answer, End};
use super::child::Child;
use super::children::Children;
use super::program::Program;
use super::worker::{Slot, Worker};
use crate::diagnostic::Outcome;
use crate::failure::Failure;
use crate::key::Key;
use crate::launch::{PinnedFiles, Variable};
use crate::operation::{Output, Writing};

/// Read at once.
pub(super) const CHUNK: usize = 1 << 16;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// One process a call.
    Fresh,
    /// One process, a line a call.
    Worker,
}

pub(super) struct Plugin {
    pub(super) id: String,
    pub(super) program: Program,
    /// The variables that its file names, set or not.
    pub(super) named: Vec<Variable>,
    pub(super) mode: Mode,
    pub(super) pinned: PinnedFiles,
    pub(super) children: Children,
    pub(super) worker: Slot,
    /// Names its calls.
    pub(super) key: Key,
}

/// What a program reads.
#[derive(Serialize)]
struct Request<'a> {
    opgate: u8,
    call: &'a str,
    plugin: &'a str,
    method: &'a str,
    input: &'a Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    context: Option<&'a Value>,
}

impl Plugin {
    /// Runs one operation. Returns when its process, or its worker's answer, has ended.
    pub(super) fn call(
        &self,
        method: &str,
        timeout: Option<Duration>,
        input: &Value,
        context: Option<&Value>,
        writing: &Writing,
    ) -> Result<Output, Failure> {
        let call = self.key.id();
        let request = Request { opgate: 1, call: &call, plugin: &self.id, method, input, context };
        let request = serde_json::to_vec(&request).map_err(Failure::not_started)?;
        match self.mode {
            Mode::Fresh => self.fresh(request, timeout, writing),
            Mode::Worker => Worker::call(self, request, &call, timeout, writing),
        }
    }

    /// What a reviewer relies on beside the operation itself.
    pub(super) fn for_reviewers(&self) -> Value {
        let Program { path, arguments, .. } = &self.program;
        let mode = if self.mode == Mode::Worker { "worker" } else { "fresh" };
        let variables: Vec<Value> = self.named.iter().map(Variable::reviewed).collect();
        json!({ "program": path.to_string_lossy(), "arguments": arguments, "variables": variables, "mode": mode })
    }

    /// Starts the program, if what was pinned is still what is there.
    pub(super) fn start(&self) -> Result<Child, Failure> {
        self.pinned.check().map_err(Failure::not_started)?;
        Child::start(&self.program, &self.children).map_err(|error| {
            Failure::not_started(format!("{} cannot be started: {error}", self.program.path.display()))
        })
    }

    fn fresh(&self, request: Vec<u8>, timeout: Option<Duration>, writing: &Writing) -> Result<Output, Failure> {
        let mut child = self.start()?;
        child.must_end_by(timeout.and_then(|timeout| Instant::now().checked_add(timeout)));
        child.send(request, false);
        let mut source = BufReader::with_capacity(CHUNK, child);
        let answer = answer::read(&mut source, End::File, writing);
        let mut child = source.into_inner();
        // What it still writes is discarded: it may finish.
        let status = child.finish();
        if child.is_overdue() {
            return Err(overdue(timeout, child.is_lost()));
        }
        let status = status.map_err(|error| Failure::opaque(format!("it cannot be waited for: {error}")))?;
        let answer = match answer {
            Err(_) if !status.success() => return Err(ended(status)),
            Err(fault) => return Err(no_answer(&fault)),
            Ok(answer) => answer,
        };
        match answer {
            Answer::Output(Err(error @ redact_json::Error::TooLarge { .. })) if !status.success() => {
                Ok(Output::withheld(Outcome::Unknown, error))
            }
            _ if !status.success() => Err(ended(status)),
            answer => said(answer),
        }
    }
}

/// What a caller gets of an answer.
pub(super) fn said(answer: Answer) -> Result<Output, Failure> {
    match answer {
        Answer::Output(Ok(text)) => Ok(Output::text(text)),
        Answer::Output(Err(error)) => Ok(Output::withheld(Outcome::Completed, error)),
        Answer::Error { code, message, changed: true } => Err(Failure::safe(code, message)),
        Answer::Error { code, message, changed: false } => Err(Failure::safe(code, message).without_effect()),
    }
}

pub(super) fn overdue(timeout: Option<Duration>, is_lost: bool) -> Failure {
    let seconds = timeout.unwrap_or_default().as_secs();
    let (became, log) = if is_lost {
        ("could not be ended: it may still run", "its process could not be ended by this user and is left behind")
    } else {
        ("was ended", "its process group was killed")
    };
    Failure::of_invocation(
        format!("The operation took longer than its {seconds} s and {became}."),
        format!("{log} after timeout_seconds = {seconds}"),
    )
}

pub(super) fn no_answer(fault: &impl Display) -> Failure {
    Failure::opaque(format!(
        "{fault}; a program writes one JSON object, {{\"output\": ..}} or {{\"error\": {{\"code\", \"message\"}}}}, to standard output and nothing else"
    ))
}

fn ended(status: ExitStatus) -> Failure {
    Failure::opaque(match (status.code(), status.signal()) {
        (Some(code), _) => {
            format!("its program ended with exit status {code}; what it wrote to standard error is above")
        }
        (None, Some(signal)) => format!("its program was killed by signal {signal}"),
        (None, None) => "its program ended".to_owned(),
    })
}
