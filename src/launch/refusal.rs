//! Why a launch was refused: one diagnostic that names file, line and entry, and says what to do.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use redact_json::{MASK, Rules, redact_text};

use super::covered;

/// Nothing was started and nothing was served. Values of variables never appear; names do.
#[derive(Clone, Debug, Default)]
pub(crate) struct Refusal {
    file: Option<PathBuf>,
    line: Option<usize>,
    place: Option<Box<Place>>,
    entry: Option<String>,
    /// The entry is what the line begins with.
    is_near: bool,
    problem: String,
    advice: Option<String>,
}

/// A place in a file that people write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) file: PathBuf,
    pub(crate) line: usize,
    pub(crate) column: usize,
    /// Characters that are meant.
    pub(crate) width: usize,
    /// The whole file, with what nobody may see covered: whether a part of it may be shown depends on what stands around.
    pub(crate) text: Arc<str>,
    /// The line itself.
    pub(crate) shown: Range<usize>,
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

    /// Replaces file and line.
    pub(crate) fn at(mut self, place: Place) -> Self {
        self.file = Some(place.file.clone());
        self.line = Some(place.line);
        self.place = Some(Box::new(place));
        self
    }

    /// The whole message, with the line that is meant: what an operator sees.
    pub(crate) fn shown(&self, rules: &Rules) -> String {
        let Some(place) = &self.place else { return redact_text(&format!("{self:#}"), rules).into_owned() };
        let masked = place.masked(rules);
        let text =
            if self.is_near { format!("{:#}", self.clone().entry(key_of(&masked))) } else { format!("{self:#}") };
        let number = place.line.to_string();
        let margin = " ".repeat(number.len());
        let (line, caret) = (without_secrets(&masked, rules), place.caret(rules));
        let excerpt = format!(" {margin} |\n {number} | {line}\n {margin} | {caret}");
        let text = match text.split_once('\n') {
            Some((message, advice)) => format!("{message}\n{excerpt}\n{advice}"),
            None => format!("{text}\n{excerpt}"),
        };
        redact_text(&text, rules).into_owned()
    }

    /// The entry is what the line at this place begins with: the file could not be parsed.
    pub(crate) fn near(mut self) -> Self {
        self.entry = self.place.as_ref().map(|place| key_of(place.line()));
        self.is_near = true;
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

/// What is shown of a long line, in characters.
const SHOWN: usize = 120;

/// What is shown of a key, in characters.
const KEY: usize = 60;

impl Place {
    /// A place in a line of a file; the line counts from 1.
    pub(crate) fn in_line(file: &Path, text: &str, line: usize, column: usize) -> Self {
        let start = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
        let end = start + text[start..].lines().next().unwrap_or_default().len();
        Self { file: file.to_owned(), line, column: column.max(1), width: 1, text: text.into(), shown: start..end }
    }

    fn line(&self) -> &str {
        self.text.get(self.shown.clone()).unwrap_or_default()
    }

    /// The line as it stands in the masked file. Nothing of it where what is masked goes beyond it.
    fn masked(&self, rules: &Rules) -> String {
        let line = redact_text(self.line(), rules);
        if let Cow::Owned(whole) = redact_text(&self.text, rules) {
            let around =
                [&self.text[..self.shown.start], &self.text[self.shown.end..]].map(|part| redact_text(part, rules));
            if [&*around[0], &*line, &*around[1]].concat() != whole {
                return MASK.to_owned();
            }
        }
        covered::masked(&line)
    }

    /// Under what is meant, in the masked line.
    fn caret(&self, rules: &Rules) -> String {
        let width = |text: String| covered::masked(&redact_text(&text, rules)).chars().count();
        let mut line = self.line().chars();
        let before = width(line.by_ref().take(self.column - 1).collect()).min(SHOWN);
        let meant = width(line.take(self.width).collect()).clamp(1, (SHOWN - before).max(1));
        format!("{}{}", " ".repeat(before), "^".repeat(meant))
    }
}

/// A masked line, without what follows a name that says secret, and not longer than a terminal takes.
fn without_secrets(masked: &str, rules: &Rules) -> String {
    let mut line = masked.replace('\t', " ");
    let secret = line.match_indices('=').find(|(at, _)| {
        let name = line[..*at].trim_end().trim_end_matches(['"', '\'']);
        let start = name.rfind(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))).map_or(0, |at| at + 1);
        rules.names_secret(name.get(start..).unwrap_or_default())
    });
    if let Some((at, _)) = secret {
        line.truncate(at + 1);
        line.push(' ');
        line.push_str(MASK);
    }
    if let Some((cut, _)) = line.char_indices().nth(SHOWN) {
        line.truncate(cut);
        line.push_str(" ..");
    }
    line
}

/// What a line begins with, up to an equals sign.
fn key_of(line: &str) -> String {
    line.split('=').next().unwrap_or_default().trim().chars().take(KEY).collect()
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("launch refused: ")?;
        if let Some(file) = &self.file {
            write!(f, "{}", file.display())?;
            if let Some(line) = self.line {
                write!(f, ":{line}")?;
            }
            if let Some(place) = self.place.as_ref().filter(|_| f.alternate()) {
                write!(f, ":{}", place.column)?;
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
