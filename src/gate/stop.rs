//! What the outside may tell an admitted call: that nobody waits for its answer, and that nobody may be asked any more.
//! Neither ends an operation that was invoked.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Notify;

use crate::shutdown::Wake;

#[derive(Clone, Default)]
pub(crate) struct Stop(Arc<Flags>);

#[derive(Default)]
struct Flags {
    cancelled: AtomicBool,
    no_more_questions: AtomicBool,
    changed: Notify,
    /// Threads that hold an open question.
    wakes: Mutex<Vec<Wake>>,
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
        self.0.wakes.lock().unwrap_or_else(PoisonError::into_inner).iter().for_each(Wake::wake);
    }

    /// Wakes a thread, too, when nobody may be asked any more; at once if that is so already.
    pub(crate) fn also_wake(&self, wake: Wake) {
        let mut wakes = self.0.wakes.lock().unwrap_or_else(PoisonError::into_inner);
        if self.asks_no_more() {
            wake.wake();
        }
        wakes.push(wake);
    }

    pub(crate) fn asks_no_more(&self) -> bool {
        self.0.no_more_questions.load(Ordering::SeqCst)
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.0.cancelled.load(Ordering::SeqCst)
    }

    /// The answer to a question, or `None` if it came too late.
    pub(crate) async fn unless_stopped<T>(&self, question: impl Future<Output = T>) -> Option<T> {
        if self.asks_no_more() {
            return None;
        }
        let answer = tokio::select! {
            biased;
            () = self.0.changed.notified() => return None,
            answer = question => answer,
        };
        (!self.asks_no_more()).then_some(answer)
    }
}
