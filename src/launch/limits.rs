//! `[limits]`: the budgets of one process.

use std::time::Duration;

use super::refusal::Refusal;
use super::section::{LIMITS, Section};
use crate::diagnostic::SMALLEST_BUDGET;

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

impl Limits {
    pub(super) fn read(section: Section<'_, '_>) -> Result<Self, Refusal> {
        let [frame, input, output, catalog, calls_per_minute, drain] = LIMITS;
        let default = Self::default();
        let limits = Self {
            frame: section.positive(frame, 1)?.unwrap_or(default.frame),
            input: section.positive(input, 1)?.unwrap_or(default.input),
            output: section.positive(output, SMALLEST_BUDGET)?.unwrap_or(default.output),
            catalog: section.positive(catalog, 1)?.unwrap_or(default.catalog),
            calls_per_minute: section.positive(calls_per_minute, 1)?,
            drain: section.positive(drain, 1)?.map(|seconds| Duration::from_secs(seconds as u64)),
        };
        section.finish()?;
        Ok(limits)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self { frame: 1 << 20, input: 1 << 18, output: 1 << 20, catalog: 1 << 18, calls_per_minute: None, drain: None }
    }
}
