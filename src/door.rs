//! The protocol: reads, decides, and answers at once everything but an admitted call.
//!
//! Invariant: plain and synchronous; no application code runs while the door is held and nothing here blocks, so pings,
//! cancellations and signals are served whatever an operation does.

mod batch;
mod elicitation;
mod in_flight;
mod message;
mod meta;
mod questions;
mod repeated;
mod reply;
mod revision;
mod served;
mod session;
mod stand_in;

use std::io;
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::launch::Limits;
use crate::operation::BoxFuture;
use crate::shutdown::{Signals, Woken, still_waiting};
use crate::stdio::{Frames, Input, Relay};

#[cfg(any(test, benching))]
pub(crate) use message::Id;
pub(crate) use repeated::Seals;
#[cfg(any(test, benching))]
pub(crate) use reply::result;
pub(crate) use revision::Revision;
pub(crate) use served::{Parts, Served};
pub(crate) use stand_in::serve;

use session::Session;

/// How long a reader that takes nothing is waited for, once all work is done.
const PATIENCE: Duration = Duration::from_secs(5);
/// Read at once.
const CHUNK: usize = 1 << 16;

pub(crate) struct Door {
    served: Arc<Served>,
    session: Session,
    frames: Frames,
    input: Option<Input>,
    /// Room for what is read at once, and the part of it that was read and not yet looked at.
    buffer: Box<[u8]>,
    unread: Range<usize>,
    /// Intake waits until the other side has read some answers.
    paused: bool,
    /// The input has ended, seen while intake waited: not all of it was taken in.
    hung_up: bool,
    signals: Signals,
    /// Signals that have come.
    asked: usize,
    woken: Woken,
    relay: Relay,
    /// Since when the reader has taken nothing although all work is done.
    stalled: Option<Instant>,
    /// How long the drain may take, and when it began.
    longest_drain: Option<Duration>,
    drain_began: Option<Instant>,
    abandoned: bool,
}

/// How a session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Drained,
    /// The admitted call took longer than the drain may.
    Abandoned,
}

/// Why the door was let go.
enum Turn {
    /// A call is to begin.
    Begin(BoxFuture<'static, ()>),
    /// Somebody else serves from now on.
    Back,
    End(End),
}

/// What a turn of the loop found.
struct Ready {
    signals: PollFlags,
    woken: PollFlags,
    output: PollFlags,
    input: PollFlags,
}

impl Door {
    pub(crate) fn new(
        served: Arc<Served>,
        limits: &Limits,
        input: Input,
        signals: Signals,
        woken: Woken,
        relay: Relay,
    ) -> Self {
        Self {
            session: Session::new(Arc::clone(&served)),
            frames: Frames::new(limits.frame),
            served,
            input: Some(input),
            buffer: vec![0; CHUNK].into_boxed_slice(),
            unread: 0..0,
            paused: false,
            hung_up: false,
            signals,
            asked: 0,
            woken,
            relay,
            stalled: None,
            longest_drain: limits.drain,
            drain_began: None,
            abandoned: false,
        }
    }

    /// Serves until the input ends, a signal asks to end, or nobody reads, and then drains; or until a call is to begin, or
    /// somebody else `is_back` to serve.
    ///
    /// # Errors
    /// Polling failed, which leaves nothing to serve with.
    fn run(&mut self, is_back: impl Fn() -> bool) -> io::Result<Turn> {
        loop {
            self.take_in();
            if let Some(call) = self.served.take_call() {
                return Ok(Turn::Begin(call));
            }
            if self.served.writer.is_gone() {
                self.input = None;
                self.served.drain();
            }
            if self.is_done() {
                return Ok(Turn::End(if self.abandoned { End::Abandoned } else { End::Drained }));
            }
            if is_back() {
                return Ok(Turn::Back);
            }
            let ready = self.wait()?;
            if !ready.woken.is_empty() {
                self.woken.clear();
            }
            if !ready.signals.is_empty() {
                self.signalled();
            }
            if ready.output.intersects(PollFlags::ERR | PollFlags::HUP | PollFlags::NVAL) {
                self.served.writer.give_up();
            }
            if ready.output.contains(PollFlags::OUT) && self.served.writer.flush() {
                self.stalled = None;
            }
            if !ready.input.is_empty() {
                self.read();
            }
            self.heartbeat();
        }
    }

    /// Answers what was read before, as far as the output has room for it.
    fn take_in(&mut self) {
        let writer = &self.served.writer;
        self.paused = if self.paused { !writer.has_room() } else { writer.is_full() };
        if !self.paused {
            self.answer_unread();
            self.paused = self.served.writer.is_full();
        }
    }

    /// Whether all that was admitted has ended, and its answer is written or cannot be.
    fn is_done(&mut self) -> bool {
        let is_draining = self.served.is_draining();
        let is_ending = is_draining || (self.hung_up && self.paused);
        if !is_ending {
            return false;
        }
        let began = *self.drain_began.get_or_insert_with(Instant::now);
        if !self.served.is_idle() && !self.abandoned {
            if self.longest_drain.is_none_or(|longest| began.elapsed() < longest) {
                return false;
            }
            let awaited = self.served.awaited();
            self.abandoned = self.served.abandon();
            if let Some((title, age)) = awaited.filter(|_| self.abandoned) {
                self.relay.say(&format!(
                    "opgate: {title} took longer than drain_seconds and is abandoned after {} s; its outcome is unknown",
                    age.as_secs()
                ));
            }
            if !self.abandoned {
                return false;
            }
        }
        let nothing_waits = !self.served.writer.is_waiting() || self.loses_patience();
        nothing_waits && is_draining
    }

    /// Whether a reader that takes nothing has been waited for long enough; then what waits is lost.
    fn loses_patience(&mut self) -> bool {
        let out_of_patience = self.stalled.get_or_insert_with(Instant::now).elapsed() >= PATIENCE;
        if out_of_patience {
            self.served.writer.give_up();
        }
        out_of_patience
    }

    fn wait(&mut self) -> io::Result<Ready> {
        let writer = &self.served.writer;
        let nothing = || PollFd::new(&self.woken, PollFlags::empty());
        // A hang-up is reported also when nothing is asked for.
        let room = if writer.is_waiting() { PollFlags::OUT } else { PollFlags::empty() };
        let output = if writer.is_gone() { nothing() } else { PollFd::new(writer, room) };
        let input = self.input.as_ref().filter(|_| !(self.paused && self.hung_up));
        let wanted = if self.paused { PollFlags::empty() } else { PollFlags::IN };
        let input = input.map_or_else(nothing, |input| PollFd::new(input, wanted));
        let signals = PollFd::new(&self.signals, PollFlags::IN);
        let mut wanted = [signals, PollFd::new(&self.woken, PollFlags::IN), output, input];
        let timeout = self.timeout().and_then(|timeout| Timespec::try_from(timeout).ok());
        match poll(&mut wanted, timeout.as_ref()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let [signals, woken, output, input] = wanted.map(|wanted| wanted.revents());
        if !self.paused {
            return Ok(Ready { signals, woken, output, input });
        }
        self.hung_up |= input.contains(PollFlags::HUP);
        Ok(Ready { signals, woken, output, input: PollFlags::empty() })
    }

    /// Until the next heartbeat, until the drain has taken too long, or until a reader that takes nothing has been waited for long enough.
    fn timeout(&self) -> Option<Duration> {
        let patience = self.stalled.map(|since| PATIENCE.saturating_sub(since.elapsed()));
        let heartbeat = self.served.in_flight.next_heartbeat(Instant::now);
        let drain = self.drain_left().filter(|_| !self.abandoned);
        patience.into_iter().chain(heartbeat).chain(drain).min()
    }

    /// What is left of the time that the drain may take, once it has begun.
    fn drain_left(&self) -> Option<Duration> {
        let (began, longest) = self.drain_began.zip(self.longest_drain)?;
        Some(longest.saturating_sub(began.elapsed()))
    }

    fn read(&mut self) {
        let Some(input) = &self.input else { return };
        if !self.unread.is_empty() {
            return;
        }
        match input.read(&mut self.buffer) {
            // Answered at the next turn.
            Ok(count @ 1..) => self.unread = 0..count,
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {}
            Ok(0) | Err(_) => self.end_of_input(),
        }
    }

    /// Answers the lines that were read, until the output is full.
    fn answer_unread(&mut self) {
        let writer = &self.served.writer;
        let mut bytes = &self.buffer[self.unread.clone()];
        writer.together(|| {
            while !writer.is_full()
                && let Some(line) = self.frames.next(&mut bytes)
            {
                self.session.line(&line);
            }
        });
        self.unread.start = self.unread.end - bytes.len();
    }

    fn end_of_input(&mut self) {
        self.input = None;
        if let Some(line) = self.frames.finish() {
            self.session.line(&line);
        }
        self.served.drain();
    }

    fn signalled(&mut self) {
        let before = self.asked;
        self.asked += self.signals.take();
        self.served.drain();
        if before > 0 || self.asked > 1 {
            let line = match self.served.awaited() {
                Some((title, age)) => still_waiting(title, age, self.drain_left().or(self.longest_drain)),
                None => "opgate: still waiting for the client to read its answers".to_owned(),
            };
            self.relay.say(&line);
        }
    }

    fn heartbeat(&self) {
        self.served.in_flight.heartbeat(Instant::now, |token, progress| {
            // A client that reads nothing needs no news, and they must not pile up.
            if !self.served.writer.is_waiting() {
                self.served.writer.notify(reply::progress(token, progress));
            }
        });
    }
}
