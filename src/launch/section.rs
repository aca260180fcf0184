//! One table of a trusted file, read key by key. A key that nobody asked for is refused, with the nearest known one.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::refusal::{Refusal, nearest};

/// Keys of launch files that only later versions read.
const LATER: [&str; 1] = ["application"];

/// A file's text and name, to turn places into lines.
#[derive(Clone, Copy)]
pub(crate) struct Source<'f> {
    pub(crate) file: &'f Path,
    pub(crate) text: &'f str,
}

impl Source<'_> {
    pub(crate) fn line(&self, offset: usize) -> usize {
        let before = self.text.as_bytes().get(..offset).unwrap_or_default();
        1 + memchr::memchr_iter(b'\n', before).count()
    }

    /// What the line at `offset` begins with, up to an equals sign: the entry, in a file that could not be parsed.
    pub(crate) fn key_near(&self, offset: usize) -> String {
        let line = self.text.lines().nth(self.line(offset) - 1).unwrap_or_default();
        line.split('=').next().unwrap_or_default().trim().chars().take(60).collect()
    }

    /// A path of the file, which is relative to the file's folder.
    pub(crate) fn path(&self, path: &str) -> PathBuf {
        let folder = self.file.parent().unwrap_or(Path::new(""));
        let path = folder.join(path);
        std::path::absolute(&path).unwrap_or(path)
    }

    pub(crate) fn refuse(&self, offset: usize, problem: impl Into<String>) -> Refusal {
        Refusal::new(problem).file(self.file).line(self.line(offset))
    }
}

pub(crate) struct Section<'f, 't> {
    source: Source<'f>,
    /// With the names of the tables around it; empty for the root.
    name: String,
    table: &'t DeTable<'f>,
    known: RefCell<Vec<&'static str>>,
}

impl<'f, 't> Section<'f, 't> {
    pub(crate) fn root(source: Source<'f>, table: &'t DeTable<'f>) -> Self {
        Self { source, name: String::new(), table, known: RefCell::default() }
    }

    /// A table inside a value of `around`.
    pub(crate) fn within(around: &Self, entry: String, table: &'t DeTable<'f>) -> Self {
        Self { source: around.source, name: entry, table, known: RefCell::default() }
    }

    pub(crate) fn source(&self) -> Source<'f> {
        self.source
    }

    /// Every key and its value, in the order of the file, for a table that may hold any.
    pub(crate) fn all(&self) -> Vec<(&'t str, &'t Spanned<DeValue<'f>>)> {
        let mut all: Vec<_> = self.table.iter().collect();
        all.sort_by_key(|(key, _)| key.span().start);
        all.into_iter().map(|(key, value)| (key.get_ref().as_ref(), value)).collect()
    }

    pub(crate) fn value(&self, key: &'static str) -> Option<&'t Spanned<DeValue<'f>>> {
        self.known.borrow_mut().push(key);
        self.table.get(key)
    }

    /// The full name of a key, for messages.
    pub(crate) fn entry(&self, key: &str) -> String {
        if self.name.is_empty() { key.to_owned() } else { format!("{}.{key}", self.name) }
    }

    pub(crate) fn wrong(&self, key: &str, value: &Spanned<DeValue<'_>>, expected: &str) -> Refusal {
        let found = value.get_ref().type_str();
        let refusal = self
            .source
            .refuse(value.span().start, format!("expected {expected}, found {found}"))
            .entry(self.entry(key));
        if expected.contains("integer") && found == "string" {
            return refusal.advice("write the number without quotes");
        }
        refusal
    }

    pub(crate) fn table(&self, key: &'static str) -> Result<Option<Section<'f, 't>>, Refusal> {
        let Some(value) = self.value(key) else { return Ok(None) };
        match value.get_ref().as_table() {
            Some(table) => Ok(Some(Self::within(self, self.entry(key), table))),
            None => Err(self.wrong(key, value, "a table")),
        }
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

    pub(crate) fn flag(&self, key: &'static str) -> Result<Option<bool>, Refusal> {
        let Some(value) = self.value(key) else { return Ok(None) };
        value.get_ref().as_bool().map(Some).ok_or_else(|| self.wrong(key, value, "true or false"))
    }

    /// A refusal of what `key` says, or of the table itself where it says nothing.
    pub(crate) fn refuse(&self, key: &str, problem: impl Into<String>) -> Refusal {
        let place = self.table.get(key).map(Spanned::span).or_else(|| self.table.values().map(Spanned::span).next());
        self.source.refuse(place.map_or(0, |span| span.start), problem).entry(self.entry(key))
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
                .refuse(value.span().start, format!("expected an integer of at least {smallest}"))
                .entry(self.entry(key))),
        }
    }

    /// Refuses every key that was not asked for.
    pub(crate) fn finish(self) -> Result<(), Refusal> {
        let known = self.known.borrow();
        let unknown = self.table.iter().filter(|(key, _)| !known.contains(&key.get_ref().as_ref()));
        let Some((key, _)) = unknown.min_by_key(|(key, _)| key.span().start) else { return Ok(()) };
        let name: &str = key.get_ref();
        if self.name.is_empty() && LATER.contains(&name) {
            return Err(self
                .source
                .refuse(key.span().start, "this version does not read it")
                .entry(name)
                .advice("remove it"));
        }
        let place = if self.name.is_empty() { "this file".to_owned() } else { format!("[{}]", self.name) };
        let refusal = self.source.refuse(key.span().start, "unknown key").entry(self.entry(name));
        Err(match nearest(name, known.iter().copied()) {
            Some(near) => refusal.advice(format!("did you mean {near}?")),
            None => refusal.advice(format!("{place} may hold: {}", known.join(", "))),
        })
    }
}
