//! Keys that were masked, and may be the same now: they get numbers, in the order of what they were.
//!
//! A key that was not masked keeps its name. So the same value gives the same text however its map is ordered, and masking
//! again changes nothing.

use std::collections::{HashMap, HashSet};

use super::{
    Frame, Writer,
    escape::{decode, unframe},
    order,
    text::quote,
};
use crate::{Error, MASK, redact_text};

/// So many numbers on end are passed over if the key has something to mask with them.
const MOST_UNLUCKY: usize = 256;

/// How the keys that come out the same are numbered.
struct Numbering {
    number: usize,
    /// What stands between the key and the number.
    between: &'static str,
}

/// A key that was changed, until its object closes.
pub(super) struct Renamed {
    /// Where its entry begins.
    start: usize,
    original: String,
}

/// An entry of the closing object.
struct Named {
    key: String,
    /// What the key was, if it was changed.
    original: Option<String>,
    span: (usize, usize),
    /// What is appended to the key.
    suffix: String,
}

impl<const FRAMED: bool> Writer<'_, FRAMED> {
    /// Remembers that the key of the entry at `start` was `original`.
    ///
    /// What is remembered is bounded, or a map of endless masked keys would fill the memory.
    pub(super) fn rename(&mut self, start: usize, original: &str) -> Result<(), Error> {
        self.remembered = self.remembered.saturating_add(original.len());
        if self.remembered > self.most_held() {
            return Err(self.too_large());
        }
        self.renamed.push(Renamed { start, original: original.to_owned() });
        Ok(())
    }

    /// Numbers the changed keys that collide, and sorts.
    pub(super) fn tell_apart(&mut self, frame: &Frame) -> Result<(), Error> {
        let mut entries = self.named_entries(frame);
        // Unchanged keys first, so that they keep their names.
        entries.sort_unstable_by(|a, b| (&a.original, &a.key).cmp(&(&b.original, &b.key)));
        let mut taken = HashSet::with_capacity(entries.len());
        let mut numbers: HashMap<String, Numbering> = HashMap::new();
        let mut before: Option<&str> = None;
        for entry in &mut entries {
            let same = entry.original.is_some() && entry.original.as_deref() == before;
            if taken.contains(&entry.key) {
                if entry.original.is_none() || same {
                    return Err(Error::DuplicateKey { path: self.path_to(entry.span.0 + quote(FRAMED).len()) });
                }
                let numbering = numbers.entry(entry.key.clone()).or_insert(Numbering { number: 1, between: "" });
                let mut unlucky = 0;
                loop {
                    numbering.number += 1;
                    entry.suffix = format!("{} ({})", numbering.between, numbering.number);
                    let numbered = format!("{}{}", entry.key, entry.suffix);
                    if taken.contains(&numbered) {
                        continue;
                    }
                    if redact_text(&numbered, self.rules) == numbered {
                        entry.key = numbered;
                        break;
                    }
                    // A number may complete a secret. If the blank does, no number helps, but a mask keeps them apart.
                    unlucky += 1;
                    if unlucky == MOST_UNLUCKY {
                        if !numbering.between.is_empty() {
                            return Err(Error::DuplicateKey { path: self.path_to(entry.span.0 + quote(FRAMED).len()) });
                        }
                        *numbering = Numbering { number: 1, between: MASK };
                        unlucky = 0;
                    }
                }
            }
            taken.insert(entry.key.clone());
            before = entry.original.as_deref();
        }
        entries.sort_unstable_by(|a, b| a.key.cmp(&b.key));
        self.scratch.clear();
        let text = self.text.as_str();
        for entry in &entries {
            if !self.scratch.is_empty() {
                self.scratch.push(',');
            }
            let key = entry.span.0 + quote(FRAMED).len();
            let key_end = key + key_len::<FRAMED>(&text.as_bytes()[key..]);
            self.scratch.push_str(&text[entry.span.0..key_end]);
            self.scratch.push_str(&entry.suffix);
            self.scratch.push_str(&text[key_end..entry.span.1]);
        }
        self.text.replace_from(frame.start, &self.scratch);
        self.text.check()
    }

    fn named_entries(&mut self, frame: &Frame) -> Vec<Named> {
        let text = self.text.as_str();
        let mut renamed: HashMap<usize, String> =
            self.renamed.drain(frame.renamed..).map(|renamed| (renamed.start, renamed.original)).collect();
        self.remembered -= renamed.values().map(String::len).sum::<usize>();
        order::entries::<FRAMED>(text, frame.start)
            .into_iter()
            .map(|(start, end)| {
                let (start, end) = (start as usize, end as usize);
                let key = decode::<FRAMED>(&text.as_bytes()[start + quote(FRAMED).len()..]).collect();
                Named {
                    // Written text is made of whole characters.
                    key: String::from_utf8(key).unwrap_or_default(),
                    original: renamed.remove(&start),
                    span: (start, end),
                    suffix: String::new(),
                }
            })
            .collect()
    }
}

/// How many bytes a key has, up to its closing quotation mark.
fn key_len<const FRAMED: bool>(text: &[u8]) -> usize {
    let mut escaped = false;
    unframe::<FRAMED>(text)
        .find(|(_, byte)| {
            let ends = !escaped && *byte == b'"';
            escaped = !escaped && *byte == b'\\';
            ends
        })
        .map_or(text.len(), |(at, _)| at)
}
