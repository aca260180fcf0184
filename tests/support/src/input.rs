//! The host's end of the entry's standard input: never blocks past its deadline.

use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;
use rustix::net::{Shutdown, shutdown};

#[derive(Debug)]
pub(crate) struct Input(OwnedFd);

impl Input {
    /// Takes the writing end. Only this end becomes non-blocking: the entry's end is a description of its own.
    pub(crate) fn new(end: OwnedFd) -> Self {
        let flags = fcntl_getfl(&end).expect("flags of our own descriptor");
        fcntl_setfl(&end, flags | OFlags::NONBLOCK).expect("our own descriptor");
        Self(end)
    }

    /// Writes until everything is taken, the reader is gone or time is up; says how much was taken.
    pub(crate) fn write(&self, bytes: &[u8], within: Duration) -> usize {
        let until = Instant::now() + within;
        let mut taken = 0;
        while taken < bytes.len() {
            match rustix::io::write(&self.0, &bytes[taken..]) {
                Ok(length) => taken += length,
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) if self.writable(until) => {}
                Err(_) => break,
            }
        }
        taken
    }

    /// Ends what the entry reads, also where the other direction of the same socket stays open.
    pub(crate) fn close(self) {
        // Pipes have no directions to shut down.
        let _ = shutdown(&self.0, Shutdown::Write);
    }

    fn writable(&self, until: Instant) -> bool {
        let left = until.saturating_duration_since(Instant::now());
        let left = Timespec::try_from(left).expect("a short time");
        let mut watched = [PollFd::new(&self.0, PollFlags::OUT)];
        matches!(poll(&mut watched, Some(&left)), Ok(1) | Err(Errno::INTR))
    }
}
