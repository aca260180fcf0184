//! Passes on what operations, their children and our log write, masked, to the real standard error.
//!
//! Invariant: nobody who writes is ever blocked by it. The pipes are always drained; what standard error does not take
//! is dropped and counted.

use std::fs::File;
use std::io::{self, PipeReader, Read, Write};
use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use redact_json::{Rules, TextMasker};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use tracing_subscriber::fmt::MakeWriter;

/// What may wait for standard error to take it.
const WAITING: usize = 1 << 18;
/// What is kept of a line until its end comes.
const LONGEST_LINE: usize = 1 << 12;
/// Written to the pipes at the end. Whoever writes the same bytes only ends its own relaying early.
const END: &[u8] = b"\0opgate: end of relayed output\0";

#[derive(Clone)]
pub(crate) struct Relay(Arc<Shared>);

struct Shared {
    rules: Rules,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    waiting: Vec<u8>,
    /// The thread is writing what it took.
    writing: bool,
    /// Bytes since the last report.
    dropped: u64,
    /// Pipes whose end has been seen.
    ended: usize,
    /// Standard error is gone, or is the protocol's own stream.
    closed: bool,
}

impl Relay {
    /// Starts the threads. With `closed`, everything is dropped: standard error is no place to write to.
    pub(crate) fn start(stray: [PipeReader; 2], errors: OwnedFd, rules: Rules, closed: bool) -> io::Result<Self> {
        let state = State { closed, ..State::default() };
        let relay = Self(Arc::new(Shared { rules, state: Mutex::new(state), changed: Condvar::new() }));
        for pipe in stray {
            let relay = relay.clone();
            thread::Builder::new().name("relay".to_owned()).spawn(move || relay.drain(pipe))?;
        }
        let writer = relay.clone();
        thread::Builder::new().name("relay writer".to_owned()).spawn(move || writer.write(File::from(errors)))?;
        Ok(relay)
    }

    /// Writes a line of our own, masked.
    pub(crate) fn say(&self, line: &str) {
        let masked = redact_json::redact_text(line, &self.0.rules);
        self.put(format!("{masked}\n").as_bytes());
    }

    /// Waits until everything written to the pipes so far has been passed on, at most so long.
    pub(crate) fn finish(&self, patience: Duration) {
        let deadline = Instant::now() + patience;
        for stray in [rustix::stdio::stdout(), rustix::stdio::stderr()] {
            if !write_in_time(stray, END, deadline) {
                self.lock().ended += 1;
            }
        }
        let mut state = self.lock();
        while state.ended < 2 || state.writing || !state.waiting.is_empty() {
            let Some(left) = deadline.checked_duration_since(Instant::now()) else { return };
            state = self.0.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Reads one pipe, and passes its lines on, for ever: a full pipe would block whoever writes to it, also after the end was seen.
    fn drain(&self, mut pipe: PipeReader) {
        let mut masker = TextMasker::new(self.0.rules.clone());
        let mut chunk = vec![0; 1 << 16];
        let (mut kept, mut out) = (Vec::new(), Vec::new());
        loop {
            let count = match pipe.read(&mut chunk) {
                Ok(0) => break,
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(_) => break,
            };
            kept.extend_from_slice(&chunk[..count]);
            if let Some(end) = find(&kept, END) {
                masker.push(&kept[..end], &mut out);
                masker.finish(&mut out);
                self.put(&std::mem::take(&mut out));
                kept.drain(..end + END.len());
                self.end_of_pipe();
            }
            let held = possible_beginning(&kept, END);
            masker.push(&kept[..kept.len() - held], &mut out);
            kept.drain(..kept.len() - held);
            // Lines of the two pipes stay whole, unless they are long.
            let whole = if out.len() > LONGEST_LINE {
                out.len()
            } else {
                memchr::memrchr(b'\n', &out).map_or(0, |end| end + 1)
            };
            self.put(&out[..whole]);
            out.drain(..whole);
        }
        masker.finish(&mut out);
        self.put(&out);
        self.end_of_pipe();
    }

    fn end_of_pipe(&self) {
        self.lock().ended += 1;
        self.0.changed.notify_all();
    }

    fn put(&self, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        let mut state = self.lock();
        if state.closed || state.waiting.len() + bytes.len() > WAITING {
            state.dropped += bytes.len() as u64;
        } else {
            state.waiting.extend_from_slice(bytes);
            self.0.changed.notify_all();
        }
    }

    fn write(&self, mut errors: File) {
        loop {
            let mut state = self.lock();
            while state.waiting.is_empty() {
                state = self.0.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            let mut bytes = std::mem::take(&mut state.waiting);
            let dropped = std::mem::take(&mut state.dropped);
            state.writing = true;
            drop(state);
            if dropped > 0 {
                bytes.extend_from_slice(format!("opgate: {dropped} bytes of this log were dropped\n").as_bytes());
            }
            let written = errors.write_all(&bytes);
            let mut state = self.lock();
            state.writing = false;
            state.closed |= written.is_err();
            if state.closed {
                state.waiting.clear();
            }
            self.0.changed.notify_all();
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One log event, written whole.
pub(crate) struct Event(Relay);

impl Write for Event {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(bytes);
        self.0.put(redact_json::redact_text(&text, &self.0.0.rules).as_bytes());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for Relay {
    type Writer = Event;

    fn make_writer(&self) -> Event {
        Event(self.clone())
    }
}

/// Writes a text that fits a pipe's buffer once there is room; whether there was in time.
fn write_in_time(descriptor: BorrowedFd<'_>, bytes: &[u8], deadline: Instant) -> bool {
    let left = deadline.saturating_duration_since(Instant::now());
    let left = Timespec::try_from(left).unwrap_or(Timespec { tv_sec: 0, tv_nsec: 0 });
    let mut wanted = [PollFd::from_borrowed_fd(descriptor, PollFlags::OUT)];
    matches!(poll(&mut wanted, Some(&left)), Ok(1..)) && rustix::io::write(descriptor, bytes).is_ok()
}

fn find(text: &[u8], wanted: &[u8]) -> Option<usize> {
    memchr::memmem::find(text, wanted)
}

/// The length of the longest end of `text` with which `wanted` may begin.
fn possible_beginning(text: &[u8], wanted: &[u8]) -> usize {
    (1..wanted.len().min(text.len() + 1))
        .rev()
        .find(|length| wanted.starts_with(&text[text.len() - length..]))
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader};
    use std::sync::mpsc;

    use super::*;

    /// Feeds a relay through one pipe and reads what it passes on.
    fn relayed(writes: &[&[u8]], secret: &str) -> String {
        let (from_one, mut one) = io::pipe().expect("a pipe");
        let (from_two, two) = io::pipe().expect("a pipe");
        let (mut passed_on, errors) = io::pipe().expect("a pipe");
        let rules = Rules::builder().secret("S", secret.into()).build().expect("rules").0;
        let relay = Relay::start([from_one, from_two], OwnedFd::from(errors), rules, false).expect("threads");
        for bytes in writes {
            one.write_all(bytes).expect("taken");
            thread::sleep(Duration::from_millis(5));
        }
        drop((one, two));
        let mut state = relay.lock();
        while state.ended < 2 || state.writing || !state.waiting.is_empty() {
            state = relay.0.changed.wait(state).expect("not poisoned");
        }
        drop(state);
        let mut text = vec![0; 1 << 16];
        let count = passed_on.read(&mut text).expect("something");
        String::from_utf8_lossy(&text[..count]).into_owned()
    }

    #[test]
    fn a_secret_over_two_writes_is_masked() {
        let text = relayed(&[b"before hunter2-and-", b"more after"], "hunter2-and-more");
        assert_eq!(text, "before [REDACTED] after");
    }

    #[test]
    fn a_beginning_of_the_marker_is_only_delayed() {
        assert_eq!(relayed(&[b"a\0opgate", b": x\n"], "a long secret"), "a\0opgate: x\n");
    }

    #[test]
    fn what_is_not_taken_is_dropped_and_counted_and_blocks_nobody() {
        let (from_one, mut one) = io::pipe().expect("a pipe");
        let (from_two, _two) = io::pipe().expect("a pipe");
        let (unread, errors) = io::pipe().expect("a pipe");
        let relay =
            Relay::start([from_one, from_two], OwnedFd::from(errors), Rules::default(), false).expect("threads");
        for _ in 0..100 {
            one.write_all(&vec![b'x'; 1 << 16]).expect("taken");
        }
        relay.say("still here");
        drop(one);
        let mut state = relay.lock();
        while state.ended < 1 {
            state = relay.0.changed.wait(state).expect("not poisoned");
        }
        let dropped = state.dropped;
        assert!(dropped > 0 && state.waiting.len() <= WAITING);
        drop(state);

        let counted = format!("opgate: {dropped} bytes of this log were dropped");
        let (passed_on, lines) = mpsc::channel();
        thread::spawn(move || BufReader::new(unread).lines().try_for_each(|line| passed_on.send(line)));
        let line = || lines.recv_timeout(Duration::from_secs(10)).expect("the count").expect("UTF-8");
        while !line().ends_with(&counted) {}
    }
}
