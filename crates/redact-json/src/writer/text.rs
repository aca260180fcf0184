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

/// Entries are remembered as offsets of 32 bits.
const LONGEST: usize = u32::MAX as usize;

/// What is written around a string.
pub(super) const fn quote(framed: bool) -> &'static str {
    if framed { "\\\"" } else { "\"" }
}

impl<'w, const FRAMED: bool> Text<'w, FRAMED> {
    pub(super) fn new(out: &'w mut String, budget: Budget) -> Self {
        let base = out.len();
        Self { base, bound: base.saturating_add(budget.bytes).min(LONGEST), limit: budget.bytes, out }
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

    #[cold]
    pub(super) fn too_large(&self) -> Error {
        Error::TooLarge { limit: self.limit }
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
        if len > self.bound { Err(self.too_large()) } else { Ok(()) }
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
            self.grow(1);
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

    /// What [`Text::write_key`] made, or the end of it; with `masked`, the mask is in it.
    #[inline]
    pub(super) fn key(&mut self, text: &str, masked: bool) {
        self.raw(text);
        if FRAMED {
            self.grow(if masked { 4 } else { 2 });
        }
    }

    /// Writes a key with its quotation marks and the colon, and the mask as its value. Says how many bytes more than in
    /// plain text its escapes have.
    pub(super) fn write_key(out: &mut String, key: &str, mask: Option<&str>) -> usize {
        let quote = quote(FRAMED);
        out.push_str(quote);
        let (mut done, mut more) = (0, 0);
        while let Some(at) = escape::next(key.as_bytes(), done) {
            out.push_str(&key[done..at]);
            more += escape::push::<FRAMED>(out, key.as_bytes()[at]);
            done = at + 1;
        }
        out.push_str(&key[done..]);
        out.push_str(quote);
        out.push(':');
        if let Some(mask) = mask {
            out.push_str(quote);
            out.push_str(mask);
            out.push_str(quote);
        }
        more
    }

    /// So many bytes of what was written are escapes of the frame.
    #[inline]
    pub(super) fn grow(&mut self, more: usize) {
        self.bound = self.bound.saturating_add(more).min(LONGEST);
    }

    /// A string with its quotation marks.
    #[inline]
    pub(super) fn string(&mut self, text: &str) -> Result<(), Error> {
        self.quote();
        match escape::next(text.as_bytes(), 0) {
            None => self.raw(text),
            Some(at) => self.escaped(text, at)?,
        }
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
            let more = escape::push::<FRAMED>(self.out, byte);
            self.grow(more);
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
