//! Signals that ask the process to end, as bytes in a socket that the door polls, and what is said to who sent them.

use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::Duration;

use nix::sys::signal::{SigSet, Signal};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};

pub(crate) struct Signals(UnixStream);

impl Signals {
    /// Watches SIGINT, SIGTERM and SIGHUP; one that the parent chose to ignore stays ignored. One that is blocked, as it
    /// is where a parent started us from a thread that blocks it, would never come and is let through.
    pub(crate) fn watch() -> io::Result<Self> {
        let (reader, writer) = UnixStream::pair()?;
        reader.set_nonblocking(true)?;
        writer.set_nonblocking(true)?;
        // Where a file may not grow any more, writing to it fails, and the call is refused; the signal would kill us.
        signal_hook::flag::register(SIGXFSZ, Arc::default())?;
        let ignored = ignored_signals();
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            if ignored & (1 << (signal - 1)) == 0 {
                signal_hook::low_level::pipe::register(signal, writer.try_clone()?)?;
            }
        }
        // One that came by now comes at once, and must be answered.
        [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP].into_iter().collect::<SigSet>().thread_unblock()?;
        Ok(Self(reader))
    }

    /// How many signals have come since the last look.
    pub(crate) fn take(&self) -> usize {
        let mut bytes = [0; 16];
        let mut signals = &self.0;
        signals.read(&mut bytes).unwrap_or(0)
    }
}

impl AsFd for Signals {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// A bit for each ignored signal, from the one place that tells without unsafe code; none where there is no /proc.
fn ignored_signals() -> u64 {
    std::fs::read_to_string("/proc/self/status")
        .ok()
        .and_then(|status| {
            let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?.trim().to_owned();
            u64::from_str_radix(&mask, 16).ok()
        })
        .unwrap_or(0)
}

/// What whoever sent a signal is told while an operation runs, and is abandoned when `left` is over.
pub(crate) fn still_waiting(operation: &str, age: Duration, left: Option<Duration>) -> String {
    let end = left.map_or_else(
        || "nothing is forced (SIGKILL would lose its outcome)".to_owned(),
        |left| format!("it is abandoned in {} s", left.as_millis().div_ceil(1000)),
    );
    format!("opgate: waiting for {operation} to end, running for {} s; {end}", age.as_secs())
}

/// Wakes the door from another thread.
#[derive(Debug)]
pub(crate) struct Wake(UnixStream);

/// The door's side of a [`Wake`].
pub(crate) struct Woken(UnixStream);

pub(crate) fn wake() -> io::Result<(Wake, Woken)> {
    let (reader, writer) = UnixStream::pair()?;
    reader.set_nonblocking(true)?;
    writer.set_nonblocking(true)?;
    Ok((Wake(writer), Woken(reader)))
}

impl Wake {
    pub(crate) fn wake(&self) {
        // A full socket has woken the door already.
        let mut writer = &self.0;
        let _ = io::Write::write(&mut writer, b"!");
    }
}

impl Woken {
    pub(crate) fn clear(&self) {
        let mut bytes = [0; 64];
        let mut reader = &self.0;
        while matches!(reader.read(&mut bytes), Ok(count) if count == bytes.len()) {}
    }
}

impl AsFd for Woken {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
