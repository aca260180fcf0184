//! Reading an output of the entry to its end, on a thread, until told to stop.

use std::io::{self, PipeWriter};
use std::os::fd::OwnedFd;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

/// Everything that was read from one descriptor so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct Record(Arc<Mutex<Vec<u8>>>);

impl Record {
    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.0.lock().expect("no reader panicked").clone()
    }

    /// The last `most` bytes, as text.
    pub(crate) fn tail(&self, most: usize) -> String {
        let bytes = self.0.lock().expect("no reader panicked");
        let start = bytes.len().saturating_sub(most);
        String::from_utf8_lossy(&bytes[start..]).into_owned()
    }

    fn add(&self, bytes: &[u8]) {
        self.0.lock().expect("no reader panicked").extend_from_slice(bytes);
    }
}

/// A thread that reads one descriptor. Dropping it closes the descriptor and joins the thread.
#[derive(Debug)]
pub(crate) struct Tap {
    stop: Option<PipeWriter>,
    finished: Receiver<()>,
    thread: Option<JoinHandle<()>>,
}

impl Tap {
    /// Reads until end of file; `take` sees each piece, and `None` at the end, which a reader that was told to stop before
    /// has not seen.
    pub(crate) fn open(source: OwnedFd, record: Record, mut take: impl FnMut(Option<&[u8]>) + Send + 'static) -> Self {
        let (stopped, stop) = io::pipe().expect("a pipe");
        let (running, finished) = mpsc::channel();
        let thread = thread::spawn(move || {
            let _running = running;
            let mut buffer = vec![0; 64 * 1024];
            loop {
                match next(&source, &stopped, &mut buffer) {
                    Read::Piece(length) => {
                        record.add(&buffer[..length]);
                        take(Some(&buffer[..length]));
                    }
                    Read::End => return take(None),
                    Read::Stopped => return,
                }
            }
        });
        Self { stop: Some(stop), finished, thread: Some(thread) }
    }

    /// Waits for end of file; false if it does not come in time.
    pub(crate) fn ended(&self, within: Duration) -> bool {
        self.finished.recv_timeout(within) == Err(RecvTimeoutError::Disconnected)
    }

    /// Stops reading and closes the descriptor.
    pub(crate) fn close(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            thread.join().expect("the reader did not panic");
        }
    }
}

impl Drop for Tap {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// What a read found.
enum Read {
    Piece(usize),
    /// End of file, or an error.
    End,
    Stopped,
}

fn next(source: &OwnedFd, stopped: &io::PipeReader, buffer: &mut [u8]) -> Read {
    loop {
        let mut watched = [PollFd::new(source, PollFlags::IN), PollFd::new(stopped, PollFlags::IN)];
        match poll(&mut watched, None) {
            Err(Errno::INTR) => continue,
            Err(_) => return Read::End,
            Ok(_) => {}
        }
        if !watched[1].revents().is_empty() {
            return Read::Stopped;
        }
        match rustix::io::read(source, &mut *buffer) {
            Err(Errno::INTR | Errno::AGAIN) => {}
            Ok(0) | Err(_) => return Read::End,
            Ok(length) => return Read::Piece(length),
        }
    }
}
