//! Arrays, objects, and values that stand for text that is JSON already.

use serde::{Serialize, ser};

use super::{
    Serializer,
    key::KeySerializer,
    raw::{self, RawSerializer},
};
use crate::{Error, writer::Writer};

/// An open container of serde's data model.
pub(crate) struct Compound<'s, 'w, const FRAMED: bool> {
    writer: &'s mut Writer<'w, FRAMED>,
    kind: Kind,
    next: Next,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Open,
    /// The content of an enum variant that is masked as a whole.
    Masked,
    /// One field, whose text is JSON.
    Raw,
    /// The same, and the field is written.
    RawDone,
}

/// What a map must be given next.
#[derive(Clone, Copy, PartialEq)]
enum Next {
    Key,
    Value,
    /// A value that is masked, and written already.
    MaskedValue,
}

impl<'s, 'w, const FRAMED: bool> Compound<'s, 'w, FRAMED> {
    pub(super) fn new(writer: &'s mut Writer<'w, FRAMED>) -> Self {
        Self { writer, kind: Kind::Open, next: Next::Key }
    }

    pub(super) fn masked(writer: &'s mut Writer<'w, FRAMED>) -> Self {
        Self { writer, kind: Kind::Masked, next: Next::Key }
    }

    pub(super) fn raw(writer: &'s mut Writer<'w, FRAMED>) -> Self {
        Self { writer, kind: Kind::Raw, next: Next::Key }
    }

    #[inline]
    fn item<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        if self.kind == Kind::Masked || Serializer(&mut *self.writer).attempt(Writer::item)? {
            return Ok(());
        }
        self.value(value)
    }

    #[inline]
    fn entry<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<(), Error> {
        match self.kind {
            Kind::Open => {
                if Serializer(&mut *self.writer).attempt(|writer| writer.field(key))? {
                    return Ok(());
                }
                self.value(value)
            }
            Kind::Masked => Ok(()),
            Kind::Raw if raw::is_raw(key) => {
                self.kind = Kind::RawDone;
                value.serialize(RawSerializer(&mut *self.writer)).map_err(|error| self.writer.keep(error))
            }
            Kind::Raw | Kind::RawDone => self.refuse(),
        }
    }

    /// A value whose failure is remembered: the caller may drop it and go on.
    #[inline]
    fn value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        value.serialize(Serializer(&mut *self.writer)).map_err(|error| self.writer.keep(error))
    }

    /// What breaks serde's rules would not be JSON.
    #[cold]
    fn refuse<R>(&mut self) -> Result<R, Error> {
        let error = Error::Serializer { path: self.writer.path() };
        Err(self.writer.keep(error))
    }

    fn end_array(self) -> Result<(), Error> {
        if self.kind == Kind::Open {
            Serializer(self.writer).attempt(Writer::end_array)?;
        }
        Ok(())
    }

    fn end_object(mut self) -> Result<(), Error> {
        match self.kind {
            Kind::Open if self.next == Next::Key => Serializer(self.writer).attempt(Writer::end_object),
            Kind::Masked | Kind::RawDone => Ok(()),
            Kind::Open | Kind::Raw => self.refuse(),
        }
    }
}

impl<const FRAMED: bool> ser::SerializeSeq for Compound<'_, '_, FRAMED> {
    type Ok = ();
    type Error = Error;

    #[inline]
    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.item(value)
    }

    fn end(self) -> Result<(), Error> {
        self.end_array()
    }
}

impl<const FRAMED: bool> ser::SerializeTuple for Compound<'_, '_, FRAMED> {
    type Ok = ();
    type Error = Error;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.item(value)
    }

    fn end(self) -> Result<(), Error> {
        self.end_array()
    }
}

impl<const FRAMED: bool> ser::SerializeTupleStruct for Compound<'_, '_, FRAMED> {
    type Ok = ();
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.item(value)
    }

    fn end(self) -> Result<(), Error> {
        self.end_array()
    }
}

impl<const FRAMED: bool> ser::SerializeTupleVariant for Compound<'_, '_, FRAMED> {
    type Ok = ();
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.item(value)
    }

    fn end(self) -> Result<(), Error> {
        if self.kind == Kind::Open {
            Serializer(&mut *self.writer).attempt(Writer::end_array)?;
        }
        Serializer(self.writer).attempt(Writer::end_object)
    }
}

impl<const FRAMED: bool> ser::SerializeMap for Compound<'_, '_, FRAMED> {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Error> {
        if self.next != Next::Key {
            return self.refuse();
        }
        let masked = key.serialize(KeySerializer(&mut *self.writer)).map_err(|error| self.writer.keep(error))?;
        self.next = if masked { Next::MaskedValue } else { Next::Value };
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        match std::mem::replace(&mut self.next, Next::Key) {
            Next::Key => self.refuse(),
            Next::Value => self.value(value),
            Next::MaskedValue => Ok(()),
        }
    }

    fn end(self) -> Result<(), Error> {
        self.end_object()
    }
}

impl<const FRAMED: bool> ser::SerializeStruct for Compound<'_, '_, FRAMED> {
    type Ok = ();
    type Error = Error;

    #[inline]
    fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<(), Error> {
        self.entry(key, value)
    }

    #[inline]
    fn end(self) -> Result<(), Error> {
        self.end_object()
    }
}

impl<const FRAMED: bool> ser::SerializeStructVariant for Compound<'_, '_, FRAMED> {
    type Ok = ();
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<(), Error> {
        self.entry(key, value)
    }

    fn end(self) -> Result<(), Error> {
        if self.kind == Kind::Open {
            Serializer(&mut *self.writer).attempt(Writer::end_object)?;
        }
        Serializer(self.writer).attempt(Writer::end_object)
    }
}
