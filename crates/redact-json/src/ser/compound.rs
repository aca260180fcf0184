//! Arrays, objects, and values that stand for text that is JSON already.

use serde::{Serialize, ser};

use super::{Serializer, key::KeySerializer, raw::RawSerializer};
use crate::{Error, writer::Writer};

/// An open container of serde's data model.
pub(crate) struct Compound<'s, 'w, const FRAMED: bool> {
    writer: &'s mut Writer<'w, FRAMED>,
    kind: Kind,
    /// Whether the value of the key that was just written is masked.
    value_is_masked: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Open,
    /// The content of an enum variant that is masked as a whole.
    Masked,
    /// One field, whose text is JSON.
    Raw,
}

impl<'s, 'w, const FRAMED: bool> Compound<'s, 'w, FRAMED> {
    pub(super) fn new(writer: &'s mut Writer<'w, FRAMED>) -> Self {
        Self { writer, kind: Kind::Open, value_is_masked: false }
    }

    pub(super) fn masked(writer: &'s mut Writer<'w, FRAMED>) -> Self {
        Self { writer, kind: Kind::Masked, value_is_masked: false }
    }

    pub(super) fn raw(writer: &'s mut Writer<'w, FRAMED>) -> Self {
        Self { writer, kind: Kind::Raw, value_is_masked: false }
    }

    #[inline]
    fn item<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        if self.kind == Kind::Masked || Serializer(&mut *self.writer).attempt(Writer::item)? {
            return Ok(());
        }
        value.serialize(Serializer(&mut *self.writer))
    }

    #[inline]
    fn entry<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<(), Error> {
        match self.kind {
            Kind::Open => {
                if Serializer(&mut *self.writer).attempt(|writer| writer.field(key))? {
                    return Ok(());
                }
                value.serialize(Serializer(&mut *self.writer))
            }
            Kind::Masked => Ok(()),
            Kind::Raw => value.serialize(RawSerializer(&mut *self.writer)),
        }
    }

    fn end_array(self) -> Result<(), Error> {
        if self.kind == Kind::Open {
            Serializer(self.writer).attempt(|writer| {
                writer.end_array();
                Ok(())
            })?;
        }
        Ok(())
    }

    fn end_object(self) -> Result<(), Error> {
        if self.kind == Kind::Open { Serializer(self.writer).attempt(Writer::end_object) } else { Ok(()) }
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

    fn end(mut self) -> Result<(), Error> {
        if self.kind == Kind::Open {
            self.writer.end_array();
            self.kind = Kind::Open;
        }
        Serializer(self.writer).attempt(Writer::end_object)
    }
}

impl<const FRAMED: bool> ser::SerializeMap for Compound<'_, '_, FRAMED> {
    type Ok = ();
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Error> {
        self.value_is_masked = key.serialize(KeySerializer(&mut *self.writer))?;
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        if self.value_is_masked { Ok(()) } else { value.serialize(Serializer(&mut *self.writer)) }
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
