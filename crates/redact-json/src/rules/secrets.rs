//! Known secrets in all their forms, in one automaton behind a filter.
//!
//! A mask that is already in the text is a wall: no secret is found across its ends or inside it. Without that rule,
//! masking one secret could complete another (`abc[` before a mask), and redacting twice would differ from once.

use std::ops::ControlFlow;

use aho_corasick::{
    Anchored, BuildError, MatchKind,
    automaton::{Automaton as _, StateID},
    nfa::contiguous::NFA,
};

use super::{filter::BlockFilter, forms};
use crate::MASK;

/// An occurrence of a form of a known secret.
#[derive(Clone, Copy)]
pub(crate) struct Found {
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Which secret it is.
    secret: usize,
}

pub(crate) struct Secrets {
    names: Vec<Box<str>>,
    /// The secret that each pattern of the automaton is a form of.
    owners: Vec<usize>,
    automaton: NFA,
    unanchored: StateID,
    anchored: StateID,
    filter: BlockFilter,
    shortest: usize,
    longest: usize,
    in_numbers: bool,
}

impl Secrets {
    /// `None` without secrets. The values are at least 8 bytes each.
    pub(crate) fn new(secrets: &[(Box<str>, &str)]) -> Result<Option<Self>, BuildError> {
        let mut patterns: Vec<(String, usize)> = Vec::new();
        for (owner, (_, value)) in secrets.iter().enumerate() {
            patterns.extend(forms::of(value).into_iter().map(|form| (form, owner)));
        }
        patterns.sort_unstable();
        patterns.dedup_by(|next, kept| next.0 == kept.0);
        if patterns.is_empty() {
            return Ok(None);
        }
        let forms = patterns.iter().map(|(form, _)| form.as_bytes());
        let automaton = NFA::builder().match_kind(MatchKind::Standard).prefilter(false).build(forms.clone())?;
        let (Ok(unanchored), Ok(anchored)) =
            (automaton.start_state(Anchored::No), automaton.start_state(Anchored::Yes))
        else {
            return Ok(None);
        };
        Ok(Some(Self {
            names: secrets.iter().map(|(name, _)| name.clone()).collect(),
            filter: BlockFilter::new(forms.clone()),
            shortest: automaton.min_pattern_len(),
            longest: automaton.max_pattern_len(),
            in_numbers: patterns
                .iter()
                .any(|(form, _)| form.bytes().all(|b| b.is_ascii_digit() || b"+-.e".contains(&b))),
            owners: patterns.iter().map(|(_, owner)| *owner).collect(),
            automaton,
            unanchored,
            anchored,
        }))
    }

    pub(crate) fn count(&self) -> usize {
        self.names.len()
    }

    /// Whether a secret could be written as a number.
    pub(crate) fn in_numbers(&self) -> bool {
        self.in_numbers
    }

    pub(crate) fn name(&self, found: Found) -> Option<&str> {
        self.names.get(found.secret).map(|name| &**name)
    }

    #[inline]
    pub(crate) fn first(&self, text: &[u8]) -> Option<Found> {
        // Most text ends here.
        if text.len() < self.shortest {
            return None;
        }
        self.filter.next(text, 0)?;
        match self.scan(text, ControlFlow::Break) {
            ControlFlow::Break(found) => Some(found),
            ControlFlow::Continue(()) => None,
        }
    }

    /// Visits the longest occurrence that ends at each place, by rising end.
    pub(crate) fn scan<B>(&self, text: &[u8], mut visit: impl FnMut(Found) -> ControlFlow<B>) -> ControlFlow<B> {
        let mut wall = 0;
        let mut clear_to = 0;
        while let Some(sample) = self.filter.next(text, clear_to) {
            let start = sample.saturating_sub(self.filter.reach()).max(clear_to);
            let mut at = wall_over(text, wall, start).unwrap_or(start);
            let mut state = self.unanchored;
            while let Some(&byte) = text.get(at) {
                if byte == b'[' && text[at..].starts_with(MASK.as_bytes()) {
                    at += MASK.len();
                    wall = at;
                    state = self.unanchored;
                } else {
                    state = self.automaton.next_state(Anchored::No, state, byte);
                    at += 1;
                    if self.automaton.is_match(state) {
                        visit(self.longest_at(state, at))?;
                    }
                }
                if state == self.unanchored && at > sample {
                    break;
                }
            }
            clear_to = at.max(sample + 1);
        }
        ControlFlow::Continue(())
    }

    fn longest_at(&self, state: StateID, end: usize) -> Found {
        let mut found = Found { start: end, end, secret: 0 };
        for index in 0..self.automaton.match_len(state) {
            let pattern = self.automaton.match_pattern(state, index);
            let start = end - self.automaton.pattern_len(pattern);
            if start < found.start {
                found = Found { start, end, secret: self.owners.get(pattern.as_usize()).copied().unwrap_or(0) };
            }
        }
        found
    }

    /// The first place at which a form begins that may go on past the end of `text`.
    pub(crate) fn unfinished(&self, text: &[u8]) -> Option<usize> {
        let earliest = text.len().saturating_sub(self.longest - 1);
        let near = earliest.saturating_sub(MASK.len() - 1);
        let earliest = earliest.max(near + last_wall(&text[near..]));
        (earliest..text.len()).find(|&start| {
            let mut state = self.anchored;
            text[start..].iter().all(|&byte| {
                state = self.automaton.next_state(Anchored::Yes, state, byte);
                !self.automaton.is_dead(state)
            })
        })
    }
}

/// The end of the mask that begins before `at` and ends after it.
fn wall_over(text: &[u8], from: usize, at: usize) -> Option<usize> {
    let earliest = (at + 1).saturating_sub(MASK.len()).max(from);
    (earliest..at).find(|&start| text[start..].starts_with(MASK.as_bytes())).map(|start| start + MASK.len())
}

/// Where the last mask in `text` ends; 0 without one.
fn last_wall(text: &[u8]) -> usize {
    text.windows(MASK.len()).rposition(|window| window == MASK.as_bytes()).map_or(0, |at| at + MASK.len())
}
