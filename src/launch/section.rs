//! One table of a trusted file, read key by key. A key that nobody asked for is refused, with the nearest known one.

use std::borrow::Cow;
use std::cell::RefCell;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Number, Value};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::covered::{covered, leaves};
use super::refusal::{Place, Refusal, nearest};
use super::text::resolve;

/// A file's text and name, to turn places into lines.
#[derive(Clone, Copy)]
pub(crate) struct Source<'f> {
    pub(crate) file: &'f Path,
    pub(crate) text: &'f Arc<str>,
    /// The text is no file's own but was printed by a command that the file names here.
    printed: Option<&'f Place>,
    /// What stands under a key that nobody knows may be a secret.
    is_private: bool,
}

impl<'f> Source<'f> {
    pub(crate) fn of(file: &'f Path, text: &'f Arc<str>) -> Self {
        Self { file, text, printed: None, is_private: false }
    }

    /// The same, where what stands under a key that nobody knows may be a secret.
    pub(super) fn private(self) -> Self {
        Self { is_private: true, ..self }
    }

    /// A text that a command printed, which `place` names.
    pub(crate) fn printed(place: &'f Place, text: &'f Arc<str>) -> Self {
        Self { printed: Some(place), ..Self::of(&place.file, text) }
    }

    pub(crate) fn line(&self, offset: usize) -> usize {
        let before = self.text.as_bytes().get(..offset).unwrap_or_default();
        1 + memchr::memchr_iter(b'\n', before).count()
    }

    /// A path of the file, which is relative to the file's folder.
    pub(crate) fn path(&self, path: &str) -> PathBuf {
        resolve(self.file, path)
    }

    /// The line and column of `span`, with the line to show.
    pub(crate) fn place(&self, span: Range<usize>) -> Place {
        if let Some(place) = self.printed {
            return place.clone();
        }
        let start = span.start.min(self.text.len());
        let line_start = self.text.as_bytes()[..start].iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let shown = self.text[line_start..].lines().next().unwrap_or_default();
        let before = self.text.get(line_start..start).unwrap_or_default().chars().count();
        let inside = self.text.get(start..span.end.min(line_start + shown.len())).unwrap_or_default().chars().count();
        Place {
            file: self.file.to_owned(),
            line: self.line(start),
            column: before + 1,
            width: inside.max(1),
            text: Arc::clone(self.text),
            shown: line_start..line_start + shown.len(),
        }
    }

    pub(crate) fn refuse(&self, offset: usize, problem: impl Into<String>) -> Refusal {
        self.refuse_at(offset..offset, problem)
    }

    pub(crate) fn refuse_at(&self, span: Range<usize>, problem: impl Into<String>) -> Refusal {
        Refusal::new(problem).at(self.place(span))
    }
}

/// Keys of a launch file that stand above every table.
pub(super) const AT_THE_TOP: [&str; 3] = ["allow", "application", "identity"];
/// Keys of a launch file that stand below `[limits]`.
pub(super) const LIMITS: [&str; 6] = [
    "max_frame_bytes",
    "max_input_bytes",
    "max_output_bytes",
    "max_catalog_bytes",
    "calls_per_minute",
    "drain_seconds",
];

/// A name of the author's own, and its value.
pub(crate) type Entry<'f, 't> = (&'t Spanned<Cow<'f, str>>, &'t Spanned<DeValue<'f>>);

/// A scalar as JSON; `None` for a list or a table.
pub(crate) fn scalar(value: &DeValue<'_>) -> Option<Result<Value, &'static str>> {
    Some(match value {
        DeValue::String(text) => Ok(Value::from(text.as_ref())),
        DeValue::Boolean(flag) => Ok(Value::from(*flag)),
        DeValue::Datetime(time) => Ok(Value::from(time.to_string())),
        DeValue::Integer(integer) => i64::from_str_radix(integer.as_str(), integer.radix())
            .map(Value::from)
            .map_err(|_| "expected an integer of 64 bits"),
        DeValue::Float(float) => {
            let number = float.as_str().parse().ok().and_then(Number::from_f64);
            number.map(Value::Number).ok_or("expected a finite number")
        }
        DeValue::Array(_) | DeValue::Table(_) => return None,
    })
}

pub(crate) struct Section<'f, 't> {
    pub(crate) source: Source<'f>,
    /// With the names of the tables around it; empty for the root.
    name: Cow<'static, str>,
    /// Its header or the whole of it.
    span: Range<usize>,
    table: &'t DeTable<'f>,
    known: RefCell<Vec<&'static str>>,
}

impl<'f, 't> Section<'f, 't> {
    /// A whole document; `name` stands before the names of its keys.
    pub(crate) fn root(
        source: Source<'f>,
        name: impl Into<Cow<'static, str>>,
        document: &'t Spanned<DeTable<'f>>,
    ) -> Self {
        Self { source, name: name.into(), span: document.span(), table: document.get_ref(), known: RefCell::default() }
    }

    /// `value` as the table `key`; `None` if it is none.
    pub(crate) fn inside(&self, key: &str, value: &'t Spanned<DeValue<'f>>) -> Option<Self> {
        let (name, table) = (self.entry(key).into(), value.get_ref().as_table()?);
        Some(Self { source: self.source, name, span: value.span(), table, known: RefCell::default() })
    }

    /// Every key and its value, in the order of the file, for a table that may hold any.
    pub(crate) fn all(&self) -> Vec<(&'t str, &'t Spanned<DeValue<'f>>)> {
        let mut all: Vec<_> = self.table.iter().collect();
        all.sort_by_key(|(key, _)| key.span().start);
        all.into_iter().map(|(key, value)| (key.get_ref().as_ref(), value)).collect()
    }

    /// Any value, for a key that takes more than one kind.
    pub(crate) fn value(&self, key: &'static str) -> Option<&'t Spanned<DeValue<'f>>> {
        let mut known = self.known.borrow_mut();
        if !known.contains(&key) {
            known.push(key);
        }
        self.table.get(key)
    }

    /// The full name of a key, for messages.
    pub(crate) fn entry(&self, key: &str) -> String {
        if self.name.is_empty() { key.to_owned() } else { format!("{}.{key}", self.name) }
    }

    /// A value of another kind than its key takes.
    pub(crate) fn wrong(&self, key: &str, value: &Spanned<DeValue<'_>>, expected: &str) -> Refusal {
        let found = value.get_ref().type_str();
        let refusal =
            self.source.refuse_at(value.span(), format!("expected {expected}, found {found}")).entry(self.entry(key));
        match (expected, found) {
            (_, "string") if expected.contains("integer") => refusal.advice("write the number without quotes"),
            ("true or false", "string") => refusal.advice("write it without quotes"),
            _ => refusal,
        }
    }

    /// Where the value of `key` stands, or the table itself.
    pub(crate) fn place_of(&self, key: &str) -> Place {
        let span = self.table.get(key).map(Spanned::span);
        let first = || self.table.keys().map(Spanned::span).min_by_key(|span| span.start);
        self.source.place(span.or_else(first).unwrap_or_else(|| self.span.clone()))
    }

    /// A refusal of the value of `key`.
    pub(crate) fn refuse(&self, key: &str, problem: impl Into<String>) -> Refusal {
        Refusal::new(problem).at(self.place_of(key)).entry(self.entry(key))
    }

    /// A refusal of the table itself.
    pub(crate) fn refuse_whole(&self, problem: impl Into<String>) -> Refusal {
        Refusal::new(problem).at(self.source.place(self.span.clone())).entry(self.name.clone())
    }

    /// A refusal of a key that must be there and is not.
    pub(crate) fn missing(&self, key: &str) -> Refusal {
        self.refuse(key, "missing")
    }

    pub(crate) fn table(&self, key: &'static str) -> Result<Option<Section<'f, 't>>, Refusal> {
        let Some(value) = self.value(key) else { return Ok(None) };
        self.inside(key, value).map(Some).ok_or_else(|| self.wrong(key, value, "a table"))
    }

    /// A table whose keys are names of the author's own, each with its value, in the order of the file.
    pub(crate) fn entries(&self, key: &'static str) -> Result<Option<Vec<Entry<'f, 't>>>, Refusal> {
        let Some(value) = self.value(key) else { return Ok(None) };
        let table = value.get_ref().as_table().ok_or_else(|| self.wrong(key, value, "a table"))?;
        let mut entries: Vec<_> = table.iter().collect();
        entries.sort_by_key(|(name, _)| name.span().start);
        Ok(Some(entries))
    }

    /// A list of tables, as `[[key]]` makes it.
    pub(crate) fn tables(&self, key: &'static str) -> Result<Option<Vec<Section<'f, 't>>>, Refusal> {
        let Some(value) = self.value(key) else { return Ok(None) };
        let expected = format!("a list of tables, each under [[{key}]]");
        let items = value.get_ref().as_array().ok_or_else(|| self.wrong(key, value, &expected))?;
        let sections = items.iter().enumerate().map(|(index, item)| {
            let name = format!("{key}[{index}]");
            self.inside(&name, item).ok_or_else(|| self.wrong(&name, item, "a table"))
        });
        sections.collect::<Result<_, _>>().map(Some)
    }

    pub(crate) fn flag(&self, key: &'static str) -> Result<Option<bool>, Refusal> {
        let Some(value) = self.value(key) else { return Ok(None) };
        value.get_ref().as_bool().map(Some).ok_or_else(|| self.wrong(key, value, "true or false"))
    }

    /// One of a few words.
    pub(crate) fn choice<T: Copy>(&self, key: &'static str, choices: &[(&str, T)]) -> Result<Option<T>, Refusal> {
        let Some(text) = self.text(key)? else { return Ok(None) };
        if let Some((_, choice)) = choices.iter().find(|(word, _)| *word == text) {
            return Ok(Some(*choice));
        }
        let words: Vec<&str> = choices.iter().map(|(word, _)| *word).collect();
        let expected = match words.as_slice() {
            [word] => format!("{word:?}"),
            words => format!("one of {}", words.join(", ")),
        };
        let refusal = self.refuse(key, format!("expected {expected}, found {text:?}"));
        Err(match nearest(text, words) {
            Some(near) => refusal.advice(format!("did you mean {near:?}?")),
            None => refusal,
        })
    }

    pub(crate) fn text(&self, key: &'static str) -> Result<Option<&'t str>, Refusal> {
        let Some(value) = self.value(key) else { return Ok(None) };
        value.get_ref().as_str().map(Some).ok_or_else(|| self.wrong(key, value, "a text"))
    }

    pub(crate) fn path(&self, key: &'static str) -> Result<Option<PathBuf>, Refusal> {
        match self.text(key)? {
            Some("") => Err(self.refuse(key, "expected a path, found an empty text")),
            path => Ok(path.map(|path| self.source.path(path))),
        }
    }

    /// A list of texts, each with its place in the file.
    pub(crate) fn texts(&self, key: &'static str) -> Result<Option<Vec<(usize, &'t str)>>, Refusal> {
        let Some(value) = self.value(key) else { return Ok(None) };
        let items = value.get_ref().as_array().ok_or_else(|| self.wrong(key, value, "a list of texts"))?;
        let texts = items.iter().enumerate().map(|(index, item)| match item.get_ref().as_str() {
            Some(text) => Ok((item.span().start, text)),
            None => Err(self.wrong(&format!("{key}[{index}]"), item, "a text")),
        });
        texts.collect::<Result<_, _>>().map(Some)
    }

    /// A positive integer of at least `smallest`.
    pub(crate) fn positive(&self, key: &'static str, smallest: usize) -> Result<Option<usize>, Refusal> {
        let Some(value) = self.value(key) else { return Ok(None) };
        let number = value
            .get_ref()
            .as_integer()
            .ok_or_else(|| self.wrong(key, value, "a positive integer"))
            .map(|integer| i128::from_str_radix(integer.as_str(), integer.radix()).ok())?;
        match number.and_then(|number| usize::try_from(number).ok()) {
            Some(number) if number >= smallest => Ok(Some(number)),
            _ => Err(self
                .source
                .refuse_at(value.span(), format!("expected an integer of at least {smallest}"))
                .entry(self.entry(key))),
        }
    }

    /// Refuses every key that was not asked for.
    pub(crate) fn finish(self) -> Result<(), Refusal> {
        let known = self.known.borrow();
        let unknown = self.table.iter().filter(|(key, _)| !known.contains(&key.get_ref().as_ref()));
        let Some((key, value)) = unknown.min_by_key(|(key, _)| key.span().start) else { return Ok(()) };
        let name: &str = key.get_ref();
        let table = if self.name.is_empty() { "this file".to_owned() } else { format!("[{}]", self.name) };
        let mut place = self.source.place(key.span());
        if self.source.is_private {
            place.text = covered(&place.text, &leaves(value));
        }
        let refusal = Refusal::new("unknown key").at(place).entry(self.entry(name));
        Err(match nearest(name, known.iter().copied()) {
            _ if !self.name.is_empty() && AT_THE_TOP.contains(&name) => {
                refusal.advice("move it above the first [table]: a key belongs to the table above it")
            }
            _ if self.name.is_empty() && known.contains(&"limits") && LIMITS.contains(&name) => {
                refusal.advice("write it below [limits]")
            }
            Some(near) => refusal.advice(format!("did you mean {near}?")),
            None => refusal.advice(format!("{table} may hold: {}", known.join(", "))),
        })
    }
}
