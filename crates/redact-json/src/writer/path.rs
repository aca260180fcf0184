//! Where the writer is, as a JSON Pointer that may be shown.
//!
//! Keys are read back from the text, so they are redacted already.

use super::{Frame, Writer, escape::decode};

/// Characters of a key that are shown.
const SHOWN: usize = 64;

impl<const FRAMED: bool> Writer<'_, FRAMED> {
    /// The value that is being written.
    pub(crate) fn path(&self) -> String {
        self.path_of(&self.kept.frames)
    }

    /// The innermost open container.
    pub(crate) fn path_of_container(&self) -> String {
        let around = self.kept.frames.len().saturating_sub(1);
        self.path_of(&self.kept.frames[..around])
    }

    /// The key that stands at `key`, in the object that is just closing.
    pub(super) fn path_to(&self, key: usize) -> String {
        let mut path = self.path();
        self.push_key(&mut path, key);
        path
    }

    fn path_of(&self, frames: &[Frame]) -> String {
        let mut path = String::new();
        for frame in frames.iter().filter(|frame| frame.count > 0) {
            if frame.is_object {
                self.push_key(&mut path, frame.key);
            } else {
                path.push('/');
                path.push_str(itoa::Buffer::new().format(frame.count - 1));
            }
        }
        path
    }

    fn push_key(&self, path: &mut String, key: usize) {
        let bytes: Vec<u8> = decode::<FRAMED>(&self.text.as_str().as_bytes()[key..]).take(4 * SHOWN + 4).collect();
        let key = String::from_utf8_lossy(&bytes);
        path.push('/');
        for c in key.chars().take(SHOWN) {
            match c {
                '~' => path.push_str("~0"),
                '/' => path.push_str("~1"),
                c if c.is_control() => path.push(char::REPLACEMENT_CHARACTER),
                c => path.push(c),
            }
        }
        if key.chars().nth(SHOWN).is_some() {
            path.push('\u{2026}');
        }
    }
}
