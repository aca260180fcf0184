//! Keys as they come, and their order when the object closes.

use std::cmp::Ordering;

use super::{
    Frame, Writer,
    keycache::{Address, Content, Known},
    next_special,
    order::{self, Entry, first_bytes, offset},
    text::{Text, quote},
};
use crate::{Error, MASK, redact_text};

/// Entries that all open objects together remember.
const MOST_ENTRIES: usize = 512;

impl<const FRAMED: bool> Writer<'_, FRAMED> {
    /// Begins the next entry of the innermost object. `true`: its value is masked, and written already.
    #[inline]
    pub(crate) fn key(&mut self, key: &str) -> Result<bool, Error> {
        let Some((id, place)) = Content::of(key, first_bytes(key.as_bytes())) else {
            return self.new_key(key, |_, _| ());
        };
        let Some(known) = self.by_content.find(&id, place) else {
            return self.new_key(key, |writer, known| writer.by_content.keep(id, place, known));
        };
        self.text.check()?;
        begin_entry(&mut self.text, &mut self.kept.frames, &mut self.kept.entries, known);
        Ok(known.secret || self.places.are_declared() && self.declared(key))
    }

    /// The same for a key that is part of the program, which need not be looked at.
    #[inline]
    pub(crate) fn field(&mut self, key: &'static str) -> Result<bool, Error> {
        let (id, place) = Address::of(key);
        let Some(known) = self.kept.by_address.find(&id, place) else {
            return self.new_key(key, |writer, known| writer.kept.by_address.keep(id, place, known));
        };
        self.text.check()?;
        begin_entry(&mut self.text, &mut self.kept.frames, &mut self.kept.entries, known);
        Ok(known.secret || self.places.are_declared() && self.declared(key))
    }

    /// Whether the value of the key that was written is at a declared place. If so, it is masked.
    fn declared(&mut self, key: &str) -> bool {
        let declared = self.places.member(self.rules.paths(), key);
        if declared {
            self.text.mask();
        }
        declared
    }

    /// A key that is not remembered.
    #[cold]
    fn new_key(&mut self, key: &str, keep: impl FnOnce(&mut Self, Known)) -> Result<bool, Error> {
        let masked = redact_text(key, self.rules);
        // Words may appear where a secret stood between them.
        let secret = self.rules.is_secret_key(key, &mut self.kept.words)
            || masked != key && self.rules.is_secret_key(&masked, &mut self.kept.words);
        self.text.check_more(masked.len())?;
        let mut known = Known { first: first_bytes(masked.as_bytes()), secret, text: String::from(",") };
        let more = Text::<FRAMED>::write_key(&mut known.text, &masked, secret.then_some(MASK));
        let start = begin_entry(&mut self.text, &mut self.kept.frames, &mut self.kept.entries, &known);
        self.text.grow(more);
        self.text.check()?;
        if masked != key {
            self.rename(start, key)?;
        } else if next_special(key.as_bytes(), 0).is_none() {
            keep(self, known);
        }
        Ok(secret || self.places.are_declared() && self.declared(key))
    }
}

/// Writes a key and what belongs to it, looks whether it is in order, and says where the entry begins.
#[inline]
fn begin_entry<const FRAMED: bool>(
    text: &mut Text<'_, FRAMED>,
    frames: &mut [Frame],
    entries: &mut Vec<Entry>,
    known: &Known,
) -> usize {
    let Some(frame) = frames.last_mut() else { return text.len() };
    let comma = usize::from(frame.count > 0);
    let start = text.len() + comma;
    if let Some(from) = frame.entries {
        if entries.len() < MOST_ENTRIES {
            entries.push(Entry { first: known.first, start: offset(start), end: 0 });
        } else {
            entries.truncate(from);
            frame.entries = None;
        }
    }
    text.key(&known.text[1 - comma..], known.secret);
    let key = start + quote(FRAMED).len();
    if comma == 1 && frame.in_order {
        let text = text.as_str().as_bytes();
        let order =
            frame.first.cmp(&known.first).then_with(|| order::compare::<FRAMED>(&text[frame.key..], &text[key..]));
        // Equal keys are dealt with where the others are.
        frame.in_order = order == Ordering::Less;
    }
    frame.count += 1;
    frame.first = known.first;
    frame.key = key;
    start
}

impl<const FRAMED: bool> Writer<'_, FRAMED> {
    /// Permutes the entries of the object that is closing.
    pub(super) fn sort(&mut self, frame: &Frame) -> Result<(), Error> {
        let end = offset(self.text.len());
        let key = quote(FRAMED).len();
        let text = self.text.as_str();
        let bytes = text.as_bytes();
        let compare = |a: u32, b: u32| order::compare::<FRAMED>(&bytes[a as usize + key..], &bytes[b as usize + key..]);
        self.scratch.clear();
        self.scratch.reserve(bytes.len() - frame.start);
        let twice = if let Some(entries) = frame.entries.and_then(|from| self.kept.entries.get_mut(from..)) {
            for at in 0..entries.len() {
                entries[at].end = entries.get(at + 1).map_or(end, |next| next.start - 1);
            }
            if let Some(order) = order::few_in_order(entries) {
                let sorted = (0..entries.len()).map(|rank| entries[(order >> (4 * rank) & 15) as usize]);
                gather(text, sorted.map(|entry| (entry.start, entry.end)), &mut self.scratch);
                self.text.replace_from(frame.start, &self.scratch);
                return Ok(());
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
        if let Some(entry) = twice {
            return Err(Error::DuplicateKey { path: self.path_to(entry as usize + key) });
        }
        self.text.replace_from(frame.start, &self.scratch);
        Ok(())
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
