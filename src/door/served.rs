//! What one process serves, and the way of an admitted call from the door to the application and back.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::in_flight::{InFlight, Owed};
use super::reply;
use super::revision::Revision;
use crate::catalog::Catalog;
use crate::diagnostic::{Diagnostic, Outcome, Phase, code};
use crate::gate::{Admission, Arguments, Calls, Form, Permit, Request, contain_async};
use crate::runtime::Runtime;
use crate::shutdown::Wake;
use crate::stdio::{Sent, Writer};

pub(crate) struct Served {
    pub(crate) catalog: Catalog,
    pub(crate) calls: Arc<dyn Calls>,
    pub(crate) admission: Arc<Admission>,
    pub(crate) runtime: Runtime,
    pub(crate) writer: Writer,
    pub(crate) in_flight: InFlight,
    pub(crate) wake: Wake,
    draining: AtomicBool,
}

impl Served {
    pub(crate) fn new(catalog: Catalog, calls: Arc<dyn Calls>, runtime: Runtime, writer: Writer, wake: Wake) -> Self {
        Self {
            catalog,
            calls,
            admission: Arc::default(),
            runtime,
            writer,
            in_flight: InFlight::default(),
            wake,
            draining: AtomicBool::new(false),
        }
    }

    /// Admits a call and sends it to the application's runtime, or answers at once that it was not started.
    pub(crate) fn call(self: &Arc<Self>, owed: Owed, revision: Revision, operation: usize, arguments: Arguments) {
        let permit = match self.admission.admit() {
            Ok(permit) => permit,
            Err(refused) => {
                let text = self.calls.describe(&refused, Form::Escaped);
                self.writer.answer(reply::tool_result(&owed.id, revision, &text, true));
                return;
            }
        };
        let id = owed.id.clone();
        let stop = owed.stop.clone();
        self.in_flight.begin(owed);
        let served = Arc::clone(self);
        let request = Request { permit, operation, arguments, stop, form: Form::Escaped };
        self.runtime.spawn(async move {
            let (frame, permit) = served.run(&id, revision, request).await;
            served.release(frame, permit);
        });
    }

    /// Runs an admitted call to its end and renders its answer.
    async fn run(&self, id: &super::message::Id, revision: Revision, request: Request) -> (Vec<u8>, Option<Permit>) {
        match contain_async(Arc::clone(&self.calls).call(request)).await {
            Ok(finished) => {
                let is_error = finished.answer.failed.is_some();
                (reply::tool_result(id, revision, &finished.answer.text, is_error), Some(finished.permit))
            }
            // The gate contains panics phase by phase; this is for one of its own, and the answer is owed all the same.
            Err(_) => {
                let mut failed = Diagnostic::new(Phase::Invoke, Outcome::Unknown, code::INVOCATION_FAILED);
                failed.advise(None);
                (reply::tool_result(id, revision, &self.calls.describe(&failed, Form::Escaped), true), None)
            }
        }
    }

    /// Releases the place and the id, then writes the answer if it is still owed.
    fn release(&self, frame: Vec<u8>, permit: Option<Permit>) {
        let waiting = self.in_flight.release(permit) && self.writer.answer(frame) == Sent::Waiting;
        if waiting || self.draining.load(Ordering::SeqCst) {
            self.wake.wake();
        }
    }

    /// Admits nothing from now on. The door is woken when the running call has ended.
    pub(crate) fn drain(&self) {
        self.draining.store(true, Ordering::SeqCst);
        self.admission.close();
        self.in_flight.refuse_questions();
    }

    pub(crate) fn is_draining(&self) -> bool {
        self.draining.load(Ordering::SeqCst)
    }
}
