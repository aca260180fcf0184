//! What an entry left when it had ended.

use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;
use std::time::Duration;

use crate::frame::Frame;

/// An entry that has ended and left no process behind.
#[derive(Debug)]
pub struct Ended {
    /// How it ended.
    pub status: ExitStatus,
    /// Everything it wrote to standard output, frames that were received before included.
    pub stdout: Vec<u8>,
    /// Everything it wrote to standard error, if that was captured.
    pub stderr: String,
    /// The frames that were not received before, in order.
    pub frames: Vec<Frame>,
    /// The time from the call of `wait` to the exit.
    pub took: Duration,
}

impl Ended {
    /// Asserts an exit, not a death by a signal, with that status.
    ///
    /// # Panics
    ///
    /// If it ended otherwise.
    #[track_caller]
    pub fn assert_code(&self, code: i32) -> &Self {
        assert_eq!(
            self.status.code(),
            Some(code),
            "{} (signal {:?}); standard error:\n{}",
            self.status,
            self.status.signal(),
            self.stderr
        );
        self
    }

    /// Asserts a launch that was refused: status 3, not one byte on standard output, and each of these texts on standard
    /// error.
    ///
    /// # Panics
    ///
    /// If it is anything else.
    #[track_caller]
    pub fn assert_refused(&self, texts: &[&str]) -> &Self {
        self.assert_code(3);
        assert_eq!(self.stdout, b"", "standard output");
        for text in texts {
            assert!(self.stderr.contains(text), "standard error lacks {text:?}:\n{}", self.stderr);
        }
        self
    }

    /// Standard output as text.
    ///
    /// # Panics
    ///
    /// If it is not UTF-8.
    #[must_use]
    #[track_caller]
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.stdout).expect("standard output is UTF-8")
    }

    /// The answer to a request among the frames not received before.
    ///
    /// # Panics
    ///
    /// If there is none.
    #[must_use]
    #[track_caller]
    pub fn answer_to(&self, id: impl Into<serde_json::Value>) -> &Frame {
        let id = id.into();
        self.frames
            .iter()
            .find(|frame| frame.answers(&id))
            .unwrap_or_else(|| panic!("no answer to {id} among {:?}", self.frames))
    }
}
