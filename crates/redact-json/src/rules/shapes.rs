//! Text that looks like a credential although nobody named it: tokens with a known prefix, JSON web tokens, the
//! credentials of an Authorization header, passwords in URLs, private keys in PEM.
//!
//! Invariants, which make redaction idempotent and independent of how the text was cut into pieces:
//! - A verdict looks ahead a bounded way and never back, except at the few bytes before it, as they come out.
//! - A condition on what follows only ever asks for more bytes of a class that has no `[`; so a mask further on can undo
//!   a match but never make one. The authority of a URL, which may hold a mask, ends at bytes that no token has.
//! - The first trigger with a verdict decides, and one that needs more text is waited for.

mod classes;
mod judge;
mod pem;
mod triggers;

pub(crate) use classes::Class;
pub(crate) use judge::Verdict;
pub(crate) use pem::{Line, PEM, PEM_END, pem_footer, pem_header};
pub(crate) use triggers::Token;

use triggers::{Trigger, Triggers};

/// The most bytes from its beginning that a shape needs to be decided, about.
const LOOK_AHEAD: usize = 1024;
/// No shape but a URL is shorter: a scheme, a blank, and eight bytes.
const SHORTEST_BUT_URL: usize = 14;

/// So many bytes before a shape say whether it begins inside a word.
pub(crate) const LOOK_BACK: usize = 3;

/// Whether what follows `before` continues a word. An escape as `\n` or `%3D` ends one.
fn ends_in_a_word(before: &[u8]) -> bool {
    let escape = match before {
        [.., b'\\', letter] => b"bfnrt".contains(letter),
        [b'%', high, low] => high.is_ascii_hexdigit() && low.is_ascii_hexdigit(),
        _ => false,
    };
    !escape && before.last().is_some_and(u8::is_ascii_alphanumeric)
}

/// The shapes that are searched for.
#[derive(Clone)]
pub(crate) struct Shapes {
    triggers: Triggers,
}

impl Shapes {
    pub(crate) fn new(further: &[Token]) -> Self {
        Self { triggers: Triggers::new(further) }
    }

    /// Whether nothing in the whole text looks like a credential.
    #[inline]
    pub(crate) fn is_clean(&self, text: &[u8]) -> bool {
        if text.len() < SHORTEST_BUT_URL && !text.contains(&b':') {
            return true;
        }
        self.triggers.next(text, 0).is_none_or(|at| self.is_clean_from(text, at))
    }

    fn is_clean_from(&self, text: &[u8], mut at: usize) -> bool {
        loop {
            let before = &text[at.saturating_sub(LOOK_BACK)..at];
            let pem = text[at] == b'-' && pem_header(&text[at..], true) != Line::No;
            if pem || self.judge(text, at, before, true) != Verdict::No {
                return false;
            }
            match self.next(text, at + 1) {
                Some(next) => at = next,
                None => return true,
            }
        }
    }

    /// The next place at or after `at` at which a shape may begin; the last two bytes of a text are not looked at.
    pub(crate) fn next(&self, text: &[u8], at: usize) -> Option<usize> {
        self.triggers.next(text, at)
    }

    /// What begins at `at` (a PEM block apart), given the [`LOOK_BACK`] bytes before. Never [`Verdict::More`] if `last`.
    pub(crate) fn judge(&self, text: &[u8], at: usize, before: &[u8], last: bool) -> Verdict {
        let Some(rest @ [first, ..]) = text.get(at..) else { return Verdict::No };
        let inside_a_word = ends_in_a_word(before);
        for trigger in self.triggers.beginning_with(*first) {
            if inside_a_word && !matches!(trigger, Trigger::Url) {
                continue;
            }
            match trigger.judge(rest, last) {
                Verdict::No => {}
                Verdict::More => return Verdict::More,
                Verdict::Mask { from, to, then } => return Verdict::Mask { from: at + from, to: at + to, then },
            }
        }
        Verdict::No
    }
}
