//! Where application code runs: on a thread of its own, but for the beginning of quick calls.
//!
//! The thread is left behind at exit: an operation that never returns keeps nothing but itself.

use std::task::{Context, Poll, Waker};
use std::thread;

use tokio::runtime::Handle;
use tokio::sync::mpsc;

use crate::gate::{contain, contain_async, discard};
use crate::operation::BoxFuture;

/// The stack of every thread that application code runs on, in bytes: as much as a main thread usually has.
pub(crate) const STACK: usize = 8 << 20;

type Task = BoxFuture<'static, ()>;

/// Sends work to the application's runtime.
#[derive(Clone)]
pub(crate) struct Runtime {
    tasks: mpsc::UnboundedSender<Task>,
    handle: Handle,
}

impl Runtime {
    /// Starts the application's thread with a current-thread runtime, or with `worker_threads` more.
    pub(crate) fn start(worker_threads: Option<usize>) -> std::io::Result<Self> {
        let mut builder = match worker_threads {
            None => tokio::runtime::Builder::new_current_thread(),
            Some(threads) => {
                let mut builder = tokio::runtime::Builder::new_multi_thread();
                builder.worker_threads(threads);
                builder
            }
        };
        let runtime = builder.enable_all().thread_name("application").thread_stack_size(STACK).build()?;
        // At most one call is admitted at a time, so this never holds more than the launch and one call.
        let (sender, mut receiver) = mpsc::unbounded_channel::<Task>();
        let handle = runtime.handle().clone();
        thread::Builder::new().name("application".to_owned()).stack_size(STACK).spawn(move || {
            runtime.block_on(async move {
                while let Some(task) = receiver.recv().await {
                    // One call at a time, so nothing waits behind it; nothing that happens to its client drops it.
                    let _ = contain_async(task).await;
                }
                std::future::pending::<()>().await;
            });
        })?;
        Ok(Self { tasks: sender, handle })
    }

    /// Runs `task` to its end, unless the process ends first.
    pub(crate) fn spawn(&self, task: Task) {
        // The thread lives as long as the process, so somebody receives.
        let _ = self.tasks.send(task);
    }

    /// Runs `task` here until it first has to wait, and the rest of it on the application's thread. That saves a call that
    /// waits for nothing two changes of thread.
    pub(crate) fn begin(&self, mut task: Task) {
        let mut begun = Poll::Pending;
        // Whatever it waits for is asked again by the thread that goes on with it.
        let panicked = contain(|| {
            let _entered = self.handle.enter();
            begun = task.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        });
        match (begun, panicked) {
            (Poll::Pending, Ok(())) => self.spawn(task),
            _ => discard(task),
        }
    }
}
