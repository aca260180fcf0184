//! The second stage: private keys in PEM, from the first line to the last.
//!
//! A stage of its own, as a block may hold the bytes that end a URL: masked together, the two could make a second pass
//! differ from the first.

use crate::{
    MASK,
    rules::{Line, PEM, PEM_END, pem_footer, pem_header},
};

/// How far behind its first line a block may end. A first line without a last one, in a log say, masks no more than this.
const LONGEST: usize = 16 * 1024;

#[derive(Default)]
pub(crate) struct PrivateKeys {
    /// The end of the text so far, where a line may have begun.
    held: Vec<u8>,
    /// Inside a block: how many bytes more it may have.
    inside: Option<usize>,
}

impl PrivateKeys {
    pub(crate) fn push<E>(
        &mut self,
        piece: &[u8],
        last: bool,
        out: &mut impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        if self.held.is_empty() && self.inside.is_none() && !piece.contains(&b'-') {
            return out(piece);
        }
        self.held.extend_from_slice(piece);
        let text = &self.held[..];
        let mut at = 0;
        let keep_from = loop {
            let step = match self.inside {
                None => outside(&text[at..], last, out)?,
                Some(left) => inside(&text[at..], left, last),
            };
            at += step.bytes;
            self.inside = step.inside;
            if step.needs_more || at == text.len() {
                break at;
            }
        };
        self.held.drain(..keep_from);
        if last {
            self.held.clear();
            self.inside = None;
        }
        Ok(())
    }
}

/// How far the text is done with, and the state behind that.
struct Step {
    bytes: usize,
    inside: Option<usize>,
    needs_more: bool,
}

/// Gives on what is before the next block, and a mask for its first line.
fn outside<E>(text: &[u8], last: bool, out: &mut impl FnMut(&[u8]) -> Result<(), E>) -> Result<Step, E> {
    let mut from = 0;
    while let Some(at) = begins(text, from, PEM) {
        match pem_header(&text[at..], last) {
            Line::No => from = at + 1,
            Line::More => {
                out(&text[..at])?;
                return Ok(Step { bytes: at, inside: None, needs_more: true });
            }
            Line::Bytes(bytes) => {
                out(&text[..at])?;
                out(MASK.as_bytes())?;
                return Ok(Step { bytes: at + bytes, inside: Some(LONGEST), needs_more: false });
            }
        }
    }
    out(text)?;
    Ok(Step { bytes: text.len(), inside: None, needs_more: false })
}

/// Swallows up to the end of the block.
fn inside(text: &[u8], left: usize, last: bool) -> Step {
    let mut from = 0;
    while let Some(at) = begins(text, from, PEM_END).filter(|&at| at < left) {
        match pem_footer(&text[at..], last) {
            Line::No => from = at + 1,
            Line::More => return Step { bytes: at, inside: Some(left - at), needs_more: true },
            Line::Bytes(bytes) => return Step { bytes: at + bytes, inside: None, needs_more: false },
        }
    }
    if text.len() < left {
        return Step { bytes: text.len(), inside: Some(left - text.len()), needs_more: false };
    }
    // Behind a whole character.
    let more = text[left..].iter().take_while(|byte| (0x80..0xC0).contains(*byte)).count();
    match text.len() {
        len if len == left + more && !last => Step { bytes: left, inside: Some(0), needs_more: true },
        _ => Step { bytes: left + more, inside: None, needs_more: false },
    }
}

/// The first place from `from` at which `text` goes on with `beginning`, or ends within it.
fn begins(text: &[u8], from: usize, beginning: &[u8]) -> Option<usize> {
    (from..text.len()).find(|&at| {
        let rest = &text[at..text.len().min(at + beginning.len())];
        rest.first() == Some(&b'-') && beginning.starts_with(rest)
    })
}
