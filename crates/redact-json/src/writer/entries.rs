//! Keys as they come, and their order when the object closes.

use std::cmp::Ordering;

use super::{
    Frame, Writer,
    keycache::{Judged, Place},
    next_special,
    order::{self, Entry, first_bytes, offset},
    text::quote,
};
use crate::{Error, redact_text};

/// Entries that all open objects together remember.
const MOST_ENTRIES: usize = 1024;

/// An entry whose key is being written.
struct Begun {
    start: usize,
    /// The key before: its first bytes, and where it begins.
    before: Option<(u64, usize)>,
}

impl<const FRAMED: bool> Writer<'_, FRAMED> {
    /// Begins the next entry of the innermost object. `true`: its value is masked, and written already.
    #[inline]
    pub(crate) fn key(&mut self, key: &str) -> Result<bool, Error> {
        let first = first_bytes(key.as_bytes());
        let (known, place) = self.cache.find(key, first);
        let Some(judged) = known.or_else(|| self.judge(key, place)) else { return self.unusual_key(key) };
        self.text.check_more(key.len())?;
        let begun = self.begin_entry(first);
        self.text.raw(key);
        self.end_key(&begun);
        let secret = self.places.member(self.rules.paths(), key) || judged == Judged::Secret;
        if secret {
            self.text.mask();
        }
        Ok(secret)
    }

    /// What to do with a key that can be written as it is; `None` if it cannot.
    fn judge(&mut self, key: &str, place: Option<Place>) -> Option<Judged> {
        if next_special(key.as_bytes(), 0).is_some() || !self.rules.is_clean(key) {
            return None;
        }
        let secret = self.rules.is_secret_key(key, &mut self.words);
        let judged = if secret { Judged::Secret } else { Judged::Open };
        if let Some(place) = place {
            self.cache.keep(place, judged);
        }
        Some(judged)
    }

    /// A key with something to escape or to mask.
    #[cold]
    fn unusual_key(&mut self, key: &str) -> Result<bool, Error> {
        let masked = redact_text(key, self.rules);
        // Words may appear where a secret stood between them.
        let named =
            self.rules.is_secret_key(key, &mut self.words) || self.rules.is_secret_key(&masked, &mut self.words);
        let begun = self.begin_entry(first_bytes(masked.as_bytes()));
        self.text.content(&masked)?;
        self.end_key(&begun);
        if masked != key {
            self.rename(begun.start, key)?;
        }
        let secret = self.places.member(self.rules.paths(), key) || named;
        if secret {
            self.text.mask();
        }
        Ok(secret)
    }

    /// Writes what stands before a key.
    #[inline]
    fn begin_entry(&mut self, first: u64) -> Begun {
        let Some(frame) = self.frames.last_mut() else { return Begun { start: self.text.len(), before: None } };
        let before = (frame.count > 0).then_some((frame.first, frame.key));
        if before.is_some() {
            self.text.byte(',');
        }
        let start = self.text.len();
        if let Some(from) = frame.entries {
            if before.is_some()
                && let Some(last) = self.entries.last_mut()
            {
                last.end = offset(start - 1);
            }
            if self.entries.len() < MOST_ENTRIES {
                self.entries.push(Entry { first, start: offset(start), end: 0 });
            } else {
                self.entries.truncate(from);
                frame.entries = None;
            }
        }
        self.text.quote();
        frame.count += 1;
        frame.first = first;
        frame.key = self.text.len();
        Begun { start, before }
    }

    /// Writes what stands behind a key, and looks whether it is in order.
    #[inline]
    fn end_key(&mut self, begun: &Begun) {
        self.text.quote();
        self.text.byte(':');
        let Some(frame) = self.frames.last_mut() else { return };
        if let Some((first, key)) = begun.before
            && frame.in_order
        {
            let text = self.text.as_str().as_bytes();
            let order =
                first.cmp(&frame.first).then_with(|| order::compare::<FRAMED>(&text[key..], &text[frame.key..]));
            // Equal keys are dealt with where the others are.
            frame.in_order = order == Ordering::Less;
        }
    }

    /// Permutes the entries of the object that is closing.
    pub(super) fn sort(&mut self, frame: &Frame) -> Result<(), Error> {
        let end = offset(self.text.len());
        let key = quote(FRAMED).len();
        let text = self.text.as_str();
        let bytes = text.as_bytes();
        let compare = |a: u32, b: u32| order::compare::<FRAMED>(&bytes[a as usize + key..], &bytes[b as usize + key..]);
        self.scratch.clear();
        self.scratch.reserve(bytes.len() - frame.start);
        let twice = if let Some(entries) = frame.entries.and_then(|from| self.entries.get_mut(from..)) {
            if let Some(last) = entries.last_mut() {
                last.end = end;
            }
            let order = |a: &Entry, b: &Entry| a.first.cmp(&b.first).then_with(|| compare(a.start, b.start));
            entries.sort_unstable_by(order);
            gather(text, entries.iter().map(|entry| (entry.start, entry.end)), &mut self.scratch);
            entries.windows(2).find(|pair| order(&pair[0], &pair[1]).is_eq()).map(|pair| pair[1].start)
        } else {
            let mut spans = order::entries::<FRAMED>(text, frame.start);
            spans.sort_unstable_by(|a, b| compare(a.0, b.0));
            gather(text, spans.iter().copied(), &mut self.scratch);
            spans.windows(2).find(|pair| compare(pair[0].0, pair[1].0).is_eq()).map(|pair| pair[1].0)
        };
        match twice {
            Some(entry) => Err(Error::DuplicateKey { path: self.path_to(entry as usize + key) }),
            None => {
                self.text.replace_from(frame.start, &self.scratch);
                Ok(())
            }
        }
    }
}

fn gather(text: &str, spans: impl Iterator<Item = (u32, u32)>, scratch: &mut String) {
    for (start, end) in spans {
        if !scratch.is_empty() {
            scratch.push(',');
        }
        scratch.push_str(&text[start as usize..end as usize]);
    }
}
