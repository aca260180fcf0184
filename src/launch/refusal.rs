//! Why a launch was refused: one diagnostic that names file, line and entry, and says what to do.

use std::fmt;
use std::path::{Path, PathBuf};

use redact_json::Rules;

/// Nothing was started and nothing was served. Values of variables never appear; names do.
#[derive(Clone, Debug, Default)]
pub(crate) struct Refusal {
    file: Option<PathBuf>,
    line: Option<usize>,
    place: Option<Place>,
    entry: Option<String>,
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
    /// The line itself.
    pub(crate) shown: String,
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
        self.place = Some(place);
        self
    }

    /// The same without what the line says behind its equals sign.
    pub(crate) fn without_value(mut self) -> Self {
        if let Some(place) = &mut self.place
            && let Some(equals) = place.shown.find('=')
        {
            place.shown.truncate(equals);
            place.shown.push_str("= ..");
        }
        self
    }

    /// The whole message, with the line that is meant: what an operator sees.
    pub(crate) fn shown(&self, rules: &Rules) -> String {
        let text = format!("{self:#}");
        let Some(place) = &self.place else { return redact_json::redact_text(&text, rules).into_owned() };
        let number = place.line.to_string();
        let margin = " ".repeat(number.len());
        let (line, caret) = (place.line_without_secrets(rules), place.caret());
        let excerpt = format!(" {margin} |\n {number} | {line}\n {margin} | {caret}");
        let text = match text.split_once('\n') {
            Some((message, advice)) => format!("{message}\n{excerpt}\n{advice}"),
            None => format!("{text}\n{excerpt}"),
        };
        redact_json::redact_text(&text, rules).into_owned()
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

impl Place {
    /// The line, without what follows a name that says secret, and not longer than a terminal takes.
    fn line_without_secrets(&self, rules: &Rules) -> String {
        let mut line: String = self.shown.replace('\t', " ");
        let secret = line.match_indices('=').find(|(at, _)| {
            let name = line[..*at].trim_end().trim_end_matches(['"', '\'']);
            let start =
                name.rfind(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))).map_or(0, |at| at + 1);
            rules.names_secret(name.get(start..).unwrap_or_default())
        });
        if let Some((at, _)) = secret {
            line.truncate(at + 1);
            line.push(' ');
            line.push_str(redact_json::MASK);
        }
        if let Some((cut, _)) = line.char_indices().nth(SHOWN) {
            line.truncate(cut);
            line.push_str(" ..");
        }
        line
    }

    fn caret(&self) -> String {
        let before = (self.column - 1).min(SHOWN);
        format!("{}{}", " ".repeat(before), "^".repeat(self.width.min(SHOWN - before).max(1)))
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
