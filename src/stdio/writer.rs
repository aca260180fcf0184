//! The one writer of frames. Whoever has a frame writes it at once if the other side takes it; the rest waits in order
//! and is written when the door sees room.

use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::output::Output;

/// Intake pauses above these and resumes at half of them.
const FRAMES: usize = 256;
const BYTES: usize = 1 << 20;

pub(crate) struct Writer {
    output: Output,
    state: Mutex<State>,
    seen: Seen,
}

/// What the door asks at every turn, as it was when a frame was last written: it must not wait for a thread that is in the
/// middle of writing one.
#[derive(Default)]
struct Seen {
    frames: AtomicUsize,
    bytes: AtomicUsize,
    gone: AtomicBool,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Vec<u8>>,
    /// Of the first waiting frame.
    written: usize,
    /// In all waiting frames.
    bytes: usize,
    /// Nobody reads any more.
    gone: bool,
    /// An owed answer could not be written.
    lost: bool,
}

/// What became of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sent {
    Written,
    /// Some of it waits for room.
    Waiting,
    /// Nobody reads any more.
    Gone,
}

impl Writer {
    pub(crate) fn new(output: Output) -> Self {
        Self { output, state: Mutex::default(), seen: Seen::default() }
    }

    /// Writes an answer that somebody is owed. `frame` is one line with its line feed.
    pub(crate) fn answer(&self, frame: Vec<u8>) -> Sent {
        self.change(|state, output| {
            let sent = state.send(output, frame);
            state.lost |= sent == Sent::Gone;
            sent
        })
    }

    /// Writes a notification, which nobody is owed.
    pub(crate) fn notify(&self, frame: Vec<u8>) -> Sent {
        self.change(|state, output| state.send(output, frame))
    }

    /// Writes what waits, as far as it is taken; whether anything was.
    pub(crate) fn flush(&self) -> bool {
        self.change(|state, output| {
            let before = state.bytes;
            state.flush(output);
            state.bytes < before
        })
    }

    pub(crate) fn is_waiting(&self) -> bool {
        self.seen.frames.load(Ordering::Acquire) > 0
    }

    pub(crate) fn is_full(&self) -> bool {
        let Seen { frames, bytes, .. } = &self.seen;
        frames.load(Ordering::Acquire) >= FRAMES || bytes.load(Ordering::Acquire) >= BYTES
    }

    pub(crate) fn has_room(&self) -> bool {
        let Seen { frames, bytes, .. } = &self.seen;
        frames.load(Ordering::Acquire) <= FRAMES / 2 && bytes.load(Ordering::Acquire) <= BYTES / 2
    }

    pub(crate) fn is_gone(&self) -> bool {
        self.seen.gone.load(Ordering::Acquire)
    }

    /// Nobody reads any more: what waits is lost.
    pub(crate) fn give_up(&self) {
        self.change(|state, _| state.give_up());
    }

    /// Ends the stream; whether every owed answer was written.
    pub(crate) fn finish(&self, patience: Duration) -> bool {
        let state = self.lock();
        let patience = if state.gone { Duration::ZERO } else { patience };
        self.output.finish(patience) && !state.lost && state.waiting.is_empty()
    }

    fn change<T>(&self, change: impl FnOnce(&mut State, &Output) -> T) -> T {
        let mut state = self.lock();
        let result = change(&mut state, &self.output);
        self.seen.frames.store(state.waiting.len(), Ordering::Release);
        self.seen.bytes.store(state.bytes, Ordering::Release);
        self.seen.gone.store(state.gone, Ordering::Release);
        result
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn send(&mut self, output: &Output, frame: Vec<u8>) -> Sent {
        if self.gone {
            return Sent::Gone;
        }
        self.bytes += frame.len();
        self.waiting.push_back(frame);
        if self.waiting.len() == 1 {
            self.flush(output);
        }
        match (self.gone, self.waiting.is_empty()) {
            (true, _) => Sent::Gone,
            (false, true) => Sent::Written,
            (false, false) => Sent::Waiting,
        }
    }

    fn flush(&mut self, output: &Output) {
        while let Some(frame) = self.waiting.front() {
            match output.write(&frame[self.written..]) {
                Ok(count) => {
                    self.written += count;
                    self.bytes -= count;
                    if self.written == frame.len() {
                        self.waiting.pop_front();
                        self.written = 0;
                    }
                }
                Err(error) => match error.kind() {
                    io::ErrorKind::Interrupted => {}
                    io::ErrorKind::WouldBlock => return,
                    _ => return self.give_up(),
                },
            }
        }
    }

    fn give_up(&mut self) {
        self.gone = true;
        self.lost |= !self.waiting.is_empty();
        self.waiting.clear();
        self.bytes = 0;
    }
}

impl AsFd for Writer {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.output.as_fd()
    }
}
