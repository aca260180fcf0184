//! The seam to a client that can be asked. The gate says what is asked; how it reaches the client, and that an answer is
//! one, is the protocol's business.

use std::sync::Arc;
use std::time::Instant;

use super::{Prompt, Told};
use crate::gate::Stop;
use crate::operation::BoxFuture;

/// How the client of one call can be asked.
#[derive(Clone)]
pub(crate) enum Client {
    /// It cannot: whoever needs its answer is refused.
    Unable,
    /// While the call is held.
    Held(Arc<dyn Held>),
    /// Between this call and its repetition, before anything is started.
    Between(Arc<dyn Between>),
}

/// A client that is asked while the call is held.
pub(crate) trait Held: Send + Sync {
    /// The answer to one prompt. An answer that comes after `deadline` must not be a yes. Dropping the future withdraws the
    /// question.
    fn ask<'a>(&'a self, prompt: &'a Prompt, deadline: Instant) -> BoxFuture<'a, Told>;
}

/// A client that sends the call again, with its answers.
pub(crate) trait Between: Send + Sync {
    /// Looks for answers to exactly these prompts ([`Prompt::digest`]), and spends them: a second look finds none. Called
    /// once, after validation.
    fn look(&self, prompts: &[Prompt]) -> Looked;
}

pub(crate) enum Looked {
    /// This call brought nothing: the client is to be asked.
    Nothing,
    /// An answer for each prompt, in their order. What was forged, replayed, expired or made for another call is no.
    Answers(Vec<Told>),
}

impl Client {
    pub(super) async fn ask_held(&self, prompt: &Prompt, stop: &Stop) -> Told {
        let Self::Held(client) = self else { return Told::Unable };
        let deadline = Instant::now() + prompt.timeout;
        let answer = tokio::time::timeout_at(deadline.into(), client.ask(prompt, deadline));
        match stop.unless_stopped(answer).await {
            None => Told::Stopped,
            Some(Err(_)) => Told::TimedOut,
            Some(Ok(told)) => told,
        }
    }
}
