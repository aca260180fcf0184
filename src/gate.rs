//! Admits one call at a time and takes it through its phases.
//!
//! Invariants: what was validated is exactly what runs; context and answers come from the launch's binding alone;
//! whatever was started is stopped; nothing an application does, a panic included, ends the process. The gate knows
//! nothing of pipes or protocol.

mod admission;
mod arguments;
mod ask;
mod call;
mod contain;
mod effort;
mod explain;
mod problem;
mod record;
mod stop;
mod validator;

use std::sync::Arc;

use redact_json::Rules;

use crate::application::Application;
use crate::ask::{Client, Prompt};
use crate::audit::Audit;
use crate::binding::Supplied;
use crate::diagnostic::Diagnostic;
use crate::key::Key;
use crate::launch::Limits;
use crate::operation::{BoxFuture, Declaration, Decode, Effect};
use crate::redaction::Form;

pub(crate) use admission::{Admission, Permit};
pub(crate) use arguments::{Arguments, canonical_length};
pub(crate) use contain::{Panicked, contain, contain_async, discard};
pub(crate) use stop::Stop;
pub(crate) use validator::Validator;

pub(crate) struct Gate<A: Application> {
    pub(crate) application: A,
    pub(crate) operations: Vec<Exposed<A>>,
    pub(crate) binding: Supplied<A>,
    pub(crate) rules: Rules,
    /// For what a person is asked: the agent, which writes the arguments, must not choose what is masked.
    pub(crate) asked: Rules,
    pub(crate) limits: Limits,
    pub(crate) identity: Option<Arc<str>>,
    pub(crate) key: Key,
    pub(crate) audit: Option<Audit>,
}

/// An operation that may be called here.
pub(crate) struct Exposed<A: Application> {
    pub(crate) decode: Decode<A>,
    pub(crate) declaration: Arc<Declaration>,
    pub(crate) validator: Validator,
    /// The launch's rules with the operation's own secret outputs.
    pub(crate) rules: Rules,
    /// The operation that tells the state afterwards, if it may be called here too.
    pub(crate) reconcile: Option<String>,
}

/// One admitted call.
pub(crate) struct Request {
    pub(crate) permit: Permit,
    /// Position of the operation.
    pub(crate) operation: usize,
    pub(crate) arguments: Arguments,
    pub(crate) stop: Stop,
    pub(crate) form: Form,
    /// The result is wanted as a value, too, beside its text.
    pub(crate) structured: bool,
    /// How the client of this call can be asked.
    pub(crate) client: Client,
}

/// A call that has ended, with its place. Whoever answers drops the permit before the first byte of the answer.
pub(crate) struct Finished {
    pub(crate) answer: Answered,
    pub(crate) permit: Permit,
}

pub(crate) struct Answered {
    /// The result, or a diagnostic; in the form that was asked for.
    pub(crate) text: String,
    /// The same result as JSON, if it was wanted.
    pub(crate) structured: Option<String>,
    /// The failure that `text` describes.
    pub(crate) failed: Option<Diagnostic>,
    /// What the client is to be asked before it sends the call again; nothing was started. `text` then says so, for whoever
    /// cannot ask.
    pub(crate) asks: Vec<Prompt>,
}

/// A gate, whatever application is behind it.
pub(crate) trait Calls: Send + Sync {
    /// Runs an admitted call to its end. The future must not be dropped before it is done.
    fn call(self: Arc<Self>, request: Request) -> BoxFuture<'static, Finished>;

    /// Whether calls of an operation need no program, no person and no disk, as far as opgate knows.
    fn is_quick(&self, operation: usize) -> bool;

    /// Whether the client may be asked about calls of an operation.
    fn asks_client(&self, operation: usize) -> bool;

    /// A diagnostic of a call of an operation as the text of an answer, completed with what the operation declares.
    fn failed(&self, operation: usize, diagnostic: &mut Diagnostic, form: Form) -> String;

    /// A diagnostic as the text of an answer.
    fn describe(&self, diagnostic: &Diagnostic, form: Form) -> String;
}

impl<A: Application> Calls for Gate<A> {
    fn call(self: Arc<Self>, request: Request) -> BoxFuture<'static, Finished> {
        Box::pin(async move { Gate::call(&self, request).await })
    }

    fn is_quick(&self, operation: usize) -> bool {
        let declares_quick = |exposed: &Exposed<A>| {
            let Declaration { program, confirmation, approval, .. } = &*exposed.declaration;
            program.is_none() && !confirmation && !approval
        };
        self.audit.is_none() && self.operations.get(operation).is_some_and(declares_quick)
    }

    fn asks_client(&self, operation: usize) -> bool {
        self.operations.get(operation).is_some_and(|exposed| self.asked_of_client(exposed).next().is_some())
    }

    fn failed(&self, operation: usize, diagnostic: &mut Diagnostic, form: Form) -> String {
        if let Some(Exposed { declaration, reconcile, .. }) = self.operations.get(operation) {
            diagnostic.plugin = Some(declaration.plugin.clone());
            diagnostic.operation = Some(declaration.method.clone());
            if declaration.effect != Effect::Read {
                diagnostic.advise(reconcile.as_deref());
            }
        }
        // The places of secret outputs are places in a result, not in this.
        self.describe(diagnostic, form)
    }

    fn describe(&self, diagnostic: &Diagnostic, form: Form) -> String {
        diagnostic.render(&self.rules, self.limits.output, form)
    }
}
