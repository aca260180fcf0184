//! `mode = "worker"`: one process for many calls, a line each. It lives as long as it keeps to that.

use std::io::BufReader;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::answer::{self, End, Fault};
use super::child::Child;
use super::plugin::{CHUNK, Plugin, no_answer, overdue, said};
use crate::failure::Failure;
use crate::operation::{Output, Writing};

/// How long a worker may take to end once its standard input is closed.
const LAST_MOMENTS: Duration = Duration::from_secs(2);

/// Where the worker of a plugin waits for the next call.
pub(super) type Slot = Arc<Mutex<Option<Worker>>>;

pub(super) struct Worker(BufReader<Child>);

impl Worker {
    /// One call of the plugin's worker, which is started if there is none.
    pub(super) fn call(
        plugin: &Plugin,
        mut request: Vec<u8>,
        call: &str,
        timeout: Option<Duration>,
        writing: &Writing,
    ) -> Result<Output, Failure> {
        let mut slot = plugin.worker.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(worker) = slot.take_if(|worker| worker.0.get_ref().stirs()) {
            tracing::warn!(
                target: "opgate::process",
                plugin = plugin.id,
                "its worker ended, or wrote something outside a call; another one is started"
            );
            worker.end();
        }
        let mut worker = match slot.take() {
            Some(worker) => worker,
            None => Self(BufReader::with_capacity(CHUNK, plugin.start()?)),
        };
        request.push(b'\n');
        let child = worker.0.get_mut();
        child.must_end_by(timeout.and_then(|timeout| Instant::now().checked_add(timeout)));
        child.send(request, true);
        let answer = answer::read(&mut worker.0, End::Line { call }, writing).and_then(|answer| {
            if worker.0.buffer().is_empty() && worker.0.get_ref().took_its_input() {
                Ok(answer)
            } else {
                Err(Fault::Malformed("it wrote more than one line, or did not read its own".to_owned()))
            }
        });
        match answer {
            Ok(answer) if !worker.0.get_ref().is_overdue() => {
                worker.0.get_mut().must_end_by(None);
                worker.0.get_mut().is_done();
                *slot = Some(worker);
                said(answer)
            }
            Ok(_) => Err(overdue(timeout, worker.end())),
            Err(fault) => {
                let is_overdue = worker.0.get_ref().is_overdue();
                worker.close();
                // How it ended by itself, if it did.
                let status = worker.0.get_mut().finish().ok().filter(|_| !worker.0.get_ref().was_killed());
                let is_lost = worker.end();
                Err(match status {
                    _ if is_overdue => overdue(timeout, is_lost),
                    Some(status) if !status.success() => no_answer(&format!("{fault}, and ended with {status}")),
                    _ => no_answer(&fault),
                })
            }
        }
    }

    /// Tells it to end.
    pub(super) fn close(&mut self) {
        self.0.get_mut().is_done();
        self.0.get_mut().close();
        self.0.get_mut().must_end_by(Instant::now().checked_add(LAST_MOMENTS));
    }

    /// Waits for its end, and kills it with its group if that does not come in time. Whether it runs on all the same.
    pub(super) fn end(mut self) -> bool {
        self.close();
        let child = self.0.get_mut();
        if let Err(error) = child.finish()
            && !child.is_lost()
        {
            tracing::warn!(target: "opgate::process", %error, "a worker cannot be waited for");
        }
        child.is_lost()
    }
}
