//! Two threads for the one door, so that a call costs no wake-up and yet nothing that an operation does keeps the door
//! shut.
//!
//! The protocol's thread serves, and begins a quick call itself, with the door let go. The main thread stands in for it: when
//! the same call still runs after [`LONGEST`], it serves until that thread is back, or is needed for the next call. It rests
//! while no call runs.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;
use std::time::Duration;

use super::{Door, End, Served, Turn};
use crate::runtime::STACK;

/// How long a call keeps the protocol's thread before another one serves in its place.
const LONGEST: Duration = Duration::from_millis(1);

struct Shared {
    served: Arc<Served>,
    /// Whoever has it serves. Application code runs only without it.
    door: Mutex<Door>,
    /// Odd while the protocol's thread runs a call.
    absences: AtomicU64,
    /// The main thread serves, and is to be told when the protocol's thread is back.
    standing_in: AtomicBool,
    /// The main thread looks at nothing until it is told of the next absence.
    resting: AtomicBool,
}

/// What the main thread is told.
enum News {
    Absent,
    Ended(io::Result<End>),
}

/// Serves until the session has ended.
///
/// # Errors
/// Polling failed, which leaves nothing to serve with, or there is no thread to serve on.
pub(crate) fn serve(door: Door) -> io::Result<End> {
    let shared = Arc::new(Shared {
        served: Arc::clone(&door.served),
        door: Mutex::new(door),
        absences: AtomicU64::new(0),
        standing_in: AtomicBool::new(false),
        resting: AtomicBool::new(false),
    });
    let (sender, news) = mpsc::channel();
    let protocol = Arc::clone(&shared);
    thread::Builder::new().name("protocol".to_owned()).stack_size(STACK).spawn(move || {
        let end = protocol.serve(&sender);
        drop(protocol);
        let _ = sender.send(News::Ended(end));
    })?;
    shared.watch(&news)
}

impl Shared {
    /// On the protocol's thread.
    fn serve(&self, news: &Sender<News>) -> io::Result<End> {
        loop {
            let turn = self.lock().run(|| false)?;
            match turn {
                Turn::Begin(call) => {
                    self.absences.fetch_add(1, Ordering::SeqCst);
                    if self.resting.swap(false, Ordering::SeqCst) {
                        let _ = news.send(News::Absent);
                    }
                    self.served.runtime.begin(call);
                    self.absences.fetch_add(1, Ordering::SeqCst);
                    if self.standing_in.load(Ordering::SeqCst) {
                        self.served.wake.wake();
                    }
                }
                Turn::Back => {}
                Turn::End(end) => return Ok(end),
            }
        }
    }

    /// On the main thread.
    fn watch(&self, news: &Receiver<News>) -> io::Result<End> {
        let mut waited_for = None;
        loop {
            let seen = self.absences.load(Ordering::SeqCst);
            let is_absent = seen % 2 == 1;
            let told = if is_absent { news.recv_timeout(LONGEST) } else { self.rest(seen, news) };
            match told {
                Ok(News::Ended(end)) => return end,
                Err(RecvTimeoutError::Disconnected) => return Err(io::Error::other("the protocol's thread is gone")),
                Err(RecvTimeoutError::Timeout) if self.absences.load(Ordering::SeqCst) == seen => {
                    if let Some(end) = self.stand_in(seen, waited_for == Some(seen))? {
                        return Ok(end);
                    }
                    waited_for = Some(seen);
                }
                Ok(News::Absent) | Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// Waits for the next absence.
    fn rest(&self, seen: u64, news: &Receiver<News>) -> Result<News, RecvTimeoutError> {
        self.resting.store(true, Ordering::SeqCst);
        // One that began before this was said is seen here.
        if self.absences.load(Ordering::SeqCst) != seen {
            self.resting.store(false, Ordering::SeqCst);
            return Ok(News::Absent);
        }
        news.recv().map_err(RecvTimeoutError::from)
    }

    /// Serves until the protocol's thread is back from the absence `seen`, or until a call is to begin. It can only be one
    /// because the call before has ended, so the protocol's thread is about to be back and begins it; if that was
    /// `waited_for` before, the application's thread runs it.
    fn stand_in(&self, seen: u64, waited_for: bool) -> io::Result<Option<End>> {
        let mut door = match self.door.try_lock() {
            Ok(door) => door,
            Err(TryLockError::Poisoned(door)) => door.into_inner(),
            // It is back already.
            Err(TryLockError::WouldBlock) => return Ok(None),
        };
        self.standing_in.store(true, Ordering::SeqCst);
        let result = loop {
            match door.run(|| self.absences.load(Ordering::SeqCst) != seen) {
                Ok(Turn::Begin(call)) if waited_for => self.served.runtime.spawn(call),
                Ok(Turn::Begin(call)) => {
                    self.served.put_back(call);
                    break Ok(None);
                }
                Ok(Turn::Back) => break Ok(None),
                Ok(Turn::End(end)) => break Ok(Some(end)),
                Err(error) => break Err(error),
            }
        };
        self.standing_in.store(false, Ordering::SeqCst);
        result
    }

    fn lock(&self) -> MutexGuard<'_, Door> {
        self.door.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
