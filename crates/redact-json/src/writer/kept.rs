//! What a write leaves behind for the next one on the same thread: the fields that were judged by the same rules, and
//! memory. Small results are written often, and mostly of the same types.
//!
//! Only names that are part of the program are kept, never anything of a value.

use std::cell::RefCell;
use std::sync::Arc;

use super::{
    Frame,
    keycache::{Address, Memory},
    order::Entry,
};
use crate::rules::{Judged, Rules, Words};

/// More entries are not kept room for.
const MOST: usize = 1024;

pub(super) struct Kept {
    /// Alive as long as this, so that no other rules can be mistaken for them.
    judged_by: Arc<Judged>,
    framed: bool,
    pub(super) by_address: Memory<Address>,
    pub(super) frames: Vec<Frame>,
    pub(super) entries: Vec<Entry>,
    pub(super) words: Words,
}

thread_local! {
    static KEPT: RefCell<Option<Kept>> = const { RefCell::new(None) };
}

impl Kept {
    /// What was kept for these rules, or nothing yet.
    pub(super) fn take(rules: &Rules, framed: bool) -> Self {
        let kept = KEPT.try_with(|kept| kept.try_borrow_mut().ok()?.take()).ok().flatten();
        kept.filter(|kept| kept.framed == framed && Arc::ptr_eq(&kept.judged_by, rules.judged())).unwrap_or_else(|| {
            Self {
                judged_by: Arc::clone(rules.judged()),
                framed,
                by_address: Memory::new(),
                frames: Vec::new(),
                entries: Vec::new(),
                words: Words::default(),
            }
        })
    }

    /// Keeps it for the next write.
    pub(super) fn keep(mut self) {
        self.frames.clear();
        self.entries.clear();
        if self.entries.capacity() > MOST || self.frames.capacity() > MOST {
            return;
        }
        // A thread that is ending keeps nothing.
        let _ = KEPT.try_with(|kept| {
            if let Ok(mut kept) = kept.try_borrow_mut() {
                *kept = Some(self);
            }
        });
    }
}
