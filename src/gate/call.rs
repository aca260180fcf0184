//! The phases of one call, in their order. The first failure ends the call; what was started is stopped all the same.

use std::borrow::Cow;
use std::sync::Arc;

use redact_json::Budget;
use serde_json::json;

use super::arguments::{canonical_length, way_to_mask, way_to_unholdable};
use super::ask::{Asking, Halt, refused, required};
use super::contain::{Panicked, contain, contain_async, discard};
use super::problem::Problem;
use super::record::Record;
use super::{Answered, Calls, Exposed, Finished, Gate, Request, Stop};
use crate::application::Application;
use crate::ask::Told;
use crate::binding::{Call, Part};
use crate::diagnostic::{Cause, Diagnostic, Outcome, Phase, code};
use crate::failure::Failure;
use crate::operation::{BoxFuture, Effect, Invoke, Output, Writing};
use crate::redaction::{Form, shortened};
use crate::schema::remove_optional_nulls;

/// The most of an application's message, in characters, that a caller sees.
const MESSAGE: usize = 500;

/// Room for a usual result, in bytes.
const USUAL: usize = 512;

/// A validated operation that only lacks what it runs with.
trait Invokes<A: Application>:
    FnOnce(Arc<A::Running>, Option<A::Context>) -> BoxFuture<'static, Result<Output, Failure>> + Send
{
}

impl<A: Application, F> Invokes<A> for F where
    F: FnOnce(Arc<A::Running>, Option<A::Context>) -> BoxFuture<'static, Result<Output, Failure>> + Send
{
}

impl<A: Application> Gate<A> {
    pub(super) async fn call(&self, request: Request) -> Finished {
        let Request { permit, operation, arguments, stop, form, structured, client } = request;
        let exposed = &self.operations[operation];
        let mut record = Record::new(exposed);
        let mut asks = Vec::new();
        // A result that is given twice has half the budget.
        let budget = if structured { self.limits.output / 2 } else { self.limits.output };
        let writing = Writing { rules: exposed.rules.clone(), budget: Budget::bytes(budget) };
        let result = match self.input(exposed, arguments) {
            Ok((invoke, call)) => {
                record.validated(self, &call);
                let mut asking = Asking { stop: &stop, client: &client, record: &mut record, answered: Vec::new() };
                match self.ask_before(exposed, &call, &mut asking) {
                    Ok(()) => {
                        let writing = writing.clone();
                        let invoke = move |running, context| invoke(running, context, writing);
                        self.run(exposed, invoke, &call, &mut asking).await
                    }
                    Err(Halt::Failed(failed)) => Err(failed),
                    Err(Halt::Asks(prompts)) => {
                        let part = prompts.first().map_or(Part::Confirm, |prompt| prompt.part);
                        asks = prompts;
                        Err(refused(part, Phase::Ask, Told::Stopped))
                    }
                }
            }
            Err(failed) => Err(failed),
        };
        let result = result.and_then(|output| written(output, &writing, form, structured));
        let answer = match result {
            Ok(answered) => answered,
            Err(mut failed) => {
                let text = self.failed(operation, &mut failed, form);
                Answered { text, structured: None, failed: Some(failed), asks }
            }
        };
        record.end(self, &answer, &stop);
        Finished { answer, permit }
    }

    fn input(&self, exposed: &Exposed<A>, arguments: super::Arguments) -> Result<(Invoke<A>, Call), Diagnostic> {
        let invalid = |problems: &[Problem]| {
            let mut failed = Diagnostic::new(Phase::Input, Outcome::NotStarted, code::INVALID_INPUT);
            let problems: Vec<Problem> = problems.iter().map(|problem| problem.shortened(&exposed.rules)).collect();
            failed.details = Some(json!({ "paths": problems }));
            failed
        };
        if arguments.unholdable {
            let way = arguments.text.as_deref().and_then(way_to_unholdable).unwrap_or_default();
            return Err(invalid(&[exposed.validator.unholdable(&way)]));
        }
        let mut input = arguments.parse().map_err(|_| invalid(&[Problem::new("type", "an object")]))?;
        if canonical_length(&input) > self.limits.input {
            let mut failed = Diagnostic::new(Phase::Input, Outcome::NotStarted, code::INPUT_TOO_LARGE);
            failed.details = Some(json!({ "limit": self.limits.input }));
            return Err(failed);
        }
        remove_optional_nulls(exposed.validator.schema(), &mut input);
        let problems = exposed.validator.problems(&input);
        if !problems.is_empty() {
            return Err(invalid(&problems));
        }
        let declaration = &exposed.declaration;
        if declaration.effect != Effect::Read
            && !declaration.accepts_redacted
            && let Some(way) = way_to_mask(&input)
        {
            return Err(invalid(&[exposed.validator.masked(&way)]));
        }
        match contain(|| (exposed.decode)(&input)) {
            Ok(Ok(invoke)) => {
                let call = Call { operation: Arc::clone(declaration), input, identity: self.identity.clone() };
                Ok((invoke, call))
            }
            Ok(Err(refused)) => Err(invalid(&[exposed.validator.refused_by_type(&refused.way)])),
            Err(Panicked) => Err(invalid(&[exposed.validator.refused_by_type(&[])])),
        }
    }

    /// From setup to cleanup.
    async fn run(
        &self,
        exposed: &Exposed<A>,
        invoke: impl Invokes<A>,
        call: &Call,
        asking: &mut Asking<'_>,
    ) -> Result<Output, Diagnostic> {
        not_cancelled(asking.stop, Phase::Setup)?;
        let started = contain_async(async { self.application.start().await }).await;
        let running = Arc::new(flatten(started).map_err(|failure| {
            let failed = Diagnostic::new(Phase::Setup, Outcome::NotStarted, code::INITIALIZATION_FAILED);
            explained(failed, failure, exposed)
        })?);
        let result = self.invoke(exposed, invoke, &running, call, asking).await;
        let cleaned = stop_application::<A>(running).await;
        match (result, cleaned) {
            (result, Ok(())) => result,
            (Ok(output), Err(failure)) => {
                discard(output);
                let failed = Diagnostic::new(Phase::Cleanup, Outcome::Completed, code::CLEANUP_FAILED);
                log(&failed, failure, exposed);
                Err(failed)
            }
            (Err(mut failed), Err(failure)) => {
                let cause = Cause { code: code::CLEANUP_FAILED, phase: Phase::Cleanup };
                log(&Diagnostic::new(cause.phase, failed.outcome, cause.code), failure, exposed);
                failed.causes.push(cause);
                Err(failed)
            }
        }
    }

    /// Binding, the two gates, and the operation itself.
    async fn invoke(
        &self,
        exposed: &Exposed<A>,
        invoke: impl Invokes<A>,
        running: &Arc<A::Running>,
        call: &Call,
        asking: &mut Asking<'_>,
    ) -> Result<Output, Diagnostic> {
        let context =
            if exposed.declaration.context { Some(self.context(exposed, running, call).await?) } else { None };
        for part in required(exposed) {
            self.ask(exposed, part, running, call, asking).await?;
        }
        not_cancelled(asking.stop, Phase::Invoke)?;
        asking.record.invoke(self)?;
        // The disk may have taken its time.
        not_cancelled(asking.stop, Phase::Invoke)?;
        let running = Arc::clone(running);
        let invoked = contain_async(async move { invoke(running, context).await }).await;
        flatten(invoked).map_err(|failure| {
            let failed = match &failure {
                Some(failure) if failure.is_not_started() => {
                    Diagnostic::new(Phase::Invoke, Outcome::NotStarted, code::INITIALIZATION_FAILED)
                }
                _ => Diagnostic::new(Phase::Invoke, Outcome::Unknown, code::INVOCATION_FAILED),
            };
            explained(failed, failure, exposed)
        })
    }

    async fn context(&self, exposed: &Exposed<A>, running: &A::Running, call: &Call) -> Result<A::Context, Diagnostic> {
        let failed = |code| Diagnostic::new(Phase::Binding, Outcome::NotStarted, code);
        if !self.binding.binds(Part::Context) {
            return Err(failed(code::MISSING_CONTEXT_BINDING));
        }
        match flatten(contain_async(async { self.binding.context(call, running).await }).await) {
            Ok(Some(context)) => Ok(context),
            Ok(None) => Err(failed(code::MISSING_CONTEXT_BINDING)),
            Err(failure) => {
                let failed = failed(code::BINDING_FAILED);
                log(&failed, failure, exposed);
                Err(failed)
            }
        }
    }
}

/// The result as it is answered: canonical, redacted, within its budget.
fn written(mut output: Output, writing: &Writing, form: Form, structured: bool) -> Result<Answered, Diagnostic> {
    let mut text = String::with_capacity(USUAL);
    let sink = if structured { Form::Plain } else { form }.sink(&mut text);
    let written = contain(|| output.write(&writing.rules, writing.budget, sink));
    discard(output);
    let failed = |outcome, code| Diagnostic::new(Phase::Output, outcome, code);
    match written {
        Ok(Ok(())) if structured => {
            Ok(Answered { text: form.of_plain(&text), structured: Some(text), failed: None, asks: Vec::new() })
        }
        Ok(Ok(())) => Ok(Answered { text, structured: None, failed: None, asks: Vec::new() }),
        Ok(Err((outcome, redact_json::Error::TooLarge { limit }))) => {
            let mut failed = failed(outcome, code::OUTPUT_TOO_LARGE);
            if outcome != Outcome::Completed {
                failed.message = "The operation failed, and its result is larger than this launch allows.".into();
            }
            failed.details = Some(json!({ "limit": limit }));
            Err(failed)
        }
        Ok(Err((outcome, error))) => {
            let mut failed = failed(outcome, code::SERIALIZATION_FAILED);
            failed.details = offender(&error).map(|path| json!({ "path": path }));
            Err(failed)
        }
        Err(Panicked) => Err(failed(Outcome::Completed, code::SERIALIZATION_FAILED)),
    }
}

/// Where a result is not JSON, as a pointer that was redacted when it was made.
fn offender(error: &redact_json::Error) -> Option<&str> {
    use redact_json::Error as Kind;
    match error {
        Kind::NotFinite { path }
        | Kind::KeyNotString { path }
        | Kind::TooDeep { path, .. }
        | Kind::DuplicateKey { path }
        | Kind::Serializer { path } => Some(path),
        _ => None,
    }
}

async fn stop_application<A: Application>(running: Arc<A::Running>) -> Result<(), Option<Failure>> {
    // Handlers only borrow, and their futures are gone: this is the last owner.
    let Some(running) = Arc::into_inner(running) else {
        return Err(Some(Failure::opaque("the operation kept the running application")));
    };
    flatten(contain_async(async move { A::stop(running).await }).await)
}

pub(super) fn not_cancelled(stop: &Stop, phase: Phase) -> Result<(), Diagnostic> {
    if stop.is_cancelled() {
        return Err(Diagnostic::new(phase, Outcome::NotStarted, code::REQUEST_CANCELLED));
    }
    Ok(())
}

/// `None` stands for a panic.
pub(super) fn flatten<T>(result: Result<Result<T, Failure>, Panicked>) -> Result<T, Option<Failure>> {
    match result {
        Ok(result) => result.map_err(Some),
        Err(Panicked) => Err(None),
    }
}

/// Puts what the application says for its caller into `failed`. Only an operation may choose its code.
fn explained<A: Application>(mut failed: Diagnostic, failure: Option<Failure>, exposed: &Exposed<A>) -> Diagnostic {
    if let Some((code, message)) = failure.as_ref().and_then(Failure::to_caller) {
        failed.message = Cow::Owned(shortened(message, MESSAGE, &exposed.rules));
        if failed.phase == Phase::Invoke {
            failed.code = Cow::Owned(code.to_owned());
            if failure.as_ref().is_some_and(Failure::is_without_effect) {
                failed.outcome = Outcome::NotStarted;
            }
        }
    }
    log(&failed, failure, exposed);
    failed
}

/// The whole story, for the log alone. Showing and dropping an error is the application's code as well.
pub(super) fn log<A: Application>(failed: &Diagnostic, failure: Option<Failure>, exposed: &Exposed<A>) {
    let operation = exposed.declaration.name();
    let (code, phase) = (&*failed.code, format!("{:?}", failed.phase).to_lowercase());
    match &failure {
        None => tracing::warn!(target: "opgate::call", operation, phase, code, "a panic was contained"),
        Some(failure) => {
            let error =
                contain(|| failure.chain()).unwrap_or_else(|Panicked| "(it panics when it is shown)".to_owned());
            if failure.is_the_applications_own() {
                tracing::info!(target: "opgate::call", operation, phase, code, error);
            } else {
                tracing::warn!(target: "opgate::call", operation, phase, code, error);
            }
        }
    }
    discard(failure);
}
