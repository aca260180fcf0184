//! The budgets of one process.

use std::time::Duration;

/// In bytes, but for the drain; the defaults are those of a launch file without `[limits]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limits {
    /// One incoming line, without its line ending.
    pub(crate) frame: usize,
    /// The arguments of a call, as canonical JSON.
    pub(crate) input: usize,
    /// The text of one result, after redaction.
    pub(crate) output: usize,
    /// The whole tools/list answer.
    pub(crate) catalog: usize,
    /// Calls that are admitted in any minute; without it, as many as come.
    pub(crate) calls_per_minute: Option<usize>,
    /// How long the drain may take; without it, as long as the admitted call.
    pub(crate) drain: Option<Duration>,
}

impl Default for Limits {
    fn default() -> Self {
        Self { frame: 1 << 20, input: 1 << 18, output: 1 << 20, catalog: 1 << 18, calls_per_minute: None, drain: None }
    }
}
