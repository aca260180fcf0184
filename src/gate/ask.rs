//! The gates before an operation: whoever the launch names is asked, and only an explicit yes goes on.

use std::borrow::Cow;

use super::call::{flatten, log, not_cancelled};
use super::contain::contain_async;
use super::record::Record;
use super::{Exposed, Gate, Stop};
use crate::application::Application;
use crate::ask::{Asker, Client, Looked, Prompt, Ready, Told, Unaskable};
use crate::binding::{Answer, Call, Part};
use crate::diagnostic::{Diagnostic, Outcome, Phase, code};

/// What a call asks with.
pub(super) struct Asking<'a> {
    pub(super) stop: &'a Stop,
    pub(super) client: &'a Client,
    pub(super) record: &'a mut Record,
    /// Parts that the client said yes to before anything was started.
    pub(super) answered: Vec<Part>,
}

/// Why a call does not go on to setup.
pub(super) enum Halt {
    Failed(Diagnostic),
    /// The client is to be asked first.
    Asks(Vec<Prompt>),
}

impl<A: Application> Gate<A> {
    /// The ask phase: a client that can only be asked between two calls has brought its answers, or is to be asked now.
    pub(super) fn ask_before(&self, exposed: &Exposed<A>, call: &Call, asking: &mut Asking<'_>) -> Result<(), Halt> {
        let Client::Between(client) = asking.client else { return Ok(()) };
        not_cancelled(asking.stop, Phase::Ask).map_err(Halt::Failed)?;
        let mut prompts = Vec::new();
        for (part, asker) in self.asked_of_client(exposed) {
            prompts.push(self.prompt(call, part, asker, Phase::Ask).map_err(Halt::Failed)?);
        }
        if prompts.is_empty() {
            return Ok(());
        }
        let answers = match client.look(&prompts) {
            Looked::Nothing => return Err(Halt::Asks(prompts)),
            Looked::Answers(answers) => answers,
        };
        for (index, prompt) in prompts.iter().enumerate() {
            let told = answers.get(index).copied().unwrap_or(Told::No);
            note(exposed, prompt, told, asking.record);
            if told != Told::Yes {
                return Err(Halt::Failed(refused(prompt.part, Phase::Ask, told)));
            }
            asking.answered.push(prompt.part);
        }
        Ok(())
    }

    /// The parts whose answer is the client's, with how it is asked.
    pub(super) fn asked_of_client<'a>(&'a self, exposed: &'a Exposed<A>) -> impl Iterator<Item = (Part, &'a Asker)> {
        let askers = required(exposed).filter_map(|part| Some((part, self.binding.asker(part)?)));
        askers.filter(|(_, asker)| matches!(asker.ready, Ready::Client))
    }

    /// Only an explicit yes, given while somebody still waits for it, goes on.
    pub(super) async fn ask(
        &self,
        exposed: &Exposed<A>,
        part: Part,
        running: &A::Running,
        call: &Call,
        asking: &mut Asking<'_>,
    ) -> Result<(), Diagnostic> {
        let (phase, _) = refusal(part);
        not_cancelled(asking.stop, phase)?;
        if asking.answered.contains(&part) {
            return Ok(());
        }
        let told = if let Some(asker) = self.binding.asker(part) {
            let prompt = self.prompt(call, part, asker, phase)?;
            let told = asker.ask(&prompt, asking.client, asking.stop).await;
            note(exposed, &prompt, told, asking.record);
            told
        } else if self.binding.binds(part) {
            let told = self.ask_code(exposed, part, running, call, asking.stop).await;
            asking.record.answered(part, told.word(), None);
            told
        } else {
            return Err(unbound(part, phase));
        };
        // A yes that came together with a cancellation or an end is none.
        not_cancelled(asking.stop, phase)?;
        if told == Told::Yes && !asking.stop.asks_no_more() { Ok(()) } else { Err(refused(part, phase, told)) }
    }

    async fn ask_code(&self, exposed: &Exposed<A>, part: Part, running: &A::Running, call: &Call, stop: &Stop) -> Told {
        let question = contain_async(async { self.binding.code.answer(part, call, running).await });
        match stop.unless_stopped(question).await.map(flatten) {
            Some(Ok(Answer::Yes)) => Told::Yes,
            Some(Ok(Answer::No)) => Told::No,
            Some(Err(failure)) => {
                let told = Told::Failed("the binding failed");
                log(&refused(part, refusal(part).0, told), failure, exposed);
                told
            }
            None => Told::Stopped,
        }
    }

    fn prompt(&self, call: &Call, part: Part, asker: &Asker, phase: Phase) -> Result<Prompt, Diagnostic> {
        Prompt::new(call, part, &self.asked, &self.key, (asker.timeout, asker.allow_partial)).map_err(|why| {
            let mut failed = refused(part, phase, Told::Stopped);
            failed.message = Cow::Borrowed(match why {
                Unaskable::TooLong => {
                    "The arguments are too long to be shown whole to the person who is asked. Nothing was done; send less at once."
                }
                Unaskable::Unshowable => "The arguments cannot be shown to the person who is asked. Nothing was done.",
            });
            failed
        })
    }
}

/// What was asked and answered, for log and audit.
fn note<A: Application>(exposed: &Exposed<A>, prompt: &Prompt, told: Told, record: &mut Record) {
    let digest = prompt.quotable();
    record.answered(prompt.part, told.word(), Some(digest.to_owned()));
    let (operation, part, answer) = (exposed.declaration.name(), prompt.part.word(), told.word());
    if let Told::Failed(reason) = told {
        tracing::warn!(target: "opgate::ask", operation, part, prompt = digest, answer, reason);
    } else {
        tracing::info!(target: "opgate::ask", operation, part, prompt = digest, answer);
    }
}

/// The parts that an operation needs a yes for, in their order.
pub(super) fn required<A: Application>(exposed: &Exposed<A>) -> impl Iterator<Item = Part> {
    let (confirmation, approval) = (exposed.declaration.confirmation, exposed.declaration.approval);
    [(Part::Confirm, confirmation), (Part::Approve, approval)]
        .into_iter()
        .filter_map(|(part, required)| required.then_some(part))
}

/// The phase in which the yes of a part is asked for once the application runs, and the code of its absence in any phase.
fn refusal(part: Part) -> (Phase, &'static str) {
    match part {
        Part::Approve => (Phase::Approve, code::APPROVAL_REQUIRED),
        _ => (Phase::Confirm, code::CONFIRMATION_REQUIRED),
    }
}

/// The refusal of a call that got no yes.
pub(super) fn refused(part: Part, phase: Phase, told: Told) -> Diagnostic {
    let (_, code) = refusal(part);
    let mut failed = Diagnostic::new(phase, Outcome::NotStarted, code);
    let message = match told {
        Told::No => "This operation needs a yes from a person, who said no. Nothing was done.",
        Told::TimedOut => "This operation needs a yes from a person, and nobody answered in time. Nothing was done.",
        Told::Unable => {
            "This operation needs a yes from a person, and this client offers no way to ask. Nothing was done."
        }
        Told::Failed(_) => {
            "This operation needs a yes from a person, and asking failed: no answer came. Nothing was done; the server's log says why."
        }
        Told::Yes | Told::Stopped => return failed,
    };
    failed.message = Cow::Borrowed(message);
    failed
}

/// The refusal of a call that nobody can say yes to.
fn unbound(part: Part, phase: Phase) -> Diagnostic {
    let mut failed = refused(part, phase, Told::Stopped);
    failed.message = Cow::Borrowed(match part {
        Part::Approve => {
            "This operation needs an approval, and this launch names nobody who gives one: every call of it is refused. Nothing was done; whoever runs this server can bind one, as `check` says."
        }
        _ => {
            "This operation needs a confirmation, and this launch names nobody who gives one: every call of it is refused. Nothing was done; whoever runs this server can bind one, as `check` says."
        }
    });
    failed
}

#[cfg(test)]
mod tests;
