//! One pass over a JSON text from outside, before anything else looks at it.
//!
//! Invariant: what is accepted has one meaning for every parser behind: valid UTF-8, no unpaired surrogate, no
//! duplicate key at any depth, bounded nesting. Numbers that no type can hold are accepted and reported, as what they
//! mean depends on where they stand.

mod number;

use std::borrow::Cow;
use std::ops::Range;

pub(crate) use number::{is_holdable, with_plain_integers};

/// The deepest nesting of a whole text; the root counts as 1.
pub(crate) const DEEPEST: usize = 128;

/// As many members are looked for in the simplest way.
const FEW: usize = 8;

/// Why a text is refused. None of them says anything of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    NotUtf8,
    NotJson,
    UnpairedSurrogate,
    TooDeep,
    DuplicateKey,
}

impl Fault {
    pub(crate) fn message(self) -> &'static str {
        match self {
            Self::NotUtf8 => "Parse error: not UTF-8",
            Self::NotJson => "Parse error: not JSON",
            Self::UnpairedSurrogate => "Parse error: unpaired surrogate",
            Self::TooDeep => "Parse error: nested deeper than 128 levels",
            Self::DuplicateKey => "Parse error: duplicate key",
        }
    }
}

/// An accepted text.
#[derive(Debug, PartialEq)]
pub(crate) struct Scanned<'t> {
    pub(crate) text: &'t str,
    pub(crate) root: Root<'t>,
    /// From the first to the last number that nothing can hold.
    unholdable: Option<Range<usize>>,
}

#[derive(Debug, PartialEq)]
pub(crate) enum Root<'t> {
    /// The members, in their order, with the place of each value.
    Object(Vec<(Cow<'t, str>, Range<usize>)>),
    /// The place of each item.
    Array(Vec<Range<usize>>),
    Scalar,
}

impl Scanned<'_> {
    /// Whether a number that nothing can hold stands in `place`.
    pub(crate) fn is_unholdable(&self, place: &Range<usize>) -> bool {
        self.unholdable.as_ref().is_some_and(|found| found.start < place.end && place.start < found.end)
    }

    /// Whether one stands outside `place`.
    pub(crate) fn is_unholdable_outside(&self, place: &Range<usize>) -> bool {
        self.unholdable.as_ref().is_some_and(|found| found.start < place.start || place.end < found.end)
    }

    /// The place of `part`, which was borrowed from this text.
    pub(crate) fn place(&self, part: &str) -> Range<usize> {
        let start = part.as_ptr().addr().wrapping_sub(self.text.as_ptr().addr());
        start..start.wrapping_add(part.len())
    }
}

pub(crate) fn scan(bytes: &[u8]) -> Result<Scanned<'_>, Fault> {
    let text = std::str::from_utf8(bytes).map_err(|_| Fault::NotUtf8)?;
    let mut scanner = Scanner { text, bytes, at: 0, keys: Vec::with_capacity(FEW), unholdable: None };
    scanner.space();
    let root = match scanner.peek() {
        Some(b'{') => {
            let mut members = Vec::with_capacity(FEW);
            scanner.object(1, |key, place| members.push((key.clone(), place)))?;
            Root::Object(members)
        }
        Some(b'[') => {
            let mut items = Vec::new();
            scanner.array(1, |place| items.push(place))?;
            Root::Array(items)
        }
        _ => {
            scanner.value(0)?;
            Root::Scalar
        }
    };
    scanner.space();
    if scanner.at != bytes.len() {
        return Err(Fault::NotJson);
    }
    Ok(Scanned { text, root, unholdable: scanner.unholdable })
}

struct Scanner<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    /// The keys of all open objects, innermost last.
    keys: Vec<Cow<'t, str>>,
    unholdable: Option<Range<usize>>,
}

/// Recursion is bounded by [`DEEPEST`].
impl<'t> Scanner<'t> {
    /// One value inside `depth` open containers.
    fn value(&mut self, depth: usize) -> Result<(), Fault> {
        match self.peek() {
            Some(b'{') => self.object(depth + 1, |_, _| ()),
            Some(b'[') => self.array(depth + 1, |_| ()),
            Some(b'"') => self.string().map(|_| ()),
            Some(b't') => self.word("true"),
            Some(b'f') => self.word("false"),
            Some(b'n') => self.word("null"),
            _ => self.number(),
        }
    }

    fn object(&mut self, depth: usize, mut member: impl FnMut(&Cow<'t, str>, Range<usize>)) -> Result<(), Fault> {
        self.open(depth)?;
        let first_key = self.keys.len();
        if !self.take(b'}') {
            loop {
                self.space();
                let key = self.key()?;
                self.space();
                self.expect(b':')?;
                self.space();
                let start = self.at;
                self.value(depth)?;
                member(&key, start..self.at);
                self.keys.push(key);
                self.space();
                if self.take(b'}') {
                    break;
                }
                self.expect(b',')?;
            }
        }
        let duplicate = has_duplicate(&mut self.keys[first_key..]);
        self.keys.truncate(first_key);
        if duplicate { Err(Fault::DuplicateKey) } else { Ok(()) }
    }

    fn array(&mut self, depth: usize, mut item: impl FnMut(Range<usize>)) -> Result<(), Fault> {
        self.open(depth)?;
        if self.take(b']') {
            return Ok(());
        }
        loop {
            self.space();
            let start = self.at;
            self.value(depth)?;
            item(start..self.at);
            self.space();
            if self.take(b']') {
                return Ok(());
            }
            self.expect(b',')?;
        }
    }

    /// Steps over the opening bracket and the space behind it.
    fn open(&mut self, depth: usize) -> Result<(), Fault> {
        if depth > DEEPEST {
            return Err(Fault::TooDeep);
        }
        self.at += 1;
        self.space();
        Ok(())
    }

    fn key(&mut self) -> Result<Cow<'t, str>, Fault> {
        if self.peek() != Some(b'"') {
            return Err(Fault::NotJson);
        }
        let start = self.at;
        let escaped = self.string()?;
        let quoted = &self.text[start..self.at];
        if escaped {
            return serde_json::from_str(quoted).map(Cow::Owned).map_err(|_| Fault::NotJson);
        }
        Ok(Cow::Borrowed(&quoted[1..quoted.len() - 1]))
    }

    /// Steps over a string; whether it holds an escape.
    fn string(&mut self) -> Result<bool, Fault> {
        self.at += 1;
        let mut escaped = false;
        loop {
            let rest = &self.bytes[self.at..];
            let plain = end_of_plain(rest).ok_or(Fault::NotJson)?;
            self.at += plain + 1;
            match rest[plain] {
                b'"' => return Ok(escaped),
                b'\\' => {
                    escaped = true;
                    self.escape()?;
                }
                _ => return Err(Fault::NotJson),
            }
        }
    }

    /// What follows a backslash.
    fn escape(&mut self) -> Result<(), Fault> {
        match self.next() {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(()),
            Some(b'u') => match self.hex()? {
                0xd800..=0xdbff => {
                    if self.next() == Some(b'\\')
                        && self.next() == Some(b'u')
                        && (0xdc00..=0xdfff).contains(&self.hex()?)
                    {
                        Ok(())
                    } else {
                        Err(Fault::UnpairedSurrogate)
                    }
                }
                0xdc00..=0xdfff => Err(Fault::UnpairedSurrogate),
                _ => Ok(()),
            },
            _ => Err(Fault::NotJson),
        }
    }

    fn hex(&mut self) -> Result<u32, Fault> {
        let digits = self.bytes.get(self.at..self.at + 4).ok_or(Fault::NotJson)?;
        self.at += 4;
        digits.iter().try_fold(0, |code, digit| {
            char::from(*digit).to_digit(16).map(|digit| code * 16 + digit).ok_or(Fault::NotJson)
        })
    }

    fn word(&mut self, word: &str) -> Result<(), Fault> {
        if !self.bytes[self.at..].starts_with(word.as_bytes()) {
            return Err(Fault::NotJson);
        }
        self.at += word.len();
        Ok(())
    }

    fn number(&mut self) -> Result<(), Fault> {
        let start = self.at;
        self.take(b'-');
        let digits = self.digits();
        if digits == 0 || (digits > 1 && self.bytes[self.at - digits] == b'0') {
            return Err(Fault::NotJson);
        }
        let mut plain = true;
        if self.take(b'.') {
            plain = false;
            if self.digits() == 0 {
                return Err(Fault::NotJson);
            }
        }
        if self.take(b'e') || self.take(b'E') {
            plain = false;
            let _ = self.take(b'+') || self.take(b'-');
            if self.digits() == 0 {
                return Err(Fault::NotJson);
            }
        }
        // Up to 18 digits always fit.
        let held = (plain && digits <= 18) || number::exact(&self.text[start..self.at]) != number::Exact::Unholdable;
        if !held {
            self.unholdable.get_or_insert(start..self.at).end = self.at;
        }
        Ok(())
    }

    fn digits(&mut self) -> usize {
        let digits = self.bytes[self.at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.at += digits;
        digits
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.peek();
        self.at += usize::from(byte.is_some());
        byte
    }

    fn take(&mut self, byte: u8) -> bool {
        let taken = self.peek() == Some(byte);
        self.at += usize::from(taken);
        taken
    }

    fn expect(&mut self, byte: u8) -> Result<(), Fault> {
        if self.take(byte) { Ok(()) } else { Err(Fault::NotJson) }
    }
}

/// Where the first quote, backslash or control character stands.
fn end_of_plain(bytes: &[u8]) -> Option<usize> {
    // Most strings are short; the rest is searched faster than eight bytes at a time.
    let (near, far) = bytes.split_at(bytes.len().min(32));
    near_end_of_plain(near).or_else(|| {
        let end = memchr::memchr2(b'"', b'\\', far)?;
        let has_control = far[..end].iter().fold(0, |any, byte| any | u8::from(*byte < 0x20)) != 0;
        let control = has_control.then(|| far[..end].iter().position(|byte| *byte < 0x20)).flatten();
        Some(near.len() + control.unwrap_or(end))
    })
}

fn near_end_of_plain(bytes: &[u8]) -> Option<usize> {
    let (words, rest) = bytes.as_chunks();
    for (index, word) in words.iter().enumerate() {
        let found = not_plain(u64::from_le_bytes(*word));
        if found != 0 {
            return Some(8 * index + found.trailing_zeros() as usize / 8);
        }
    }
    let end = rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..0x20))?;
    Some(8 * words.len() + end)
}

/// The highest bit of each byte that is a quote, a backslash or a control character; also of some bytes behind the first of
/// them.
fn not_plain(word: u64) -> u64 {
    let all = |byte: u8| u64::from_le_bytes([byte; 8]);
    // Taking more than a byte holds borrows from the next one and leaves its highest bit, unless that was set before.
    let below = |word: u64, byte: u8| word.wrapping_sub(all(byte)) & !word;
    (below(word, 0x20) | below(word ^ all(b'"'), 1) | below(word ^ all(b'\\'), 1)) & all(0x80)
}

fn has_duplicate(keys: &mut [Cow<'_, str>]) -> bool {
    if keys.len() <= FEW {
        return keys.iter().enumerate().any(|(index, key)| keys[..index].contains(key));
    }
    keys.sort_unstable();
    keys.windows(2).any(|pair| pair[0] == pair[1])
}

#[cfg(test)]
mod tests;
