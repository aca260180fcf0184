//! What one process serves, and the way of an admitted call from the door to the application and back.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::batch::ReplyTo;
use super::in_flight::{InFlight, Owed};
use super::message::Id;
use super::questions::Questions;
use super::repeated::{self, Seals};
use super::reply;
use super::revision::Revision;
use crate::ask::Client;
use crate::catalog::{Catalog, canonical};
use crate::diagnostic::{Diagnostic, Outcome, Phase, code};
use crate::gate::{Admission, Answered, Arguments, Calls, Finished, Permit, Request, contain_async};
use crate::launch::ToolOptions;
use crate::operation::BoxFuture;
use crate::process::Children;
use crate::redaction::Form;
use crate::runtime::Runtime;
use crate::shutdown::Wake;
use crate::stdio::{Sent, Writer};

pub(crate) struct Served {
    pub(crate) catalog: Catalog,
    tools: ToolOptions,
    pub(crate) calls: Arc<dyn Calls>,
    pub(crate) admission: Arc<Admission>,
    /// Programs that were started for operations.
    children: Children,
    pub(crate) runtime: Runtime,
    pub(crate) writer: Writer,
    pub(crate) in_flight: InFlight,
    pub(crate) questions: Questions,
    pub(crate) seals: Seals,
    pub(crate) wake: Wake,
    /// An admitted call that begins when what was read with it has been looked at: a cancel right behind it is then known.
    held: Mutex<Option<Held>>,
    /// Calls whose answer has not yet been given to the writer. A place is released before its answer is written, so
    /// an empty place alone does not mean that nothing is owed.
    unanswered: AtomicUsize,
    draining: AtomicBool,
}

struct Held {
    call: BoxFuture<'static, ()>,
    /// It needs no program, no person and no disk.
    is_quick: bool,
}

/// What a launch brings, to be served.
pub(crate) struct Parts {
    pub(crate) catalog: Catalog,
    pub(crate) tools: ToolOptions,
    pub(crate) calls: Arc<dyn Calls>,
    pub(crate) admission: Admission,
    pub(crate) children: Children,
    pub(crate) runtime: Runtime,
    pub(crate) writer: Writer,
    pub(crate) wake: Wake,
    pub(crate) seals: Seals,
}

impl Served {
    pub(crate) fn new(parts: Parts) -> Self {
        let Parts { catalog, tools, calls, admission, children, runtime, writer, wake, seals } = parts;
        Self {
            catalog,
            tools,
            calls,
            admission: Arc::new(admission),
            children,
            runtime,
            writer,
            in_flight: InFlight::default(),
            questions: Questions::default(),
            seals,
            wake,
            held: Mutex::default(),
            unanswered: AtomicUsize::new(0),
            draining: AtomicBool::new(false),
        }
    }

    /// Admits a call and holds it for [`take_call`](Served::take_call), or answers at once that it was not started.
    pub(super) fn call(self: &Arc<Self>, owed: Owed, arguments: Arguments, client: Client) {
        let (operation, revision) = (owed.operation, owed.revision);
        let admitted =
            if owed.reply_to.has_call() { Err(Admission::busy()) } else { self.admission.admit(Instant::now()) };
        let permit = match admitted {
            Ok(permit) => permit,
            Err(refused) => {
                let text = self.calls.describe(&refused, Form::Escaped);
                return self.answer(&owed.reply_to, reply::tool_result(&owed.id, revision, text, None, true));
            }
        };
        let id = owed.id.clone();
        let stop = owed.stop.clone();
        let to = owed.reply_to.clone();
        to.expect_call();
        self.in_flight.begin(owed);
        self.unanswered.fetch_add(1, Ordering::SeqCst);
        let served = Arc::clone(self);
        let structured = self.tools.structured && revision >= Revision::V2025_06_18;
        let request = Request { permit, operation, arguments, stop, form: Form::Escaped, structured, client };
        let is_quick = self.calls.is_quick(operation);
        let call = Box::pin(async move {
            let (frame, permit) = served.run(&id, revision, request).await;
            served.release(&to, frame, permit);
        });
        *self.held() = Some(Held { call, is_quick });
    }

    /// The call that was admitted last, if it may begin on the thread that asks; any other is sent to the application's.
    pub(crate) fn take_call(&self) -> Option<BoxFuture<'static, ()>> {
        let Held { call, is_quick } = self.held().take()?;
        if is_quick {
            return Some(call);
        }
        self.runtime.spawn(call);
        None
    }

    /// A call that [`Served::take_call`] gave is to be asked for again.
    pub(crate) fn put_back(&self, call: BoxFuture<'static, ()>) {
        *self.held() = Some(Held { call, is_quick: true });
    }

    fn held(&self) -> MutexGuard<'_, Option<Held>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs an admitted call to its end and renders its answer.
    async fn run(&self, id: &Id, revision: Revision, request: Request) -> (Vec<u8>, Option<Permit>) {
        let operation = request.operation;
        if let Ok(finished) = contain_async(Arc::clone(&self.calls).call(request)).await {
            let Finished { answer: Answered { text, structured, failed, asks }, permit } = finished;
            let frame = if asks.is_empty() {
                reply::tool_result(id, revision, text, structured.as_deref(), failed.is_some())
            } else {
                reply::result(id, &canonical(&repeated::asking(&self.seals, &asks, revision)))
            };
            return (frame, Some(permit));
        }
        // The gate contains panics phase by phase; this is for one of its own, and the answer is owed all the same.
        let mut failed = Diagnostic::new(Phase::Invoke, Outcome::Unknown, code::INVOCATION_FAILED);
        let text = self.calls.failed(operation, &mut failed, Form::Escaped);
        (reply::tool_result(id, revision, text, None, true), None)
    }

    /// Releases the place and the id, then writes the answer if it is still owed.
    fn release(&self, to: &ReplyTo, frame: Vec<u8>, permit: Option<Permit>) {
        let owed = self.in_flight.release(permit);
        let sent = self.settle(to, owed.then_some(frame));
        self.unanswered.fetch_sub(1, Ordering::SeqCst);
        if matches!(sent, Some(Sent::Waiting | Sent::Gone)) || self.draining.load(Ordering::SeqCst) {
            self.wake.wake();
        }
    }

    /// Answers a request at once.
    pub(crate) fn answer(&self, to: &ReplyTo, frame: Vec<u8>) {
        match to {
            ReplyTo::Stream => {
                self.writer.answer(frame);
            }
            ReplyTo::Batch(batch) => batch.add(frame),
        }
    }

    /// Answers a request whose answer was expected, or, with `None`, never will; what was written for it.
    pub(crate) fn settle(&self, to: &ReplyTo, frame: Option<Vec<u8>>) -> Option<Sent> {
        let frame = match to {
            ReplyTo::Stream => frame,
            ReplyTo::Batch(batch) => batch.settle(frame),
        };
        frame.map(|frame| self.writer.answer(frame))
    }

    /// Answers what is owed although the call has not ended: nobody waits for it any longer. False if it has just ended,
    /// and its own answer is on its way to the writer.
    pub(crate) fn abandon(&self) -> bool {
        let Some(owed) = self.in_flight.abandon() else { return false };
        self.children.kill();
        let answer = || {
            let text = self.calls.failed(owed.operation, &mut Diagnostic::abandoned(), Form::Escaped);
            reply::tool_result(&owed.id, owed.revision, text, None, true)
        };
        self.settle(&owed.reply_to, (!owed.is_cancelled()).then(answer));
        true
    }

    /// The operation that is waited for, as `plugin.method`, and for how long it has been running.
    pub(crate) fn awaited(&self) -> Option<(&str, Duration)> {
        let (operation, age) = self.in_flight.awaited()?;
        Some((&self.catalog.tools()[operation].title, age))
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

    /// Whether nothing runs and every answer is with the writer.
    pub(crate) fn is_idle(&self) -> bool {
        self.unanswered.load(Ordering::SeqCst) == 0
    }
}
