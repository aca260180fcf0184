//! The one call whose answer is owed. Its place in the gate and its id are released in one step, which excludes
//! cancellation and progress: after it the answer is written, before it nothing is.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::batch::ReplyTo;
use super::message::Id;
use super::revision::Revision;
use crate::gate::{Permit, Stop};

/// How often a client that gave a token hears of a running call.
const HEARTBEAT: Duration = Duration::from_secs(1);

#[derive(Default)]
pub(crate) struct InFlight(Mutex<Option<Owed>>);

/// What is known of the running call.
pub(crate) struct Owed {
    pub(crate) id: Id,
    pub(crate) revision: Revision,
    pub(crate) reply_to: ReplyTo,
    pub(crate) stop: Stop,
    /// The client's progress token, as JSON text.
    pub(crate) progress_token: Option<String>,
    /// Position of the operation.
    pub(crate) operation: usize,
    cancelled: bool,
    started: Instant,
    heartbeats: u64,
}

impl Owed {
    pub(crate) fn new(
        id: Id,
        revision: Revision,
        reply_to: ReplyTo,
        stop: Stop,
        progress_token: Option<String>,
        operation: usize,
    ) -> Self {
        Self {
            id,
            revision,
            reply_to,
            stop,
            progress_token,
            operation,
            cancelled: false,
            started: Instant::now(),
            heartbeats: 0,
        }
    }
}

impl InFlight {
    /// Whether an answer to `id` is owed. It is the call that a cancellation silences, not the id.
    pub(crate) fn owes(&self, id: &Id) -> bool {
        let state = self.lock();
        state.as_ref().is_some_and(|owed| if owed.id == *id { !owed.cancelled } else { owed.reply_to.holds(id) })
    }

    pub(crate) fn begin(&self, owed: Owed) {
        *self.lock() = Some(owed);
    }

    /// Releases place and id together; whether the answer may still be sent.
    pub(crate) fn release(&self, permit: Option<Permit>) -> bool {
        let mut state = self.lock();
        drop(permit);
        state.take().is_some_and(|owed| !owed.cancelled)
    }

    /// Takes the answer away from a call that goes on: whoever calls this answers in its place, unless it was cancelled.
    /// `None` if the call has been released, and is being answered.
    pub(crate) fn abandon(&self) -> Option<Owed> {
        self.lock().take()
    }

    /// Silences the call with this id, if it is still owed an answer.
    pub(crate) fn cancel(&self, id: &Id) {
        if let Some(owed) = self.lock().as_mut().filter(|owed| owed.id == *id) {
            owed.cancelled = true;
            owed.stop.cancel();
        }
    }

    /// An open question counts as answered with no.
    pub(crate) fn refuse_questions(&self) {
        if let Some(owed) = self.lock().as_ref() {
            owed.stop.no_more_questions();
        }
    }

    /// Runs `send` if something may still be sent for the running call.
    pub(crate) fn while_owed<T>(&self, send: impl FnOnce() -> T) -> Option<T> {
        self.lock().as_ref().filter(|owed| !owed.cancelled).map(|_| send())
    }

    /// Calls `send` with the token and a strictly increasing number if a heartbeat is due.
    pub(crate) fn heartbeat(&self, now: impl FnOnce() -> Instant, send: impl FnOnce(&str, u64)) {
        let mut state = self.lock();
        let Some(owed) = state.as_mut().filter(|owed| owed.due(now) == Some(Duration::ZERO)) else { return };
        owed.heartbeats += 1;
        if let Some(token) = &owed.progress_token {
            send(token, owed.heartbeats);
        }
    }

    /// How long until the next heartbeat, if there will be one.
    pub(crate) fn next_heartbeat(&self, now: impl FnOnce() -> Instant) -> Option<Duration> {
        self.lock().as_ref().and_then(|owed| owed.due(now))
    }

    /// The operation that is waited for, and for how long it has been running.
    pub(crate) fn awaited(&self) -> Option<(usize, Duration)> {
        self.lock().as_ref().map(|owed| (owed.operation, owed.started.elapsed()))
    }

    fn lock(&self) -> MutexGuard<'_, Option<Owed>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Owed {
    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancelled
    }

    fn due(&self, now: impl FnOnce() -> Instant) -> Option<Duration> {
        if self.cancelled {
            return None;
        }
        self.progress_token.as_ref()?;
        let beats = u32::try_from(self.heartbeats + 1).unwrap_or(u32::MAX);
        Some((self.started + HEARTBEAT * beats).saturating_duration_since(now()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owed(token: Option<&str>) -> InFlight {
        let in_flight = InFlight::default();
        in_flight.begin(Owed::new(
            Id::Signed(1),
            Revision::V2025_11_25,
            ReplyTo::Stream,
            Stop::default(),
            token.map(str::to_owned),
            0,
        ));
        in_flight
    }

    #[test]
    fn a_cancelled_call_is_silent_and_its_id_is_free() {
        let in_flight = owed(None);
        assert!(in_flight.owes(&Id::Signed(1)) && !in_flight.owes(&Id::Text("1".to_owned())));
        in_flight.cancel(&Id::Text("1".to_owned()));
        assert!(in_flight.owes(&Id::Signed(1)), "another id changes nothing");
        in_flight.cancel(&Id::Signed(1));
        assert!(!in_flight.owes(&Id::Signed(1)) && in_flight.awaited().is_some());
        assert!(!in_flight.release(None));
        assert!(in_flight.awaited().is_none());
    }

    #[test]
    fn heartbeats_come_only_with_a_token_and_increase() {
        let mut seen = Vec::new();
        let in_flight = owed(Some("7"));
        let mut now = Instant::now();
        for _ in 0..4 {
            in_flight.heartbeat(|| now, |token, progress| seen.push((token.to_owned(), progress)));
            now += HEARTBEAT;
        }
        assert_eq!(seen, [("7".to_owned(), 1), ("7".to_owned(), 2), ("7".to_owned(), 3)]);
        in_flight.cancel(&Id::Signed(1));
        in_flight.heartbeat(|| now + HEARTBEAT, |_, _| panic!("silenced"));
        owed(None).heartbeat(|| now + HEARTBEAT, |_, _| panic!("no token"));
    }
}
