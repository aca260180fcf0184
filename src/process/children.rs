//! The processes that run, so that they can be ended from another thread, and the workers that wait for the next call.
//!
//! Invariant: a group is signalled only while its leader has not been reaped, so its id is still its own.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::process::{Pid, Signal, WaitOptions, kill_process, kill_process_group, waitpid};

use super::worker::{Slot, Worker};

#[derive(Clone, Default)]
pub(crate) struct Children(Arc<Shared>);

#[derive(Default)]
struct Shared {
    groups: Mutex<Groups>,
    workers: Mutex<Vec<Slot>>,
}

#[derive(Default)]
struct Groups {
    running: Vec<Pid>,
    /// Those that could not be ended; reaped when they have.
    left: Vec<Pid>,
    /// Nothing is started any more.
    closed: bool,
}

impl Children {
    /// Starts a process whose group is known from its first moment.
    pub(super) fn start<T>(&self, spawn: impl FnOnce() -> io::Result<(Pid, T)>) -> io::Result<T> {
        let mut groups = self.groups();
        if groups.closed {
            return Err(io::Error::other("the adapter is ending"));
        }
        groups.left.retain(|process| matches!(waitpid(Some(*process), WaitOptions::NOHANG), Ok(None)));
        let (group, started) = spawn()?;
        groups.running.push(group);
        Ok(started)
    }

    /// Reaps the leader of a group, which is no longer ours then.
    pub(super) fn reap<T>(&self, group: Pid, reap: impl FnOnce() -> T) -> T {
        let mut groups = self.groups();
        groups.running.retain(|running| *running != group);
        reap()
    }

    pub(super) fn kill_group(&self, group: Pid) {
        let groups = self.groups();
        if groups.running.contains(&group) {
            kill(group);
        }
    }

    /// Kills every group, and starts nothing from now on.
    pub(crate) fn kill(&self) {
        let mut groups = self.groups();
        groups.closed = true;
        for group in &groups.running {
            kill(*group);
        }
    }

    /// No longer waits for a process that could not be ended.
    pub(super) fn leave(&self, group: Pid) {
        let mut groups = self.groups();
        groups.running.retain(|running| *running != group);
        groups.left.push(group);
    }

    /// A place where a worker waits between calls.
    pub(super) fn keep(&self, slot: Slot) {
        self.0.workers.lock().unwrap_or_else(PoisonError::into_inner).push(slot);
    }

    /// Ends the waiting workers: their standard input is closed, and who has not ended in time is killed with its group.
    pub(crate) fn end(&self) {
        let slots = std::mem::take(&mut *self.0.workers.lock().unwrap_or_else(PoisonError::into_inner));
        // A slot that is locked belongs to a call that was abandoned; its group was killed.
        let workers = slots.iter().filter_map(|slot| slot.try_lock().ok()?.take());
        let mut workers: Vec<Worker> = workers.collect();
        workers.iter_mut().for_each(Worker::close);
        for worker in workers {
            worker.end();
        }
    }

    fn groups(&self) -> MutexGuard<'_, Groups> {
        self.0.groups.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Kills a group, and its leader, wherever that is.
fn kill(group: Pid) {
    // One that has just ended needs no signal; what became of one that may not be signalled is looked at.
    let _ = kill_process_group(group, Signal::KILL);
    let _ = kill_process(group, Signal::KILL);
}
