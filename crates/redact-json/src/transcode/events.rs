//! Who listens to the parser: the writer, or nobody while a masked value is checked.

use crate::{Error, writer::Writer};

pub(super) trait Events {
    fn begin_object(&mut self) -> Result<(), Error>;
    fn end_object(&mut self) -> Result<(), Error>;
    fn begin_array(&mut self) -> Result<(), Error>;
    fn end_array(&mut self) -> Result<(), Error>;
    /// `true`: the value that follows is masked.
    fn key(&mut self, key: &str) -> Result<bool, Error>;
    /// `true`: the item that follows is masked.
    fn item(&mut self) -> Result<bool, Error>;
    fn literal(&mut self, text: &'static str);
    fn number(&mut self, text: &str);
    fn string(&mut self, text: &str) -> Result<(), Error>;
    fn string_piece(&mut self, piece: &str) -> Result<(), Error>;
    fn end_string(&mut self) -> Result<(), Error>;
    /// The longest key that is read; a longer one is [`Events::too_large`].
    fn longest_key(&self) -> usize;
    fn too_large(&self) -> Error;
    /// A number that is too large.
    fn not_finite(&self) -> Error;
    /// The listener for a value that is masked.
    fn skipped(&self) -> Skipped<'_>;
}

/// Knows where the parser is. Asked for only when something fails.
pub(super) trait Place {
    fn path(&self) -> String;
}

impl<const FRAMED: bool> Place for Writer<'_, FRAMED> {
    fn path(&self) -> String {
        Writer::path(self)
    }
}

impl<const FRAMED: bool> Events for Writer<'_, FRAMED> {
    fn begin_object(&mut self) -> Result<(), Error> {
        Writer::begin_object(self)
    }

    fn end_object(&mut self) -> Result<(), Error> {
        Writer::end_object(self)
    }

    fn begin_array(&mut self) -> Result<(), Error> {
        Writer::begin_array(self)
    }

    fn end_array(&mut self) -> Result<(), Error> {
        Writer::end_array(self)
    }

    #[inline]
    fn key(&mut self, key: &str) -> Result<bool, Error> {
        Writer::key(self, key)
    }

    fn item(&mut self) -> Result<bool, Error> {
        Writer::item(self)
    }

    fn literal(&mut self, text: &'static str) {
        Writer::literal(self, text);
    }

    fn number(&mut self, text: &str) {
        Writer::number(self, text);
    }

    #[inline]
    fn string(&mut self, text: &str) -> Result<(), Error> {
        Writer::string(self, text)
    }

    fn string_piece(&mut self, piece: &str) -> Result<(), Error> {
        Writer::string_piece(self, piece)
    }

    fn end_string(&mut self) -> Result<(), Error> {
        Writer::end_string(self)
    }

    fn longest_key(&self) -> usize {
        self.most_held()
    }

    fn too_large(&self) -> Error {
        Writer::too_large(self)
    }

    fn not_finite(&self) -> Error {
        Error::NotFinite { path: Writer::path(self) }
    }

    fn skipped(&self) -> Skipped<'_> {
        let (levels, limit) = self.levels_left();
        Skipped { place: self, levels, limit, longest_key: self.most_held(), bytes: self.limit() }
    }
}

/// Hears nothing, but keeps the bound on nesting.
pub(super) struct Skipped<'w> {
    /// The masked value.
    place: &'w dyn Place,
    levels: usize,
    limit: usize,
    longest_key: usize,
    /// The budget.
    bytes: usize,
}

impl Skipped<'_> {
    fn begin(&mut self) -> Result<(), Error> {
        let too_deep = || Error::TooDeep { path: self.place.path(), limit: self.limit };
        self.levels = self.levels.checked_sub(1).ok_or_else(too_deep)?;
        Ok(())
    }

    fn end(&mut self) {
        self.levels += 1;
    }
}

impl Events for Skipped<'_> {
    fn begin_object(&mut self) -> Result<(), Error> {
        self.begin()
    }

    fn end_object(&mut self) -> Result<(), Error> {
        self.end();
        Ok(())
    }

    fn begin_array(&mut self) -> Result<(), Error> {
        self.begin()
    }

    fn end_array(&mut self) -> Result<(), Error> {
        self.end();
        Ok(())
    }

    fn key(&mut self, _key: &str) -> Result<bool, Error> {
        Ok(false)
    }

    fn item(&mut self) -> Result<bool, Error> {
        Ok(false)
    }

    fn literal(&mut self, _text: &'static str) {}

    fn number(&mut self, _text: &str) {}

    fn string(&mut self, _text: &str) -> Result<(), Error> {
        Ok(())
    }

    fn string_piece(&mut self, _piece: &str) -> Result<(), Error> {
        Ok(())
    }

    fn end_string(&mut self) -> Result<(), Error> {
        Ok(())
    }

    /// Keys are forgotten at once, but held for a moment.
    fn longest_key(&self) -> usize {
        self.longest_key
    }

    fn too_large(&self) -> Error {
        Error::TooLarge { limit: self.bytes }
    }

    fn not_finite(&self) -> Error {
        Error::NotFinite { path: self.place.path() }
    }

    fn skipped(&self) -> Skipped<'_> {
        Skipped { ..*self }
    }
}
