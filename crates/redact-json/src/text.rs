//! Redaction of text that is not JSON: log lines, and output that is relayed as it comes.

use std::{borrow::Cow, convert::Infallible, fmt};

use crate::{mask::Masker, rules::Rules};

/// How much of a text the masker gets at once.
const PIECE: usize = 8 * 1024;

/// Masks known secrets and everything that looks like a credential. Text with nothing to mask is not copied.
///
/// Key names and declared places mean nothing here: in `password=..` only a known secret or the shape of a credential is
/// masked.
#[must_use]
pub fn redact_text<'t>(text: &'t str, rules: &Rules) -> Cow<'t, str> {
    if rules.is_clean(text) {
        return Cow::Borrowed(text);
    }
    let mut redacted = String::with_capacity(text.len());
    let Ok(()) = mask_str(&mut Masker::default(), rules, text, |piece| {
        redacted.push_str(piece);
        Ok::<_, Infallible>(())
    });
    Cow::Owned(redacted)
}

/// Masks a whole text piece by piece, so that `out` can stop it early.
pub(crate) fn mask_str<E>(
    masker: &mut Masker,
    rules: &Rules,
    mut text: &str,
    mut out: impl FnMut(&str) -> Result<(), E>,
) -> Result<(), E> {
    masker.reset();
    loop {
        let (piece, rest) = text.split_at(text.floor_char_boundary(PIECE));
        push_str(masker, rules, piece, rest.is_empty(), &mut out)?;
        if rest.is_empty() {
            return Ok(());
        }
        text = rest;
    }
}

/// Gives a piece of a text to the masker, and what comes out to `out`.
pub(crate) fn push_str<E>(
    masker: &mut Masker,
    rules: &Rules,
    piece: &str,
    last: bool,
    out: &mut impl FnMut(&str) -> Result<(), E>,
) -> Result<(), E> {
    // Whole characters go in, so whole characters come out: nothing is replaced.
    masker.push(rules, piece.as_bytes(), last, &mut |bytes: &[u8]| out(&String::from_utf8_lossy(bytes)))
}

/// Masks a stream of bytes as it comes, for output that is relayed.
///
/// A secret is masked however the stream is cut into pushes, and the result is that of [`redact_text`] on the whole.
/// Bytes that are not UTF-8 pass. Held back is only the end of what was pushed: from where a known secret may have begun,
/// at most the longest form of one, and text that may be the beginning of a credential, as `eyJ..` before its dot, until
/// that is decided, at most about 1 KiB.
pub struct TextMasker {
    rules: Rules,
    masker: Masker,
}

impl TextMasker {
    /// A masker at the beginning of a stream.
    #[must_use]
    pub fn new(rules: Rules) -> Self {
        Self { rules, masker: Masker::default() }
    }

    /// Takes the next bytes and appends to `out` what is decided.
    pub fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        for piece in bytes.chunks(PIECE) {
            self.give(piece, false, out);
        }
    }

    /// Appends what is held back. The next push begins another stream.
    pub fn finish(&mut self, out: &mut Vec<u8>) {
        self.give(&[], true, out);
    }

    fn give(&mut self, piece: &[u8], last: bool, out: &mut Vec<u8>) {
        let Ok(()) = self.masker.push(&self.rules, piece, last, &mut |bytes: &[u8]| {
            out.extend_from_slice(bytes);
            Ok::<_, Infallible>(())
        });
    }
}

impl fmt::Debug for TextMasker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TextMasker").field("rules", &self.rules).finish_non_exhaustive()
    }
}
