//! Strings and keys: as they stand in the input if possible, else piece by piece.

use std::io::Read;

use super::{Parser, events::Events};
use crate::{Error, Reason, writer::next_special};

/// What a piece of a string ends with.
enum Piece {
    /// The end of the string.
    End,
    /// One character that was escaped.
    Escaped(char),
    /// The end of what is read.
    More,
}

impl<R: Read> Parser<R> {
    /// A string value, from its opening quotation mark.
    pub(super) fn string<E: Events>(&mut self, events: &mut E) -> Result<(), Error> {
        self.input.advance(1);
        let rest = self.input.rest();
        if let Some(end) = next_special(rest.as_bytes(), 0)
            && rest.as_bytes()[end] == b'"'
        {
            events.string(&rest[..end])?;
            self.input.advance(end + 1);
            return Ok(());
        }
        self.pieces(&mut |piece| events.string_piece(piece))?;
        events.end_string()
    }

    /// A key, from its opening quotation mark. `true`: its value is masked.
    pub(super) fn key<E: Events>(&mut self, events: &mut E) -> Result<bool, Error> {
        self.input.advance(1);
        let rest = self.input.rest();
        if let Some(end) = next_special(rest.as_bytes(), 0)
            && rest.as_bytes()[end] == b'"'
        {
            let masked = events.key(&rest[..end])?;
            self.input.advance(end + 1);
            return Ok(masked);
        }
        let mut key = std::mem::take(&mut self.key);
        key.clear();
        let longest = events.longest_key();
        self.pieces(&mut |piece| {
            if key.len() + piece.len() > longest {
                return Err(events.too_large());
            }
            key.push_str(piece);
            Ok(())
        })?;
        let masked = events.key(&key);
        self.key = key;
        masked
    }

    /// The rest of a string.
    fn pieces(&mut self, take: &mut impl FnMut(&str) -> Result<(), Error>) -> Result<(), Error> {
        loop {
            match self.piece(take)? {
                Piece::End => return Ok(()),
                Piece::Escaped(c) => take(c.encode_utf8(&mut [0; 4]))?,
                Piece::More => {
                    if !self.input.more()? {
                        return Err(self.input.invalid(Reason::End));
                    }
                }
            }
        }
    }

    fn piece(&mut self, take: &mut impl FnMut(&str) -> Result<(), Error>) -> Result<Piece, Error> {
        let rest = self.input.rest();
        let end = next_special(rest.as_bytes(), 0);
        let plain = &rest[..end.unwrap_or(rest.len())];
        if !plain.is_empty() {
            take(plain)?;
        }
        let special = end.and_then(|end| rest.as_bytes().get(end)).copied();
        let len = plain.len();
        self.input.advance(len);
        match special {
            None => Ok(Piece::More),
            Some(b'"') => {
                self.input.advance(1);
                Ok(Piece::End)
            }
            Some(b'\\') => self.escape().map(Piece::Escaped),
            Some(_) => Err(self.input.invalid(Reason::Control)),
        }
    }

    /// The character of an escape, from its backslash.
    fn escape(&mut self) -> Result<char, Error> {
        if !self.input.ensure(2)? {
            return Err(self.input.invalid(Reason::End));
        }
        let c = match self.input.rest().as_bytes().get(1) {
            Some(b'u') => return self.unicode_escape(),
            Some(b'b') => '\u{8}',
            Some(b't') => '\t',
            Some(b'n') => '\n',
            Some(b'f') => '\u{c}',
            Some(b'r') => '\r',
            Some(&byte @ (b'"' | b'\\' | b'/')) => char::from(byte),
            _ => return Err(self.input.invalid(Reason::Escape)),
        };
        self.input.advance(2);
        Ok(c)
    }

    fn unicode_escape(&mut self) -> Result<char, Error> {
        const LEN: usize = 6;
        let first = self.code_unit(0)?;
        let (c, len) = match first {
            0xD800..0xDC00 => match self.code_unit(LEN) {
                Ok(second @ 0xDC00..0xE000) => {
                    let code = 0x1_0000 + (u32::from(first - 0xD800) << 10 | u32::from(second - 0xDC00));
                    (char::from_u32(code), 2 * LEN)
                }
                Err(error @ (Error::Read(_) | Error::InvalidText { reason: Reason::Utf8, .. })) => return Err(error),
                Ok(_) | Err(_) => (None, LEN),
            },
            unit => (char::from_u32(u32::from(unit)), LEN),
        };
        let c = c.ok_or_else(|| self.input.invalid(Reason::Surrogate))?;
        self.input.advance(len);
        Ok(c)
    }

    /// The number of the escape `\uXXXX` that begins so many bytes further on.
    fn code_unit(&mut self, further: usize) -> Result<u16, Error> {
        if !self.input.ensure(further + 6)? {
            return Err(self.input.invalid(Reason::End));
        }
        let escape = self.input.rest().as_bytes().get(further..further + 6);
        let digits =
            escape.and_then(|escape| escape.strip_prefix(b"\\u")).ok_or_else(|| self.input.invalid(Reason::Escape))?;
        let mut unit = 0;
        for digit in digits {
            let digit = char::from(*digit).to_digit(16).ok_or_else(|| self.input.invalid(Reason::Escape))?;
            unit = unit << 4 | digit;
        }
        u16::try_from(unit).map_err(|_| self.input.invalid(Reason::Escape))
    }
}
