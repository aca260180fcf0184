//! A cheap answer to "can one of these patterns begin near here?": no, or perhaps.
//!
//! Invariant: no occurrence is missed. Every pattern has at least [`BLOCK`] + `stride` - 1 bytes, and all its blocks of
//! four bytes that begin in its first `stride` bytes are in the table; so of the samples taken every `stride` bytes, one
//! falls on such a block of each occurrence.

/// Bytes of a sample.
const BLOCK: usize = 4;
/// Longer strides save little, and each costs a table entry a pattern.
const LONGEST_STRIDE: usize = 13;

#[derive(Clone)]
pub(crate) struct BlockFilter {
    bits: Box<[u64]>,
    shift: u32,
    stride: usize,
}

impl BlockFilter {
    /// `patterns` are at least 8 bytes each.
    pub(crate) fn new<'p>(patterns: impl Iterator<Item = &'p [u8]> + Clone) -> Self {
        let shortest = patterns.clone().map(<[u8]>::len).min().unwrap_or(8);
        let stride = (shortest + 1).saturating_sub(BLOCK).clamp(1, LONGEST_STRIDE);
        // About one bit in sixteen is set.
        let size = (patterns.clone().count() * stride * 16).next_power_of_two().clamp(1 << 10, 1 << 22);
        let shift = 32 - size.trailing_zeros();
        let mut bits = vec![0; size / 64].into_boxed_slice();
        for pattern in patterns {
            for block in pattern.windows(BLOCK).take(stride) {
                if let Some(hash) = hash(block, shift)
                    && let Some(word) = bits.get_mut(hash >> 6)
                {
                    *word |= 1_u64 << (hash & 63);
                }
            }
        }
        Self { bits, shift, stride }
    }

    /// The first sample at or after `from` that may be inside an occurrence that begins at or after `from`.
    #[inline]
    pub(crate) fn next(&self, text: &[u8], from: usize) -> Option<usize> {
        let mut at = from;
        while let Some(hash) = text.get(at..at + BLOCK).and_then(|block| hash(block, self.shift)) {
            if self.bits.get(hash >> 6).is_some_and(|word| word >> (hash & 63) & 1 == 1) {
                return Some(at);
            }
            at += self.stride;
        }
        None
    }

    /// How far before a sample an occurrence can begin.
    pub(crate) fn reach(&self) -> usize {
        self.stride - 1
    }
}

#[inline]
fn hash(block: &[u8], shift: u32) -> Option<usize> {
    let block = u32::from_le_bytes(*block.first_chunk()?);
    Some((block.wrapping_mul(0x9E37_79B1) >> shift) as usize)
}
