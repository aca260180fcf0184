//! Why a launch was refused: one diagnostic that names file, line and entry, and says what to do.

use std::fmt;
use std::path::{Path, PathBuf};

/// Nothing was started and nothing was served. Values of variables never appear; names do.
#[derive(Clone, Debug, Default)]
pub(crate) struct Refusal {
    file: Option<PathBuf>,
    line: Option<usize>,
    entry: Option<String>,
    problem: String,
    advice: Option<String>,
}

impl Refusal {
    pub(crate) fn new(problem: impl Into<String>) -> Self {
        Self { problem: problem.into(), ..Self::default() }
    }

    pub(crate) fn file(mut self, file: &Path) -> Self {
        self.file = Some(file.to_owned());
        self
    }

    pub(crate) fn line(mut self, line: usize) -> Self {
        self.line = Some(line);
        self
    }

    /// The key or the operation it is about.
    pub(crate) fn entry(mut self, entry: impl Into<String>) -> Self {
        self.entry = Some(entry.into());
        self
    }

    /// Says something about a part of the entry.
    pub(crate) fn entry_within(mut self, rest: &str) -> Self {
        self.entry = Some(self.entry.unwrap_or_default() + rest);
        self
    }

    /// The same place with another problem.
    pub(crate) fn problem(mut self, problem: impl Into<String>) -> Self {
        self.problem = problem.into();
        self
    }

    pub(crate) fn advice(mut self, advice: impl Into<String>) -> Self {
        self.advice = Some(advice.into());
        self
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("launch refused: ")?;
        if let Some(file) = &self.file {
            write!(f, "{}", file.display())?;
            if let Some(line) = self.line {
                write!(f, ":{line}")?;
            }
            f.write_str(": ")?;
        }
        if let Some(entry) = &self.entry {
            write!(f, "{entry}: ")?;
        }
        f.write_str(&self.problem)?;
        if let Some(advice) = &self.advice {
            write!(f, "\n  {advice}")?;
        }
        Ok(())
    }
}

/// The known name nearest to an unknown one, if any is near.
pub(crate) fn nearest<'a>(unknown: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known
        .into_iter()
        .map(|name| (strsim::jaro_winkler(&unknown.to_lowercase(), &name.to_lowercase()), name))
        .filter(|(likeness, _)| *likeness > 0.75)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, name)| name)
}
