//! Remembers keys that were judged: records repeat their keys.
//!
//! Only keys that need no escape and no masking are remembered; the rest is judged each time.

use super::order::first_bytes;

/// What is to be done with a key that is written as it is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Judged {
    /// Its value is written.
    Open,
    /// Its value is masked.
    Secret,
}

/// The whole of a key of at most 24 bytes. Longer ones are not remembered.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct Packed {
    first: u64,
    middle: u64,
    last: u64,
    len: usize,
}

const SLOTS: usize = 64;

pub(super) struct KeyCache([(Packed, Option<Judged>); SLOTS]);

/// Where a key is, or would be.
pub(super) struct Place {
    packed: Packed,
    slot: usize,
}

impl KeyCache {
    pub(super) fn new() -> Self {
        Self([(Packed::default(), None); SLOTS])
    }

    #[inline]
    pub(super) fn find(&self, key: &str, first: u64) -> (Option<Judged>, Option<Place>) {
        let key = key.as_bytes();
        let (middle, last) = match key.len() {
            ..=8 => (0, 0),
            ..=16 => (0, tail(key)),
            ..=24 => (first_bytes(&key[8..16]), tail(key)),
            _ => return (None, None),
        };
        let packed = Packed { first, middle, last, len: key.len() };
        let mixed = (first ^ last.rotate_left(29)).wrapping_add(key.len() as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let slot = (mixed >> 58) as usize;
        let known = &self.0[slot];
        (if known.0 == packed { known.1 } else { None }, Some(Place { packed, slot }))
    }

    pub(super) fn keep(&mut self, place: Place, judged: Judged) {
        self.0[place.slot] = (place.packed, Some(judged));
    }
}

fn tail(key: &[u8]) -> u64 {
    key.last_chunk().map_or(0, |last| u64::from_be_bytes(*last))
}
