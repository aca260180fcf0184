//! The last stage: tokens, web tokens, the credentials of a scheme, passwords in URLs.

use crate::{
    MASK,
    rules::{Class, LOOK_BACK, Shapes, Verdict},
};

/// The end of a text.
#[derive(Clone, Copy, Default)]
struct Before {
    bytes: [u8; LOOK_BACK],
    len: usize,
}

impl Before {
    /// The end of this text and of what follows it.
    fn with(self, text: &[u8]) -> Self {
        let mut end = self;
        for &byte in &text[text.len().saturating_sub(LOOK_BACK)..] {
            end.bytes.rotate_left(1);
            end.bytes[LOOK_BACK - 1] = byte;
            end.len = LOOK_BACK.min(end.len + 1);
        }
        end
    }

    fn bytes(&self) -> &[u8] {
        &self.bytes[LOOK_BACK - self.len..]
    }
}

#[derive(Default)]
pub(crate) struct ShapedText {
    /// The end of the text so far, from where a shape may have begun.
    held: Vec<u8>,
    /// The last bytes that were given on.
    before: Before,
    /// Behind a masked credential: what still belongs to it.
    swallowing: Option<Class>,
}

impl ShapedText {
    pub(crate) fn push<E>(
        &mut self,
        shapes: &Shapes,
        piece: &[u8],
        last: bool,
        out: &mut impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        self.held.extend_from_slice(piece);
        let held = std::mem::take(&mut self.held);
        let done = self.advance(shapes, &held, last, out);
        self.held = held;
        self.held.drain(..done?);
        if last {
            self.before = Before::default();
            self.swallowing = None;
        }
        Ok(())
    }

    /// Gives on what is decided, and says how much of the text that is.
    fn advance<E>(
        &mut self,
        shapes: &Shapes,
        text: &[u8],
        last: bool,
        out: &mut impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<usize, E> {
        let mut done = 0;
        let mut at = 0;
        // The password of a URL whose user part is still being looked at.
        let mut password = None;
        loop {
            if let Some(class) = self.swallowing {
                done += class.run(&text[done..], usize::MAX);
                if done == text.len() {
                    return Ok(done);
                }
                self.swallowing = None;
                at = done;
            }
            let next = candidate(shapes, text, at, last);
            if let Some((from, to, then)) = password
                && next.is_none_or(|next| next >= from)
            {
                self.mask(&text[done..from], then, out)?;
                (done, at, password) = (to, to, None);
                continue;
            }
            let Some(next) = next else {
                self.copy(&text[done..], out)?;
                return Ok(text.len());
            };
            let before = self.before.with(&text[done..next]);
            match shapes.judge(text, next, before.bytes(), last) {
                Verdict::No => at = next + 1,
                Verdict::More => {
                    self.copy(&text[done..next], out)?;
                    return Ok(next);
                }
                Verdict::Mask { from, to, then } if from > next && text[next] == b':' => {
                    password = Some((from, to, then));
                    at = next + 1;
                }
                Verdict::Mask { from, to, then } => {
                    self.mask(&text[done..from], then, out)?;
                    (done, at) = (to, to);
                }
            }
        }
    }

    fn copy<E>(&mut self, text: &[u8], out: &mut impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        self.before = self.before.with(text);
        if text.is_empty() { Ok(()) } else { out(text) }
    }

    fn mask<E>(
        &mut self,
        text_before: &[u8],
        then: Option<Class>,
        out: &mut impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        self.copy(text_before, out)?;
        self.swallowing = then;
        self.copy(MASK.as_bytes(), out)
    }
}

/// The next place at which a shape may begin. Unless the text ends here, its last two bytes are among them.
fn candidate(shapes: &Shapes, text: &[u8], at: usize, last: bool) -> Option<usize> {
    shapes.next(text, at).or_else(|| {
        let tail = at.max(text.len().saturating_sub(2));
        (tail < text.len() && !last).then_some(tail)
    })
}
