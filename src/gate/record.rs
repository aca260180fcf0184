//! What a call leaves in the log and in the audit file.

use std::sync::{Arc, OnceLock};
use std::time::Instant;

use super::{Answered, Exposed, Gate, Stop};
use crate::application::Application;
use crate::audit::{self, End, Line};
use crate::binding::{Call, Part};
use crate::diagnostic::{Diagnostic, Outcome, Phase, code};
use crate::key::Purpose;
use crate::operation::Declaration;

/// What is known of a call so far.
pub(super) struct Record {
    /// Made when it is first needed.
    id: OnceLock<String>,
    declaration: Arc<Declaration>,
    began: Instant,
    arguments: Option<String>,
    confirm: Option<audit::Decision>,
    approve: Option<audit::Decision>,
}

impl Record {
    pub(super) fn new<A: Application>(exposed: &Exposed<A>) -> Self {
        Self {
            id: OnceLock::new(),
            declaration: Arc::clone(&exposed.declaration),
            began: Instant::now(),
            arguments: None,
            confirm: None,
            approve: None,
        }
    }

    /// The arguments were validated.
    pub(super) fn validated<A: Application>(&mut self, gate: &Gate<A>, call: &Call) {
        if gate.audit.is_some() {
            let arguments = call.input.to_string();
            self.arguments = Some(gate.key.tag(Purpose::Arguments, &[arguments.as_bytes()], 32));
        }
    }

    /// Somebody was asked.
    pub(super) fn answered(&mut self, part: Part, answer: &'static str, prompt: Option<String>) {
        let answered = Some(audit::Decision { answer, prompt });
        match part {
            Part::Confirm => self.confirm = answered,
            Part::Approve => self.approve = answered,
            Part::Context => {}
        }
    }

    fn id<A: Application>(&self, gate: &Gate<A>) -> &str {
        self.id.get_or_init(|| gate.key.id())
    }

    fn line<'a, A: Application>(&'a self, gate: &'a Gate<A>, event: &'static str, end: Option<End<'a>>) -> Line<'a> {
        Line {
            event,
            identity: gate.identity.as_deref(),
            operation: self.declaration.name(),
            call: self.id(gate),
            arguments: self.arguments.as_deref(),
            confirm: self.confirm.as_ref(),
            approve: self.approve.as_ref(),
            end,
        }
    }

    /// Announces that the operation is about to be invoked. What cannot be announced does not happen.
    pub(super) fn invoke<A: Application>(&self, gate: &Gate<A>) -> Result<(), Diagnostic> {
        let Some(audit) = &gate.audit else { return Ok(()) };
        audit.write(&self.line(gate, "invoke", None), &gate.rules).map_err(|error| {
            tracing::warn!(target: "opgate::audit", operation = self.declaration.name(), %error, "the call was refused: its audit line could not be written");
            let mut failed = Diagnostic::new(Phase::Invoke, Outcome::NotStarted, code::INVOCATION_FAILED);
            failed.message = "The audit file could not be written. Nothing was done.".into();
            failed
        })
    }

    /// The call has ended; its place is still taken.
    pub(super) fn end<A: Application>(&self, gate: &Gate<A>, answer: &Answered, stop: &Stop) {
        let code = answer.failed.as_ref().map(|failed| failed.code.as_ref());
        let milliseconds = audit::milliseconds(self.began.elapsed());
        let bytes = answer.text.len();
        let operation = || self.declaration.name();
        tracing::info!(target: "opgate::call", operation = operation(), call = self.id(gate), outcome = code.unwrap_or("answered"), milliseconds, bytes);
        let Some(audit) = &gate.audit else { return };
        let outcome = answer.failed.as_ref().map_or(Outcome::Completed, |failed| failed.outcome);
        let end = End { outcome, code, cancelled: stop.is_cancelled(), bytes, milliseconds };
        if let Err(error) = audit.write(&self.line(gate, "end", Some(end)), &gate.rules) {
            tracing::warn!(target: "opgate::audit", operation = operation(), call = self.id(gate), %error, "the last audit line of a call could not be written");
        }
    }
}
