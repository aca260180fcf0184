//! The one writer of frames. Whoever has a frame writes it at once if the other side takes it, or leaves it to be written
//! together with what follows; the rest waits in order and is written when the door sees room.

use std::collections::VecDeque;
use std::io::{self, IoSlice};
use std::mem;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::output::Output;

/// Intake pauses above these and resumes at half of them.
const FRAMES: usize = 256;
const BYTES: usize = 1 << 20;
/// What is held back at most, in bytes: what a pipe takes whole or not at all (`PIPE_BUF`).
const HELD: usize = 1 << 12;
/// Frames in one write.
const TOGETHER: usize = 16;

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
    writes: Writes,
    /// An owed answer could not be written.
    lost: bool,
}

/// When a frame is written.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Writes {
    #[default]
    AtOnce,
    /// With those that are about to follow.
    Together,
    /// When the other side takes something again.
    Later,
    /// Nobody reads any more.
    Never,
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

    /// Runs `answer`, and writes together what was sent meanwhile.
    pub(crate) fn together(&self, answer: impl FnOnce()) {
        self.change(|state, _| {
            if state.writes == Writes::AtOnce {
                state.writes = Writes::Together;
            }
        });
        answer();
        self.change(|state, output| {
            if state.writes == Writes::Together {
                state.writes = Writes::AtOnce;
                state.flush(output);
            }
        });
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
        let patience = if state.writes == Writes::Never { Duration::ZERO } else { patience };
        self.output.finish(patience) && !state.lost && state.waiting.is_empty()
    }

    fn change<T>(&self, change: impl FnOnce(&mut State, &Output) -> T) -> T {
        let mut state = self.lock();
        let result = change(&mut state, &self.output);
        self.seen.frames.store(state.waiting.len(), Ordering::Release);
        self.seen.bytes.store(state.bytes, Ordering::Release);
        self.seen.gone.store(state.writes == Writes::Never, Ordering::Release);
        result
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn send(&mut self, output: &Output, frame: Vec<u8>) -> Sent {
        if self.writes == Writes::Never {
            return Sent::Gone;
        }
        self.bytes += frame.len();
        self.waiting.push_back(frame);
        match self.writes {
            Writes::AtOnce => self.flush(output),
            Writes::Together if self.bytes >= HELD => self.flush(output),
            Writes::Together | Writes::Later | Writes::Never => {}
        }
        match self.writes {
            Writes::Never => Sent::Gone,
            _ if self.waiting.is_empty() => Sent::Written,
            _ => Sent::Waiting,
        }
    }

    fn flush(&mut self, output: &Output) {
        while !self.waiting.is_empty() {
            match self.write(output) {
                Ok(count) => self.took(count),
                Err(error) => match error.kind() {
                    io::ErrorKind::Interrupted => {}
                    io::ErrorKind::WouldBlock => {
                        self.writes = Writes::Later;
                        return;
                    }
                    _ => return self.give_up(),
                },
            }
        }
        if self.writes == Writes::Later {
            self.writes = Writes::AtOnce;
        }
    }

    fn write(&self, output: &Output) -> io::Result<usize> {
        let mut slices = [IoSlice::new(&[]); TOGETHER];
        let mut skipped = self.written;
        for (slice, frame) in slices.iter_mut().zip(&self.waiting) {
            *slice = IoSlice::new(&frame[mem::take(&mut skipped)..]);
        }
        output.write(&slices[..self.waiting.len().min(TOGETHER)])
    }

    /// Forgets what the other side has taken.
    fn took(&mut self, count: usize) {
        self.bytes -= count;
        self.written += count;
        while let Some(frame) = self.waiting.pop_front_if(|frame| frame.len() <= self.written) {
            self.written -= frame.len();
        }
    }

    fn give_up(&mut self) {
        self.writes = Writes::Never;
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

#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::os::unix::net::{UnixDatagram, UnixStream};
    use std::thread;

    use super::*;

    /// A writer whose writes arrive one by one, as datagrams.
    fn by_datagram() -> (Writer, UnixDatagram) {
        let (ours, theirs) = UnixDatagram::pair().expect("a socket pair");
        theirs.set_nonblocking(true).expect("a flag");
        (Writer::new(Output::Socket(ours.into())), theirs)
    }

    fn written(arriving: &UnixDatagram) -> Vec<String> {
        let mut bytes = [0; 1 << 14];
        let next = || arriving.recv(&mut bytes).ok().map(|count| String::from_utf8_lossy(&bytes[..count]).into_owned());
        std::iter::from_fn(next).collect()
    }

    #[test]
    fn answers_of_one_read_are_written_together() {
        let (writer, arriving) = by_datagram();
        writer.together(|| {
            for frame in ["1\n", "2\n", "3\n"] {
                assert_eq!(writer.answer(frame.into()), Sent::Waiting);
                assert_eq!(written(&arriving), [""; 0]);
            }
        });
        assert_eq!(written(&arriving), ["1\n2\n3\n"]);
        assert!(!writer.is_waiting());
        assert_eq!(writer.answer("4\n".into()), Sent::Written);
        assert_eq!(written(&arriving), ["4\n"]);
    }

    #[test]
    fn little_is_held_back() {
        let (writer, arriving) = by_datagram();
        let long = "x".repeat(HELD / 2);
        writer.together(|| {
            for _ in 0..5 {
                writer.notify(long.clone().into());
            }
            assert_eq!(written(&arriving), [long.repeat(2), long.repeat(2)]);
        });
        assert_eq!(written(&arriving), [long]);
    }

    #[test]
    fn whatever_is_taken_at_a_time_arrives_whole_and_in_order() {
        let (ours, mut theirs) = UnixStream::pair().expect("a socket pair");
        rustix::net::sockopt::set_socket_send_buffer_size(&ours, 1 << 12).expect("an option");
        let writer = Writer::new(Output::Socket(ours.into()));
        let frames: Vec<String> = (0..1000).map(|number| format!("{}\n", "x".repeat(number))).collect();
        let expected = frames.concat();
        let reading = thread::spawn(move || {
            let (mut all, mut bytes) = (Vec::new(), [0; 777]);
            while let Ok(count @ 1..) = theirs.read(&mut bytes) {
                all.extend_from_slice(&bytes[..count]);
            }
            all
        });
        for few in frames.chunks(7) {
            writer
                .together(|| few.iter().for_each(|frame| assert_ne!(writer.answer(frame.clone().into()), Sent::Gone)));
        }
        while writer.is_waiting() {
            writer.flush();
        }
        assert!(writer.finish(Duration::ZERO));
        drop(writer);
        assert_eq!(reading.join().expect("a reader"), expected.as_bytes());
    }
}
