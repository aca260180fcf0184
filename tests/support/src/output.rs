//! The host's end of the entry's standard output: frames as they arrive, checked byte by byte.

use std::os::fd::OwnedFd;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;

use crate::frame::{Checker, Frame, Violation};
use crate::tap::{Record, Tap};

/// What standard output may hold.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Holds {
    Frames,
    Batches,
    Text,
}

#[derive(Debug)]
pub(crate) struct Output {
    unread: Option<OwnedFd>,
    checker: Option<Checker>,
    tap: Option<Tap>,
    events: Option<Receiver<Result<Frame, Violation>>>,
    record: Record,
}

/// What comes next.
#[derive(Debug)]
pub(crate) enum Next {
    Frame(Frame),
    Nothing,
    End,
}

impl Output {
    /// Takes the reading end; nothing is read before [`Output::start`].
    pub(crate) fn new(end: OwnedFd, holds: Holds) -> Self {
        let checker = match holds {
            Holds::Frames => Some(Checker::new(false)),
            Holds::Batches => Some(Checker::new(true)),
            Holds::Text => None,
        };
        Self { unread: Some(end), checker, tap: None, events: None, record: Record::default() }
    }

    /// Starts to read; a second call does nothing.
    pub(crate) fn start(&mut self) {
        let Some(source) = self.unread.take() else {
            return;
        };
        let (sender, events) = mpsc::channel();
        let mut checker = self.checker.take();
        let tap = Tap::open(source, self.record.clone(), move |piece| {
            let Some(current) = &mut checker else { return };
            let (frames, violation) = match piece {
                Some(bytes) => current.feed(bytes),
                None => (Vec::new(), checker.take().and_then(Checker::end)),
            };
            for frame in frames {
                let _ = sender.send(Ok(frame));
            }
            if let Some(violation) = violation {
                checker = None;
                let _ = sender.send(Err(violation));
            }
        });
        self.events = Some(events);
        self.tap = Some(tap);
    }

    /// Closes the reading end.
    pub(crate) fn close(&mut self) {
        self.unread = None;
        if let Some(tap) = &mut self.tap {
            tap.close();
        }
    }

    /// What comes next, or the line that must not have come.
    pub(crate) fn next(&self, within: Duration) -> Result<Next, Violation> {
        let Some(events) = &self.events else {
            return Ok(Next::Nothing);
        };
        match events.recv_timeout(within) {
            Ok(line) => line.map(Next::Frame),
            Err(RecvTimeoutError::Timeout) => Ok(Next::Nothing),
            Err(RecvTimeoutError::Disconnected) => Ok(Next::End),
        }
    }

    /// Waits for end of file; false if it does not come in time.
    pub(crate) fn ended(&self, within: Duration) -> bool {
        self.tap.as_ref().is_none_or(|tap| tap.ended(within))
    }

    pub(crate) fn record(&self) -> &Record {
        &self.record
    }
}
