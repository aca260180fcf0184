//! Where application code runs: its own thread, never the one that serves the protocol.
//!
//! The thread is left behind at exit: an operation that never returns keeps nothing but itself.

use std::pin::Pin;
use std::thread;

use tokio::sync::mpsc;

use crate::gate::contain_async;

type Task = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Sends work to the application's runtime.
#[derive(Clone)]
pub(crate) struct Runtime(mpsc::UnboundedSender<Task>);

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
        let runtime = builder.enable_all().thread_name("application").build()?;
        // At most one call is admitted at a time, so this never holds more than the launch and one call.
        let (sender, mut receiver) = mpsc::unbounded_channel::<Task>();
        thread::Builder::new().name("application".to_owned()).spawn(move || {
            runtime.block_on(async move {
                while let Some(task) = receiver.recv().await {
                    // One call at a time, so nothing waits behind it; nothing that happens to its client drops it.
                    let _ = contain_async(task).await;
                }
                std::future::pending::<()>().await;
            });
        })?;
        Ok(Self(sender))
    }

    /// Runs `task` to its end, unless the process ends first.
    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        // The thread lives as long as the process, so somebody receives.
        let _ = self.0.send(Box::pin(task));
    }
}
