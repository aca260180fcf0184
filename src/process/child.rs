//! One process of an operation: started, given its input, read, and waited for, all on one thread.

use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::process::{ChildStdin, ChildStdout, ExitStatus};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::Pid;

use super::children::Children;
use super::program::{Ends, Program};

/// How long a program may work before the log says that it does, and then twice as long each time.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long pipes are read that a process has left to others.
const AFTERMATH: Duration = Duration::from_secs(1);
/// How long a process that was killed is waited for; and the least of it, if it should have been killed long ago.
const LAST_WAIT: Duration = Duration::from_secs(1);
const LEAST_WAIT: Duration = Duration::from_millis(100);

/// A running process. Reading it reads its standard output, while its input is written and its time is watched.
pub(super) struct Child {
    process: std::process::Child,
    group: Pid,
    children: Children,
    /// Readable when the process has ended.
    exit: OwnedFd,
    input: Option<ChildStdin>,
    unsent: Vec<u8>,
    sent: usize,
    /// The input stays open behind what is unsent.
    stays_open: bool,
    output: Option<ChildStdout>,
    deadline: Option<Instant>,
    overdue: bool,
    /// When it is given up although it was killed.
    given_up_at: Option<Instant>,
    /// It could not be ended.
    lost: bool,
    /// When it was given something to do, until that is done.
    busy_since: Option<Instant>,
    /// How long it may be busy before the log says so.
    patience: Duration,
    ended: Option<(ExitStatus, Instant)>,
}

impl Child {
    pub(super) fn start(program: &Program, children: &Children) -> io::Result<Self> {
        let mut process = children.start(|| {
            let process = program.spawn()?;
            Ok((Pid::from_child(&process), process))
        })?;
        let group = Pid::from_child(&process);
        match Ends::of(&mut process) {
            Ok(Ends { input, output, exit }) => Ok(Self {
                process,
                group,
                children: children.clone(),
                exit,
                input: Some(input),
                unsent: Vec::new(),
                sent: 0,
                stays_open: false,
                output: Some(output),
                deadline: None,
                overdue: false,
                given_up_at: None,
                lost: false,
                busy_since: None,
                patience: PATIENCE,
                ended: None,
            }),
            Err(error) => {
                children.kill_group(group);
                // Not waited for: it may not be ours to end.
                children.leave(group);
                Err(error)
            }
        }
    }

    /// Sends `bytes`, as far as they are taken now; the rest goes out while the output is read.
    pub(super) fn send(&mut self, bytes: Vec<u8>, stays_open: bool) {
        (self.unsent, self.sent, self.stays_open) = (bytes, 0, stays_open);
        (self.busy_since, self.patience) = (Some(Instant::now()), PATIENCE);
        self.write();
    }

    /// When the group is killed; `None`: not for its time.
    pub(super) fn must_end_by(&mut self, deadline: Option<Instant>) {
        self.deadline = deadline;
    }

    /// It has done what it was given.
    pub(super) fn is_done(&mut self) {
        self.busy_since = None;
    }

    /// Closes its standard input, whatever was not sent.
    pub(super) fn close(&mut self) {
        self.input = None;
    }

    /// Whether it was killed because it took too long.
    pub(super) fn is_overdue(&self) -> bool {
        self.overdue
    }

    pub(super) fn was_killed(&self) -> bool {
        self.given_up_at.is_some()
    }

    /// Whether it runs on although it was killed: it is another user's, or hangs in the kernel.
    pub(super) fn is_lost(&self) -> bool {
        self.lost
    }

    /// Whether it has taken all that was sent to it.
    pub(super) fn took_its_input(&self) -> bool {
        self.sent == self.unsent.len()
    }

    /// Whether it has ended or said something, without waiting.
    pub(super) fn stirs(&self) -> bool {
        let Some(output) = &self.output else { return true };
        let mut wanted = [PollFd::new(&self.exit, PollFlags::IN), PollFd::new(output, PollFlags::IN)];
        poll(&mut wanted, Some(&Timespec::default())).map_or(true, |count| count > 0)
    }

    pub(super) fn kill(&mut self) {
        self.children.kill_group(self.group);
        let now = Instant::now();
        let due = self.deadline.filter(|at| *at < now).unwrap_or(now);
        self.given_up_at.get_or_insert((due + LAST_WAIT).max(now + LEAST_WAIT));
    }

    /// Waits for the end of the process, for a short time once it was killed; what it still writes is discarded.
    pub(super) fn finish(&mut self) -> io::Result<ExitStatus> {
        let mut discarded = [0; 1 << 13];
        loop {
            while self.read(&mut discarded)? > 0 {}
            if let Some((status, _)) = self.ended {
                return Ok(status);
            }
            if self.lost {
                return Err(io::Error::other("it was to be killed and runs on"));
            }
            self.turn()?;
        }
    }

    fn write(&mut self) {
        let Some(input) = &mut self.input else { return };
        while self.sent < self.unsent.len() {
            match input.write(&self.unsent[self.sent..]) {
                Ok(count) => self.sent += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                // It does not want to know.
                Err(_) => {
                    self.input = None;
                    return;
                }
            }
        }
        if !self.stays_open {
            self.input = None;
        }
    }

    /// Waits until something can be done, and does it, but for reading.
    fn turn(&mut self) -> io::Result<()> {
        let mut wanted = Vec::with_capacity(3);
        if self.ended.is_none() {
            wanted.push(PollFd::new(&self.exit, PollFlags::IN));
        }
        let writes = self.input.as_ref().filter(|_| self.sent < self.unsent.len());
        if let Some(input) = writes {
            wanted.push(PollFd::new(input, PollFlags::OUT));
        }
        if let Some(output) = &self.output {
            wanted.push(PollFd::new(output, PollFlags::IN));
        }
        let timeout = self.next_deadline().map(|at| at.saturating_duration_since(Instant::now()));
        let timeout = timeout.and_then(|timeout| Timespec::try_from(timeout).ok());
        match poll(&mut wanted, timeout.as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let ended = self.ended.is_none() && !wanted[0].revents().is_empty();
        let writable = writes.is_some() && !wanted[usize::from(self.ended.is_none())].revents().is_empty();
        if writable {
            self.write();
        }
        if ended {
            let status = self.children.reap(self.group, || self.process.wait())?;
            self.ended = Some((status, Instant::now()));
            self.input = None;
        } else if self.ended.is_none() && !self.overdue && self.deadline.is_some_and(|at| at <= Instant::now()) {
            self.overdue = true;
            self.kill();
        } else if self.ended.is_none() && self.given_up_at.is_some_and(|at| at <= Instant::now()) {
            self.lost = true;
            (self.input, self.output) = (None, None);
        } else if self.ended.is_none()
            && let Some(age) = self.busy_since.map(|since| since.elapsed()).filter(|age| *age >= self.patience)
        {
            self.patience *= 2;
            let expected = if self.stays_open {
                "a worker answers with one line, ended by a line feed and flushed, and reads no further than its own line"
            } else {
                "a program writes one JSON object and ends"
            };
            tracing::warn!(target: "opgate::process", process = self.process.id(), "no answer for {} s: {expected}", age.as_secs());
        }
        Ok(())
    }

    fn next_deadline(&self) -> Option<Instant> {
        match self.ended {
            Some((_, at)) => Some(at + AFTERMATH),
            None if self.overdue => self.given_up_at,
            None => {
                let warning = self.busy_since.map(|since| since + self.patience);
                self.given_up_at.into_iter().chain(self.deadline).chain(warning).min()
            }
        }
    }
}

impl Read for Child {
    /// 0 once nothing more will be read: all ends of the pipe are closed, or the process has ended and others hold them
    /// for too long.
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.output.is_some() {
            // Also while there is always something to read: its end and its time must not be missed.
            self.turn()?;
            if self.ended.is_some_and(|(_, at)| at.elapsed() >= AFTERMATH) {
                self.output = None;
            }
            let Some(output) = &mut self.output else { break };
            match output.read(buffer) {
                Ok(0) => self.output = None,
                Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {}
                result => return result,
            }
        }
        Ok(0)
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if self.ended.is_none() {
            self.kill();
            self.output = None;
            // An error leaves nothing to wait with.
            let _ = self.finish();
        }
        if self.ended.is_none() {
            tracing::warn!(target: "opgate::process", pid = self.process.id(), "a process could not be ended and is left behind");
            self.children.leave(self.group);
        }
    }
}
