//! What the outside may tell an admitted call: that nobody waits for its answer, and that nobody may be asked any more.
//! Neither ends an operation that was invoked.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;

#[derive(Clone, Default)]
pub(crate) struct Stop(Arc<Flags>);

#[derive(Default)]
struct Flags {
    cancelled: AtomicBool,
    no_more_questions: AtomicBool,
    changed: Notify,
}

impl Stop {
    /// The request was cancelled: the call is not invoked if it has not been yet.
    pub(crate) fn cancel(&self) {
        self.0.cancelled.store(true, Ordering::SeqCst);
        self.no_more_questions();
    }

    /// An open question counts as answered with no, and none is opened from now on.
    pub(crate) fn no_more_questions(&self) {
        self.0.no_more_questions.store(true, Ordering::SeqCst);
        self.0.changed.notify_one();
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.0.cancelled.load(Ordering::SeqCst)
    }

    /// The answer to a question, or `None` if it came too late.
    pub(crate) async fn unless_stopped<T>(&self, question: impl Future<Output = T>) -> Option<T> {
        if self.0.no_more_questions.load(Ordering::SeqCst) {
            return None;
        }
        let answer = tokio::select! {
            biased;
            () = self.0.changed.notified() => return None,
            answer = question => answer,
        };
        (!self.0.no_more_questions.load(Ordering::SeqCst)).then_some(answer)
    }
}
