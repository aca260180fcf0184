//! Questions to a client of a handshake revision, which is asked while its call is held.
//!
//! Invariants: at most one question is open, as one call is; only a response with its unguessable id is its answer, and
//! only the first; whatever else arrives is ignored.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use serde_json::{Value, json};
use tokio::sync::Notify;

use super::elicitation;
use super::message::Id;
use super::revision::Revision;
use super::served::Served;
use crate::ask::{Held, Prompt, Told};
use crate::catalog::canonical;
use crate::gate::Stop;
use crate::operation::BoxFuture;
use crate::stdio::Sent;

/// The questions of a process.
#[derive(Default)]
pub(crate) struct Questions(Mutex<Option<Open>>);

struct Open {
    id: String,
    deadline: Instant,
    told: Option<Told>,
    changed: Arc<Notify>,
}

impl Questions {
    /// Takes a response for the open question, if it is one. A second one before the first was used makes it a no.
    pub(super) fn answer(&self, id: &Id, result: Option<&str>) {
        let mut open = self.lock();
        let Some(open) = open.as_mut().filter(|open| matches!(id, Id::Text(id) if *id == open.id)) else { return };
        let result = result.and_then(|result| serde_json::from_str::<Value>(result).ok());
        open.told = Some(match result.as_ref().and_then(elicitation::told) {
            _ if open.told.is_some() => Told::Failed("the client answered twice"),
            _ if Instant::now() >= open.deadline => Told::TimedOut,
            Some(told) => told,
            None => Told::Failed("the client's answer is none"),
        });
        open.changed.notify_one();
    }

    fn open(&self, id: &str, deadline: Instant) -> Arc<Notify> {
        let changed = Arc::new(Notify::new());
        *self.lock() = Some(Open { id: id.to_owned(), deadline, told: None, changed: Arc::clone(&changed) });
        changed
    }

    /// Closes the question; its answer, if there is one.
    fn close(&self) -> Option<Told> {
        self.lock().take().and_then(|open| open.told)
    }

    fn lock(&self) -> MutexGuard<'_, Option<Open>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The client of one held call.
pub(super) struct HeldClient {
    pub(super) served: Arc<Served>,
    pub(super) revision: Revision,
    pub(super) stop: Stop,
}

impl Held for HeldClient {
    fn ask<'a>(&'a self, prompt: &'a Prompt, deadline: Instant) -> BoxFuture<'a, Told> {
        Box::pin(async move {
            // The prompt's own id is shown to nobody else.
            let id = format!("opgate-{}", prompt.id);
            let changed = self.served.questions.open(&id, deadline);
            let mut open = Closing { client: self, id: &id, withdraws: false };
            let params = elicitation::params(prompt, self.revision);
            match self.write(&json!({ "jsonrpc": "2.0", "id": id, "method": "elicitation/create", "params": params })) {
                None => return Told::Stopped,
                Some(Sent::Gone) => return Told::Failed("the client is gone"),
                Some(Sent::Written | Sent::Waiting) => open.withdraws = true,
            }
            changed.notified().await;
            open.withdraws = false;
            self.served.questions.close().unwrap_or(Told::Stopped)
        })
    }
}

impl HeldClient {
    /// Writes a message, unless nothing may be sent for the call any more.
    fn write(&self, message: &Value) -> Option<Sent> {
        let frame = (canonical(message) + "\n").into_bytes();
        let sent = self.served.in_flight.while_owed(|| self.served.writer.notify(frame));
        if matches!(sent, Some(Sent::Waiting | Sent::Gone)) {
            self.served.wake.wake();
        }
        sent
    }
}

/// Closes a question however asking it ends, and withdraws it if nobody answered in time.
struct Closing<'a> {
    client: &'a HeldClient,
    id: &'a str,
    withdraws: bool,
}

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.client.served.questions.close();
        // After a cancellation or an end nothing is sent for the call.
        if self.withdraws && !self.client.stop.asks_no_more() {
            let params = json!({ "requestId": self.id, "reason": "Nobody answered in time." });
            self.client.write(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params }));
        }
    }
}
