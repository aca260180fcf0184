//! Strings that arrive in pieces. Short ones are put together; long ones are masked and written as they come.

use crate::{Error, text::push_str};

use super::Writer;

/// The longest string that is put together.
const MOST: usize = 8 * 1024;

#[derive(Default)]
pub(super) struct Pieces {
    /// What came so far.
    together: String,
    /// The string is written as it comes.
    streaming: bool,
}

impl<const FRAMED: bool> Writer<'_, FRAMED> {
    /// The next piece of a string value.
    pub(crate) fn string_piece(&mut self, piece: &str) -> Result<(), Error> {
        if !self.pieces.streaming {
            if self.pieces.together.len() + piece.len() <= MOST {
                self.pieces.together.push_str(piece);
                return Ok(());
            }
            self.pieces.streaming = true;
            self.masker.reset();
            self.text.quote();
            let together = std::mem::take(&mut self.pieces.together);
            self.mask_piece(&together, false)?;
            self.pieces.together = together;
            self.pieces.together.clear();
        }
        let mut rest = piece;
        while !rest.is_empty() {
            let (now, later) = rest.split_at(rest.floor_char_boundary(MOST));
            self.mask_piece(now, false)?;
            rest = later;
        }
        Ok(())
    }

    /// Ends a string value that came in pieces, or in none.
    pub(crate) fn end_string(&mut self) -> Result<(), Error> {
        if self.pieces.streaming {
            self.pieces.streaming = false;
            self.mask_piece("", true)?;
            self.text.quote();
            return Ok(());
        }
        let together = std::mem::take(&mut self.pieces.together);
        let written = self.string(&together);
        self.pieces.together = together;
        self.pieces.together.clear();
        written
    }

    fn mask_piece(&mut self, piece: &str, last: bool) -> Result<(), Error> {
        let Self { text, masker, rules, .. } = self;
        push_str(masker, rules, piece, last, &mut |piece: &str| text.content(piece))
    }
}
