//! From JSON text, as it arrives, to the writer.
//!
//! Trust boundary: the text comes from outside and may be anything. It is checked as a whole (RFC 8259, UTF-8, no lone
//! surrogates, numbers finite), also where it is masked; memory is bounded whatever it is; nesting costs no stack.

mod events;
mod input;
mod number;
mod string;

use std::io::Read;

use self::{
    events::{Events, Skipped},
    input::Input,
};
use crate::{Error, Reason, writer::Writer};

/// Reads exactly one value, up to the end of the text, into a writer. If it is `masked`, it is written already and the
/// text is only checked.
pub(crate) fn value<const FRAMED: bool>(
    json: impl Read,
    writer: &mut Writer<'_, FRAMED>,
    masked: bool,
) -> Result<(), Error> {
    read(Input::new(json, None, writer.limit()), writer, masked)
}

/// The same for a text that is here as a whole and is not masked.
pub(crate) fn fragment<const FRAMED: bool>(json: &str, writer: &mut Writer<'_, FRAMED>) -> Result<(), Error> {
    read(Input::new(json.as_bytes(), Some(json.len()), usize::MAX), writer, false)
}

fn read<const FRAMED: bool>(
    input: Input<impl Read>,
    writer: &mut Writer<'_, FRAMED>,
    masked: bool,
) -> Result<(), Error> {
    let mut parser = Parser { input, key: String::new() };
    parser.value(writer, masked)?;
    match parser.input.token()? {
        None => Ok(()),
        Some(_) => Err(parser.input.invalid(Reason::Trailing)),
    }
}

struct Parser<R> {
    input: Input<R>,
    /// A key that does not stand in the input in one piece.
    key: String,
}

impl<R: Read> Parser<R> {
    /// One value with everything in it.
    fn value<E: Events>(&mut self, events: &mut E, mut masked: bool) -> Result<(), Error> {
        // The open containers; `true` for an object.
        let mut open: Vec<bool> = Vec::new();
        loop {
            match self.input.token()? {
                None => return Err(self.input.invalid(Reason::End)),
                Some(_) if masked => self.skip(&mut events.skipped())?,
                Some(b'"') => self.string(events)?,
                Some(b'{') => {
                    events.begin_object()?;
                    self.input.advance(1);
                    open.push(true);
                    if self.input.token()? != Some(b'}') {
                        masked = self.member(events)?;
                        continue;
                    }
                }
                Some(b'[') => {
                    events.begin_array()?;
                    self.input.advance(1);
                    open.push(false);
                    if self.input.token()? != Some(b']') {
                        masked = events.item()?;
                        continue;
                    }
                }
                Some(b'-' | b'0'..=b'9') => self.number(events)?,
                Some(b't') => self.literal("true", events)?,
                Some(b'f') => self.literal("false", events)?,
                Some(b'n') => self.literal("null", events)?,
                Some(_) => return Err(self.input.invalid(Reason::Unexpected)),
            }
            loop {
                let Some(&is_object) = open.last() else { return Ok(()) };
                match (self.input.token()?, is_object) {
                    (Some(b','), true) => {
                        self.input.advance(1);
                        masked = self.member(events)?;
                        break;
                    }
                    (Some(b','), false) => {
                        self.input.advance(1);
                        masked = events.item()?;
                        break;
                    }
                    (Some(b'}'), true) => events.end_object()?,
                    (Some(b']'), false) => events.end_array()?,
                    (Some(_), _) => return Err(self.input.invalid(Reason::Unexpected)),
                    (None, _) => return Err(self.input.invalid(Reason::End)),
                }
                self.input.advance(1);
                open.pop();
            }
        }
    }

    /// A value that is masked. Not generic over itself, as nothing is masked inside.
    fn skip(&mut self, skipped: &mut Skipped<'_>) -> Result<(), Error> {
        self.value(skipped, false)
    }

    /// A key and the colon. `true`: its value is masked.
    fn member<E: Events>(&mut self, events: &mut E) -> Result<bool, Error> {
        match self.input.token()? {
            Some(b'"') => {}
            Some(_) => return Err(self.input.invalid(Reason::Unexpected)),
            None => return Err(self.input.invalid(Reason::End)),
        }
        let masked = self.key(events)?;
        match self.input.token()? {
            Some(b':') => self.input.advance(1),
            Some(_) => return Err(self.input.invalid(Reason::Unexpected)),
            None => return Err(self.input.invalid(Reason::End)),
        }
        Ok(masked)
    }

    fn literal<E: Events>(&mut self, text: &'static str, events: &mut E) -> Result<(), Error> {
        if !self.input.ensure(text.len())? {
            return Err(self.input.invalid(Reason::End));
        }
        if !self.input.rest().starts_with(text) {
            return Err(self.input.invalid(Reason::Unexpected));
        }
        events.literal(text);
        self.input.advance(text.len());
        Ok(())
    }
}
