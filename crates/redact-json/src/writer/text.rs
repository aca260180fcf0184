//! The text being written, counted as plain text, plain or as it stands inside a JSON string of a frame.
//!
//! Invariant: in a frame each quotation mark and each backslash of the plain text has one more backslash before it, and
//! nothing else differs; canonical text has no control characters. `bound` grows by each such backslash, so that the
//! budget is of the plain text.

use super::escape;
use crate::{Budget, Error, MASK};

pub(crate) struct Text<'w, const FRAMED: bool> {
    out: &'w mut String,
    /// Where this value begins in `out`.
    base: usize,
    /// The length of `out` up to which the budget holds.
    bound: usize,
    limit: usize,
}

/// What is written around a string.
pub(super) const fn quote(framed: bool) -> &'static str {
    if framed { "\\\"" } else { "\"" }
}

impl<'w, const FRAMED: bool> Text<'w, FRAMED> {
    pub(super) fn new(out: &'w mut String, budget: Budget) -> Self {
        let base = out.len();
        Self { base, bound: base.saturating_add(budget.bytes), limit: budget.bytes, out }
    }

    /// Takes back everything that was written.
    pub(super) fn undo(&mut self) {
        self.out.truncate(self.base);
    }

    pub(super) fn len(&self) -> usize {
        self.out.len()
    }

    pub(super) fn as_str(&self) -> &str {
        self.out
    }

    /// The budget in bytes.
    pub(super) fn limit(&self) -> usize {
        self.limit
    }

    #[inline]
    pub(super) fn check(&self) -> Result<(), Error> {
        self.check_more(0)
    }

    /// Fails if `more` bytes do not fit.
    #[inline]
    pub(super) fn check_more(&self, more: usize) -> Result<(), Error> {
        let len = self.out.len().saturating_add(more);
        // Entries are remembered as offsets of 32 bits.
        if len > self.bound || len > u32::MAX as usize { Err(Error::TooLarge { limit: self.limit }) } else { Ok(()) }
    }

    /// Text that needs no escape in a frame either.
    #[inline]
    pub(super) fn raw(&mut self, text: &str) {
        self.out.push_str(text);
    }

    #[inline]
    pub(super) fn byte(&mut self, byte: char) {
        self.out.push(byte);
    }

    #[inline]
    pub(super) fn quote(&mut self) {
        self.raw(quote(FRAMED));
        if FRAMED {
            self.bound = self.bound.saturating_add(1);
        }
    }

    /// A string that needs no escape, with its quotation marks.
    #[inline]
    pub(super) fn quoted(&mut self, plain: &str) {
        self.quote();
        self.raw(plain);
        self.quote();
    }

    pub(super) fn mask(&mut self) {
        self.quoted(MASK);
    }

    /// A string with its quotation marks.
    #[inline]
    pub(super) fn string(&mut self, text: &str) -> Result<(), Error> {
        self.check_more(text.len() + 2)?;
        self.quote();
        self.content(text)?;
        self.quote();
        Ok(())
    }

    /// The inside of a string, escaped.
    #[inline]
    pub(super) fn content(&mut self, text: &str) -> Result<(), Error> {
        match escape::next(text.as_bytes(), 0) {
            None => {
                self.check_more(text.len())?;
                self.raw(text);
                Ok(())
            }
            Some(at) => self.escaped(text, at),
        }
    }

    #[cold]
    fn escaped(&mut self, text: &str, first: usize) -> Result<(), Error> {
        let mut done = 0;
        let mut special = Some(first);
        while let Some(at) = special {
            let byte = text.as_bytes()[at];
            let run = &text[done..at];
            self.check_more(run.len())?;
            self.raw(run);
            self.bound = self.bound.saturating_add(escape::push::<FRAMED>(self.out, byte));
            self.check()?;
            done = at + 1;
            special = escape::next(text.as_bytes(), done);
        }
        let rest = &text[done..];
        self.check_more(rest.len())?;
        self.raw(rest);
        Ok(())
    }

    /// Puts `text` in the place of everything from `start` on.
    pub(super) fn replace_from(&mut self, start: usize, text: &str) {
        self.out.truncate(start);
        self.out.push_str(text);
    }
}
