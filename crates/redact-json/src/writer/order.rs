//! Sorting the entries of an object that was not written in order.
//!
//! Keys are compared by the bytes they stand for: in UTF-8 that is the order of code points.

use std::cmp::Ordering;

use super::escape::{decode, unframe};

/// An entry of an open object: `"key":value`.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    /// The first bytes of the key, for comparing.
    pub(super) first: u64,
    pub(super) start: u32,
    pub(super) end: u32,
}

/// The first eight bytes, so that numbers compare as the texts do; equal numbers decide nothing.
#[inline]
pub(super) fn first_bytes(text: &[u8]) -> u64 {
    if let Some(first) = text.first_chunk() {
        return u64::from_be_bytes(*first);
    }
    let four = |bytes: &[u8; 4]| u64::from(u32::from_be_bytes(*bytes));
    match (text.first_chunk(), text.last_chunk(), text) {
        (Some(first), Some(last), _) => four(first) << 32 | (four(last) << (8 * (8 - text.len())) & 0xFFFF_FFFF),
        (_, _, &[a, b, c]) => u64::from_be_bytes([a, b, c, 0, 0, 0, 0, 0]),
        (_, _, &[a, b]) => u64::from_be_bytes([a, b, 0, 0, 0, 0, 0, 0]),
        (_, _, &[a]) => u64::from(a) << 56,
        _ => 0,
    }
}

/// As many entries are sorted by counting.
const FEW: usize = 16;

/// The sorted order of a few entries, if the first bytes of their keys tell them apart: four bits for each, the first one
/// lowest. Without a branch that depends on the order: the records of one type are all out of order in the same way, but
/// a sort would guess anew in each.
pub(super) fn few_in_order(entries: &[Entry]) -> Option<u64> {
    if entries.len() > FEW {
        return None;
    }
    let mut order = 0;
    let mut alike = false;
    for (at, entry) in (0_u64..).zip(entries) {
        let (mut rank, mut same) = (0_u32, 0_u32);
        for other in entries {
            rank += u32::from(other.first < entry.first);
            same += u32::from(other.first == entry.first);
        }
        order |= at << (4 * rank);
        alike |= same > 1;
    }
    (!alike).then_some(order)
}

/// Compares two keys that stand, with what follows them, in written text.
pub(super) fn compare<const FRAMED: bool>(a: &[u8], b: &[u8]) -> Ordering {
    // As far as nothing is escaped and no key ends, written bytes are the bytes themselves.
    let same = a.iter().zip(b).take_while(|(a, b)| a == b && **a != b'\\' && **a != b'"').count();
    let (a, b) = (&a[same..], &b[same..]);
    match (a.first(), b.first()) {
        (Some(x), Some(y)) if [x, y].into_iter().all(|byte| *byte != b'\\' && *byte != b'"') => x.cmp(y),
        _ => decode::<FRAMED>(a).cmp(decode::<FRAMED>(b)),
    }
}

/// The entries of an object whose inside begins at `start`, read from its text.
pub(super) fn entries<const FRAMED: bool>(text: &str, start: usize) -> Vec<(u32, u32)> {
    let inside = &text.as_bytes()[start..];
    let count = ends::<FRAMED>(inside).count();
    let mut spans = Vec::with_capacity(count);
    let mut from = start;
    for end in ends::<FRAMED>(inside).map(|end| start + end) {
        spans.push((offset(from), offset(end)));
        from = end + 1;
    }
    spans
}

/// Offsets are of one result, which the budget bounds; larger ones than this are refused before they get here.
pub(super) fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// Where the entries of an object end: at each comma of its own, and at the end of the text.
fn ends<const FRAMED: bool>(inside: &[u8]) -> impl Iterator<Item = usize> {
    let mut depth = 0_usize;
    let mut in_string = false;
    let mut escaped = false;
    unframe::<FRAMED>(inside)
        .filter_map(move |(at, byte)| {
            if in_string {
                in_string = escaped || byte != b'"';
                escaped = !escaped && byte == b'\\';
                return None;
            }
            match byte {
                b'"' => in_string = true,
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth = depth.saturating_sub(1),
                b',' if depth == 0 => return Some(at),
                _ => {}
            }
            None
        })
        .chain([inside.len()])
}
