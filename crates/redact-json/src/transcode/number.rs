//! Numbers: integers exactly as they are, of any size; everything else as the shortest float that reads back the same.

use std::io::Read;

use super::{Parser, events::Events};
use crate::{Error, Reason};

/// The longest number that is read. Its canonical form is decided at its end, so it is held until then.
const LONGEST: usize = 4096;

impl<R: Read> Parser<R> {
    pub(super) fn number<E: Events>(&mut self, events: &mut E) -> Result<(), Error> {
        let mut len = 0;
        loop {
            let rest = &self.input.rest().as_bytes()[len..];
            let run =
                rest.iter().take_while(|byte| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E')).count();
            let ended = run < rest.len();
            len += run;
            if len > LONGEST {
                return Err(self.input.invalid(Reason::LongNumber));
            }
            if ended || !self.input.more()? {
                break;
            }
        }
        let text = &self.input.rest()[..len];
        match kind(text.as_bytes()) {
            None => return Err(self.input.invalid(Reason::Number)),
            // The integer has no sign of its own; as a float it keeps it.
            Some(Kind::Integer) if text == "-0" => events.number("-0.0"),
            Some(Kind::Integer) => events.number(text),
            Some(Kind::Float) => match text.parse::<f64>() {
                Ok(value) if value.is_finite() => events.number(zmij::Buffer::new().format_finite(value)),
                Ok(_) => return Err(events.not_finite()),
                Err(_) => return Err(self.input.invalid(Reason::Number)),
            },
        }
        self.input.advance(len);
        Ok(())
    }
}

#[derive(Clone, Copy)]
enum Kind {
    Integer,
    Float,
}

/// What a number is by the grammar of RFC 8259; `None` if it is none.
fn kind(text: &[u8]) -> Option<Kind> {
    let text = text.strip_prefix(b"-").unwrap_or(text);
    let (whole, rest) = digits(text)?;
    if whole > 1 && text.first() == Some(&b'0') {
        return None;
    }
    let rest = match rest {
        [] => return Some(Kind::Integer),
        [b'.', fraction @ ..] => digits(fraction)?.1,
        rest => rest,
    };
    let rest = match rest {
        [] => return Some(Kind::Float),
        [b'e' | b'E', b'+' | b'-', exponent @ ..] | [b'e' | b'E', exponent @ ..] => digits(exponent)?.1,
        _ => return None,
    };
    rest.is_empty().then_some(Kind::Float)
}

/// At least one digit, and what follows.
fn digits(text: &[u8]) -> Option<(usize, &[u8])> {
    let count = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    (count > 0).then(|| (count, &text[count..]))
}
