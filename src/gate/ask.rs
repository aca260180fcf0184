//! The two gates before an operation: whoever the launch names is asked, and only an explicit yes goes on.

use super::call::{Step, flatten, log, not_cancelled};
use super::contain::contain_async;
use super::record::Record;
use super::{Exposed, Gate, Stop};
use crate::application::Application;
use crate::binding::{Answer, Call, Part};
use crate::diagnostic::{Diagnostic, Outcome, Phase, code};

impl<A: Application> Gate<A> {
    /// Only an explicit yes, given while somebody still waits for it, goes on.
    pub(super) async fn ask(
        &self,
        exposed: &Exposed<A>,
        part: Part,
        running: &A::Running,
        call: &Call,
        stop: &Stop,
        record: &mut Record,
    ) -> Step<()> {
        let (phase, code) = match part {
            Part::Approve => (Phase::Approve, code::APPROVAL_REQUIRED),
            _ => (Phase::Confirm, code::CONFIRMATION_REQUIRED),
        };
        not_cancelled(stop, phase)?;
        let failed = Diagnostic::new(phase, Outcome::NotStarted, code);
        if !self.binding.binds(part) {
            return Err(failed);
        }
        if self.binding.asks(part).is_some() {
            return Err(failed);
        }
        let question = contain_async(async { self.binding.code.answer(part, call, running).await });
        let answer = stop.unless_stopped(question).await.map(flatten);
        record.answered(part, if matches!(answer, Some(Ok(Answer::Yes))) { "yes" } else { "no" }, None);
        match answer {
            Some(Ok(Answer::Yes)) => not_cancelled(stop, phase),
            Some(Err(failure)) => {
                log(&failed, failure, exposed);
                Err(failed)
            }
            Some(Ok(Answer::No)) => Err(failed),
            None => {
                not_cancelled(stop, phase)?;
                Err(failed)
            }
        }
    }
}
