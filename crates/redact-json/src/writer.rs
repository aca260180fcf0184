//! The one writer: whatever is written comes out canonical, redacted and bounded.
//!
//! It takes events: containers, keys, items, scalars. Invariants:
//! - Nothing that is to be masked is ever in the text, not even for a while.
//! - Each open container has a frame. A frame holds the ranges of its entries as long as there are few; if they were not in
//!   order, they are permuted when the object closes. Objects of many entries are read again instead, so memory beside the
//!   text stays small for sorted input and within the size of the object for unsorted input.
//! - The text only ever grows until it is done, so exceeding the budget once is exceeding it in the end.

mod collide;
mod entries;
mod escape;
mod kept;
mod keycache;
mod order;
mod path;
mod pieces;
mod places;
mod text;

pub(crate) use escape::next as next_special;

use crate::{Budget, Error, mask::Masker, rules::Rules, text::mask_str};

use self::{
    collide::Renamed,
    kept::Kept,
    keycache::{Content, Memory},
    pieces::Pieces,
    places::Places,
    text::Text,
};

/// A key that may be held whatever the budget.
const LONG_KEY: usize = 64 * 1024;
/// Strings shorter than this hold neither a secret nor the shape of a credential.
const SHORTEST_TO_MASK: usize = 6;

pub(crate) struct Writer<'w, const FRAMED: bool> {
    rules: &'w Rules,
    text: Text<'w, FRAMED>,
    depth: usize,
    kept: Kept,
    renamed: Vec<Renamed>,
    /// Bytes of the original keys among `renamed`.
    remembered: usize,
    places: Places,
    by_content: Memory<Content>,
    masker: Masker,
    pieces: Pieces,
    /// For permuting; kept for its memory.
    scratch: String,
    /// The first failure: a `Serialize` implementation may drop an error and go on.
    failed: Option<Error>,
}

/// An open container.
struct Frame {
    is_object: bool,
    /// Where its inside begins.
    start: usize,
    /// Entries or items so far.
    count: usize,
    /// Where its entries begin among all; `None` once they were too many.
    entries: Option<usize>,
    in_order: bool,
    /// The current key: its first bytes, and where its text begins.
    first: u64,
    key: usize,
    /// Where its changed keys begin among all.
    renamed: usize,
}

impl<'w, const FRAMED: bool> Writer<'w, FRAMED> {
    pub(crate) fn new(out: &'w mut String, rules: &'w Rules, budget: Budget) -> Self {
        Self {
            rules,
            text: Text::new(out, budget),
            depth: budget.depth,
            kept: Kept::take(rules, FRAMED),
            renamed: Vec::new(),
            remembered: 0,
            places: Places::new(rules.paths()),
            by_content: Memory::new(),
            masker: Masker::default(),
            pieces: Pieces::default(),
            scratch: String::new(),
            failed: None,
        }
    }

    /// Ends the text. After any failure the sink is as it was.
    pub(crate) fn finish(mut self, written: Result<(), Error>) -> Result<(), Error> {
        let written = match self.failed.take() {
            Some(error) => Err(error),
            None => written,
        };
        let done = match written {
            Err(Error::Serializer { path }) if path.is_empty() => Err(Error::Serializer { path: self.path() }),
            Err(error) => Err(error),
            Ok(()) => self.text.check(),
        };
        if done.is_err() {
            self.text.undo();
        }
        self.kept.keep();
        done
    }

    /// Keeps a failure, so that it cannot get lost on its way through a `Serialize` implementation.
    #[cold]
    pub(crate) fn keep(&mut self, error: Error) -> Error {
        if self.failed.is_none() {
            self.failed = Some(match error {
                Error::Serializer { path } if path.is_empty() => Error::Serializer { path: self.path() },
                error => error,
            });
        }
        Error::Serializer { path: String::new() }
    }

    /// Whether the whole value is a declared place. If so, it is written already.
    pub(crate) fn root(&mut self) -> bool {
        let secret = self.places.root_is_secret();
        if secret {
            self.text.mask();
        }
        secret
    }

    /// The budget in bytes.
    pub(crate) fn limit(&self) -> usize {
        self.text.limit()
    }

    /// Bytes of keys that are held at once, of one that is read and of those that were masked. No less than the budget:
    /// a longer key may be short enough once it is masked, but somewhere there must be an end.
    pub(crate) fn most_held(&self) -> usize {
        self.text.limit().max(LONG_KEY)
    }

    /// The budget is exceeded, whatever comes.
    pub(crate) fn too_large(&self) -> Error {
        self.text.too_large()
    }

    /// How many levels may be opened here, and how many in all.
    pub(crate) fn levels_left(&self) -> (usize, usize) {
        (self.depth.saturating_sub(self.kept.frames.len()), self.depth)
    }

    pub(crate) fn begin_object(&mut self) -> Result<(), Error> {
        self.begin(true)
    }

    pub(crate) fn begin_array(&mut self) -> Result<(), Error> {
        self.begin(false)
    }

    fn begin(&mut self, is_object: bool) -> Result<(), Error> {
        if self.kept.frames.len() >= self.depth {
            return Err(Error::TooDeep { path: self.path(), limit: self.depth });
        }
        self.text.byte(if is_object { '{' } else { '[' });
        self.places.open();
        self.kept.frames.push(Frame {
            is_object,
            start: self.text.len(),
            count: 0,
            entries: Some(self.kept.entries.len()),
            in_order: true,
            first: 0,
            key: 0,
            renamed: self.renamed.len(),
        });
        Ok(())
    }

    /// Begins the next item of the innermost array. `true`: it is masked, and written already.
    pub(crate) fn item(&mut self) -> Result<bool, Error> {
        self.text.check()?;
        let Some(frame) = self.kept.frames.last_mut() else { return Ok(false) };
        if frame.count > 0 {
            self.text.byte(',');
        }
        let index = frame.count;
        frame.count += 1;
        let secret = self.places.item(self.rules.paths(), index);
        if secret {
            self.text.mask();
        }
        Ok(secret)
    }

    pub(crate) fn end_array(&mut self) -> Result<(), Error> {
        self.check_whole()?;
        self.kept.frames.pop();
        self.places.close();
        self.text.byte(']');
        Ok(())
    }

    /// After a failure the text may be cut anywhere, and is not to be looked at.
    #[inline]
    fn check_whole(&self) -> Result<(), Error> {
        if self.failed.is_some() { Err(Error::Serializer { path: String::new() }) } else { Ok(()) }
    }

    pub(crate) fn end_object(&mut self) -> Result<(), Error> {
        self.check_whole()?;
        let Some(frame) = self.kept.frames.pop() else { return Ok(()) };
        self.places.close();
        if self.renamed.len() > frame.renamed {
            self.tell_apart(&frame)?;
        } else if !frame.in_order {
            self.sort(&frame)?;
        }
        if let Some(from) = frame.entries {
            self.kept.entries.truncate(from);
        }
        self.text.byte('}');
        Ok(())
    }

    pub(crate) fn literal(&mut self, text: &'static str) {
        self.text.raw(text);
    }

    /// A number in its canonical form.
    #[inline]
    pub(crate) fn number(&mut self, text: &str) {
        if self.rules.is_clean_number(text) {
            self.text.raw(text);
        } else {
            self.text.mask();
        }
    }

    #[inline]
    pub(crate) fn string(&mut self, text: &str) -> Result<(), Error> {
        if self.text.check_more(text.len() + 2).is_ok() && (text.len() < SHORTEST_TO_MASK || self.rules.is_clean(text))
        {
            self.text.string(text)
        } else {
            self.masked_string(text)
        }
    }

    /// A string with something to mask, or a very long one: written as it is masked, so that the budget ends it early.
    fn masked_string(&mut self, text: &str) -> Result<(), Error> {
        let Self { text: out, masker, rules, .. } = self;
        out.quote();
        mask_str(masker, rules, text, |piece| out.content(piece))?;
        out.quote();
        Ok(())
    }
}
