//! A window on text that is read as it is needed.
//!
//! Invariant: the window holds whole characters; what is not UTF-8 is reported when the parser gets there, not before, so
//! the result does not depend on how the reader cuts the text.

use std::io::{ErrorKind, Read};

use crate::{Error, Reason, budget::most_work};

/// Bytes that are read at once.
const CHUNK: usize = 8 * 1024;
/// Bytes of the longest character.
const CHARACTER: usize = 4;

pub(super) struct Input<R> {
    reader: R,
    chunk: Box<[u8]>,
    /// The beginning of a character whose end is not read yet, at the beginning of `chunk`.
    begun: usize,
    text: String,
    /// How far `text` is done with.
    at: usize,
    /// Bytes before `text`.
    offset: u64,
    /// What comes behind `text`, if that is known.
    end: Option<End>,
    /// The most bytes that are read, and the budget that this follows from.
    most: u64,
    budget: usize,
}

enum End {
    Text,
    NotUtf8,
}

impl<R: Read> Input<R> {
    /// Of a text that has about `expected` bytes, if that is known; read no further than [`most_work`].
    pub(super) fn new(reader: R, expected: Option<usize>, budget: usize) -> Self {
        let size = expected.map_or(CHUNK, |expected| expected.clamp(CHARACTER, CHUNK));
        let chunk = vec![0; size].into_boxed_slice();
        Self {
            reader,
            chunk,
            begun: 0,
            text: String::new(),
            at: 0,
            offset: 0,
            end: None,
            most: most_work(budget) as u64,
            budget,
        }
    }

    /// What is read and not done with.
    #[inline]
    pub(super) fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    #[inline]
    pub(super) fn advance(&mut self, bytes: usize) {
        self.at += bytes;
    }

    /// The next byte that is not white space.
    #[inline]
    pub(super) fn token(&mut self) -> Result<Option<u8>, Error> {
        loop {
            match self.text.as_bytes().get(self.at) {
                Some(b' ' | b'\n' | b'\r' | b'\t') => self.at += 1,
                Some(&byte) => return Ok(Some(byte)),
                None => {
                    if !self.more()? {
                        return Ok(None);
                    }
                }
            }
        }
    }

    /// Whether there are `bytes` bytes more, which are then in [`Input::rest`].
    pub(super) fn ensure(&mut self, bytes: usize) -> Result<bool, Error> {
        while self.rest().len() < bytes {
            if !self.more()? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Reads on. Only what is done with is dropped. `false` at the end of the text.
    #[cold]
    pub(super) fn more(&mut self) -> Result<bool, Error> {
        match self.end {
            Some(End::Text) => return Ok(false),
            Some(End::NotUtf8) => {
                self.advance(self.rest().len());
                return Err(self.invalid(Reason::Utf8));
            }
            None => {}
        }
        self.text.drain(..self.at);
        self.offset += self.at as u64;
        self.at = 0;
        if self.offset > self.most {
            return Err(Error::TooLarge { limit: self.budget });
        }
        let read = loop {
            match self.reader.read(&mut self.chunk[self.begun..]) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                read => break read.map_err(Error::Read)?,
            }
        };
        let known = &self.chunk[..self.begun + read];
        let whole = match std::str::from_utf8(known) {
            Ok(text) => {
                self.text.push_str(text);
                known.len()
            }
            Err(error) => {
                let (whole, _) = known.split_at(error.valid_up_to());
                self.text.push_str(&String::from_utf8_lossy(whole));
                if error.error_len().is_some() {
                    self.end = Some(End::NotUtf8);
                }
                error.valid_up_to()
            }
        };
        let known = known.len();
        self.chunk.copy_within(whole..known, 0);
        self.begun = known - whole;
        if read == 0 {
            // Half a character at the end of the text is none.
            self.end = Some(if self.begun > 0 { End::NotUtf8 } else { End::Text });
        }
        Ok(true)
    }

    /// An error at the next byte.
    #[cold]
    pub(super) fn invalid(&self, reason: Reason) -> Error {
        Error::InvalidText { offset: self.offset + self.at as u64, reason }
    }
}
