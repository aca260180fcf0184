//! The first stage: every known secret in every form, overlapping ones as one.

use std::{convert::Infallible, ops::ControlFlow};

use crate::{MASK, rules::Secrets};

#[derive(Default)]
pub(crate) struct KnownSecrets {
    /// The end of the text so far, from where a secret or a mask may have begun.
    held: Vec<u8>,
    /// How many of the held bytes are behind a mask that was given on already.
    masked: usize,
    /// What to mask in the held bytes; kept for its memory.
    found: Vec<(usize, usize)>,
}

impl KnownSecrets {
    pub(crate) fn push<E>(
        &mut self,
        secrets: Option<&Secrets>,
        piece: &[u8],
        last: bool,
        out: &mut impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let Some(secrets) = secrets else { return out(piece) };
        self.held.extend_from_slice(piece);
        let text = &self.held[..];
        // What may become a wall decides about the secrets around it.
        let known = if last { text.len() } else { text.len() - begun_mask(text) };
        find(secrets, &text[..known], &mut self.found);
        let keep_from = if last { known } else { secrets.unfinished(&text[..known]).unwrap_or(known) };
        let mut done = self.masked;
        for &(start, end) in &self.found {
            if start >= keep_from {
                break;
            }
            if start >= done {
                out(&text[done..start])?;
                out(MASK.as_bytes())?;
            }
            done = done.max(end);
        }
        if done < keep_from {
            out(&text[done..keep_from])?;
            done = keep_from;
        }
        self.masked = done - keep_from;
        self.held.drain(..keep_from);
        if last {
            self.masked = 0;
        }
        Ok(())
    }
}

/// The places of secrets, joined where they overlap.
fn find(secrets: &Secrets, text: &[u8], joined: &mut Vec<(usize, usize)>) {
    joined.clear();
    let _: ControlFlow<Infallible> = secrets.scan(text, |found| {
        let mut start = found.start;
        // They come by rising end, so only the last ones can overlap.
        while let Some(&(before, end)) = joined.last() {
            if end <= start {
                break;
            }
            start = start.min(before);
            joined.pop();
        }
        joined.push((start, found.end));
        ControlFlow::Continue(())
    });
}

/// How many bytes at the end of `text` are the beginning of a mask.
fn begun_mask(text: &[u8]) -> usize {
    (1..MASK.len().min(text.len() + 1)).rev().find(|&len| text.ends_with(&MASK.as_bytes()[..len])).unwrap_or(0)
}
