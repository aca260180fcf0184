//! One table of a trusted file, read key by key. A key that nobody asked for is refused, with the nearest known one.

use std::cell::RefCell;
use std::path::Path;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::refusal::{Refusal, nearest};

/// Keys of launch files that only later versions read.
const LATER: [&str; 7] = ["application", "audit", "binding", "cli", "pins", "redaction", "tools"];

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

    pub(crate) fn refuse(&self, offset: usize, problem: impl Into<String>) -> Refusal {
        Refusal::new(problem).file(self.file).line(self.line(offset))
    }
}

pub(crate) struct Section<'f, 't> {
    source: Source<'f>,
    /// Empty for the root.
    name: &'static str,
    table: &'t DeTable<'f>,
    known: RefCell<Vec<&'static str>>,
}

impl<'f, 't> Section<'f, 't> {
    pub(crate) fn root(source: Source<'f>, table: &'t DeTable<'f>) -> Self {
        Self { source, name: "", table, known: RefCell::default() }
    }

    fn value(&self, key: &'static str) -> Option<&'t Spanned<DeValue<'f>>> {
        self.known.borrow_mut().push(key);
        self.table.get(key)
    }

    /// The full name of a key, for messages.
    fn entry(&self, key: &str) -> String {
        if self.name.is_empty() { key.to_owned() } else { format!("{}.{key}", self.name) }
    }

    fn wrong(&self, key: &str, value: &Spanned<DeValue<'_>>, expected: &str) -> Refusal {
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
            Some(table) => Ok(Some(Section { source: self.source, name: key, table, known: RefCell::default() })),
            None => Err(self.wrong(key, value, "a table")),
        }
    }

    pub(crate) fn text(&self, key: &'static str) -> Result<Option<&'t str>, Refusal> {
        let Some(value) = self.value(key) else { return Ok(None) };
        value.get_ref().as_str().map(Some).ok_or_else(|| self.wrong(key, value, "a text"))
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
                .advice("remove it; context, confirmation and approval are bound in code, with opgate::Entry"));
        }
        let place = if self.name.is_empty() { "this file".to_owned() } else { format!("[{}]", self.name) };
        let refusal = self.source.refuse(key.span().start, "unknown key").entry(self.entry(name));
        Err(match nearest(name, known.iter().copied()) {
            Some(near) => refusal.advice(format!("did you mean {near}?")),
            None => refusal.advice(format!("{place} may hold: {}", known.join(", "))),
        })
    }
}
