//! Remembers keys that were judged, with their text: records repeat their keys.
//!
//! Only keys that need no escape and no masking are remembered; the rest is judged each time.

use super::order::first_bytes;

/// A key that is written as it is.
pub(super) struct Known {
    /// Its first bytes, for comparing.
    pub(super) first: u64,
    /// Whether its value is masked.
    pub(super) secret: bool,
    /// Comma, key and colon, as they are written; with the mask, if the value is masked.
    pub(super) text: String,
}

/// A fixed number of keys, a few for each place; where all are taken, one of them gives way.
pub(super) struct Memory<Id> {
    keys: Vec<Option<(Id, Known)>>,
    next: usize,
}

/// What the place of a key is below.
const PLACES: usize = 32;
/// Keys that have the same place. With one, two keys of a record might drive each other out all the time.
const WAYS: usize = 4;

impl<Id: PartialEq> Memory<Id> {
    /// Nothing is allocated before the first key.
    pub(super) fn new() -> Self {
        Self { keys: Vec::new(), next: 0 }
    }

    #[inline]
    pub(super) fn find(&self, id: &Id, place: usize) -> Option<&Known> {
        let ways = self.keys.get(place * WAYS..(place + 1) * WAYS)?;
        ways.iter().map_while(Option::as_ref).find(|(known, _)| known == id).map(|(_, key)| key)
    }

    #[cold]
    pub(super) fn keep(&mut self, id: Id, place: usize, key: Known) {
        if self.keys.is_empty() {
            self.keys.resize_with(PLACES * WAYS, || None);
        }
        self.next = (self.next + 1) % WAYS;
        let next = self.next;
        if let Some(ways) = self.keys.get_mut(place * WAYS..(place + 1) * WAYS) {
            let free = ways.iter().position(Option::is_none).unwrap_or(next);
            ways[free] = Some((id, key));
        }
    }
}

/// A key by its content, the whole of it; keys of more than 24 bytes are not remembered.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Content {
    first: u64,
    middle: u64,
    last: u64,
    len: usize,
}

impl Content {
    #[inline]
    pub(super) fn of(key: &str, first: u64) -> Option<(Self, usize)> {
        let key = key.as_bytes();
        let (middle, last) = match key.len() {
            0..=8 => (0, 0),
            9..=16 => (0, tail(key)),
            17..=24 => (first_bytes(&key[8..16]), tail(key)),
            _ => return None,
        };
        let mixed = (first ^ last.rotate_left(29)).wrapping_add(key.len() as u64);
        Some((Self { first, middle, last, len: key.len() }, place(mixed)))
    }
}

/// A key by where it is: a text that lives as long as the program is always the same there.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Address {
    start: usize,
    len: usize,
}

impl Address {
    #[inline]
    pub(super) fn of(key: &'static str) -> (Self, usize) {
        let address = Self { start: key.as_ptr().addr(), len: key.len() };
        (address, place((address.start as u64).wrapping_add((address.len as u64) << 48)))
    }
}

fn tail(key: &[u8]) -> u64 {
    key.last_chunk().map_or(0, |last| u64::from_be_bytes(*last))
}

#[inline]
fn place(mixed: u64) -> usize {
    (mixed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 59) as usize
}
