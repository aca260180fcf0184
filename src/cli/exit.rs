//! Exit statuses; the README documents them.

use std::process::ExitCode;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    Ok = 0,
    /// The operation failed, or an owed answer could not be written.
    Failed = 1,
    /// A bad command line or bad input.
    Usage = 2,
    /// The launch was refused.
    Launch = 3,
    /// The drain took longer than the launch allows.
    DrainOver = 4,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}
