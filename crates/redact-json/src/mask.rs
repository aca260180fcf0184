//! Masking text that arrives in pieces: known secrets first, then private keys, then everything else that looks like a
//! credential.
//!
//! Invariants: what comes out depends on the concatenation of the pieces only; masking what came out changes nothing;
//! pieces that end between characters come out ending between characters; a stage keeps only text whose fate the next
//! bytes decide, so memory is bounded by the longest secret, the look-ahead of a shape and the size of a piece.

mod keys;
mod known;
mod shaped;

use crate::rules::Rules;

use self::{keys::PrivateKeys, known::KnownSecrets, shaped::ShapedText};

/// The three stages, one behind the other.
#[derive(Default)]
pub(crate) struct Masker {
    known: KnownSecrets,
    keys: PrivateKeys,
    shaped: ShapedText,
}

impl Masker {
    /// Takes a piece and gives on what is decided. `last` ends the text and makes the masker ready for another.
    pub(crate) fn push<E>(
        &mut self,
        rules: &Rules,
        piece: &[u8],
        last: bool,
        out: &mut impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let Self { known, keys, shaped } = self;
        let Some(shapes) = rules.shapes() else {
            return known.push(rules.secrets(), piece, last, out);
        };
        known.push(rules.secrets(), piece, last, &mut |piece: &[u8]| {
            keys.push(piece, false, &mut |piece: &[u8]| shaped.push(shapes, piece, false, out))
        })?;
        if last {
            keys.push(&[], true, &mut |piece: &[u8]| shaped.push(shapes, piece, false, out))?;
            shaped.push(shapes, &[], true, out)?;
        }
        Ok(())
    }

    /// Forgets a text that was given up.
    pub(crate) fn reset(&mut self) {
        *self = Self::default();
    }
}
