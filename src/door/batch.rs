//! Where the answer to a request goes: into the stream, or into the one array that answers its batch.
//!
//! Source: JSON-RPC 2.0, section 6; served for 2025-03-26 alone, the one revision that has batches.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::message::Id;

/// The most messages a batch may hold.
pub(crate) const LARGEST: usize = 32;

#[derive(Clone)]
pub(crate) enum ReplyTo {
    Stream,
    Batch(Arc<Batch>),
}

/// A batch whose answer is not yet written.
pub(crate) struct Batch(Mutex<State>);

struct State {
    /// Answers still to come, and one for the door while it reads the members.
    owed: usize,
    answers: Vec<Vec<u8>>,
    /// One of its members was admitted: the place counts as taken for the others until the array is written.
    has_call: bool,
    /// The ids in it: they are in flight until the array is written.
    ids: Vec<Id>,
}

impl ReplyTo {
    /// Notes the id of a request; whether no other member of its batch has it.
    pub(crate) fn note(&self, id: &Id) -> bool {
        match self {
            Self::Stream => true,
            Self::Batch(batch) => batch.note(id),
        }
    }

    /// Whether a call of the same batch was admitted.
    pub(crate) fn has_call(&self) -> bool {
        match self {
            Self::Stream => false,
            Self::Batch(batch) => batch.lock().has_call,
        }
    }

    /// A call was admitted, and its answer will come later.
    pub(crate) fn expect_call(&self) {
        if let Self::Batch(batch) = self {
            batch.expect_call();
        }
    }

    /// Whether `id` belongs to a batch whose answer is not yet written.
    pub(crate) fn holds(&self, id: &Id) -> bool {
        match self {
            Self::Stream => false,
            Self::Batch(batch) => batch.holds(id),
        }
    }
}

impl Batch {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self(Mutex::new(State { owed: 1, answers: Vec::new(), has_call: false, ids: Vec::new() })))
    }

    fn note(&self, id: &Id) -> bool {
        let mut state = self.lock();
        let new = !state.ids.contains(id);
        if new {
            state.ids.push(id.clone());
        }
        new
    }

    fn holds(&self, id: &Id) -> bool {
        let state = self.lock();
        state.owed > 0 && state.ids.contains(id)
    }

    /// A call was admitted, and its answer will come later.
    fn expect_call(&self) {
        let mut state = self.lock();
        state.owed += 1;
        state.has_call = true;
    }

    /// Adds an answer that was given at once.
    pub(crate) fn add(&self, frame: Vec<u8>) {
        self.lock().answers.push(frame);
    }

    /// One that was expected has come, or never will; the whole array when it was the last.
    pub(crate) fn settle(&self, frame: Option<Vec<u8>>) -> Option<Vec<u8>> {
        let mut state = self.lock();
        state.answers.extend(frame);
        state.owed = state.owed.saturating_sub(1);
        if state.owed > 0 || state.answers.is_empty() {
            return None;
        }
        let mut array = vec![b'['];
        for (index, answer) in state.answers.drain(..).enumerate() {
            if index > 0 {
                array.push(b',');
            }
            array.extend_from_slice(answer.trim_ascii_end());
        }
        array.extend_from_slice(b"]\n");
        Some(array)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(array: Option<Vec<u8>>) -> Option<String> {
        array.map(|array| String::from_utf8(array).expect("UTF-8"))
    }

    #[test]
    fn the_array_is_whole_when_the_last_answer_is_there() {
        let batch = Batch::new();
        batch.add(b"{\"a\":1}\n".to_vec());
        batch.expect_call();
        assert_eq!(text(batch.settle(None)), None, "the door is done, a call is not");
        assert_eq!(text(batch.settle(Some(b"{\"b\":2}\n".to_vec()))).as_deref(), Some("[{\"a\":1},{\"b\":2}]\n"));
    }

    #[test]
    fn a_batch_without_answers_is_not_answered() {
        assert_eq!(text(Batch::new().settle(None)), None);
    }

    #[test]
    fn ids_are_in_flight_until_the_array_is_there() {
        let batch = Batch::new();
        assert!(batch.note(&Id::Signed(1)) && !batch.note(&Id::Signed(1)));
        assert!(batch.holds(&Id::Signed(1)) && !batch.holds(&Id::Signed(2)));
        batch.settle(None);
        assert!(!batch.holds(&Id::Signed(1)));
    }
}
