//! Values of `serde_json` that are text already: `RawValue`, and `Number` where arbitrary precision is on. They announce
//! themselves as a struct of a private name with one field. Their text is read like any other.

use serde::{
    Serialize,
    ser::{self, Impossible},
};

use super::Serializer;
use crate::{Error, transcode, writer::Writer};

/// Whether a struct of this name stands for the text of its one field.
#[inline]
pub(super) fn is_raw(name: &str) -> bool {
    matches!(name, "$serde_json::private::RawValue" | "$serde_json::private::Number")
}

/// Takes the text of such a field.
pub(super) struct RawSerializer<'s, 'w, const FRAMED: bool>(pub(super) &'s mut Writer<'w, FRAMED>);

impl<const FRAMED: bool> RawSerializer<'_, '_, FRAMED> {
    fn refuse<R>(self) -> Result<R, Error> {
        Serializer(self.0).attempt(|writer| Err(Error::Serializer { path: writer.path() }))
    }
}

macro_rules! refused {
    ($($method:ident ( $($argument:ident: $type:ty),* ) -> $ok:ty;)*) => {
        $(fn $method(self $(, $argument: $type)*) -> Result<$ok, Error> {
            $(let _ = $argument;)*
            self.refuse()
        })*
    };
}

impl<const FRAMED: bool> ser::Serializer for RawSerializer<'_, '_, FRAMED> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Impossible<(), Error>;
    type SerializeTuple = Impossible<(), Error>;
    type SerializeTupleStruct = Impossible<(), Error>;
    type SerializeTupleVariant = Impossible<(), Error>;
    type SerializeMap = Impossible<(), Error>;
    type SerializeStruct = Impossible<(), Error>;
    type SerializeStructVariant = Impossible<(), Error>;

    fn serialize_str(self, text: &str) -> Result<(), Error> {
        Serializer(self.0).attempt(|writer| transcode::fragment(text, writer))
    }

    fn serialize_some<T: Serialize + ?Sized>(self, _value: &T) -> Result<(), Error> {
        self.refuse()
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _name: &'static str, _value: &T) -> Result<(), Error> {
        self.refuse()
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        _variant: &'static str,
        _value: &T,
    ) -> Result<(), Error> {
        self.refuse()
    }

    refused! {
        serialize_bool(value: bool) -> ();
        serialize_i8(value: i8) -> ();
        serialize_i16(value: i16) -> ();
        serialize_i32(value: i32) -> ();
        serialize_i64(value: i64) -> ();
        serialize_u8(value: u8) -> ();
        serialize_u16(value: u16) -> ();
        serialize_u32(value: u32) -> ();
        serialize_u64(value: u64) -> ();
        serialize_f32(value: f32) -> ();
        serialize_f64(value: f64) -> ();
        serialize_char(value: char) -> ();
        serialize_bytes(value: &[u8]) -> ();
        serialize_none() -> ();
        serialize_unit() -> ();
        serialize_unit_struct(name: &'static str) -> ();
        serialize_unit_variant(name: &'static str, index: u32, variant: &'static str) -> ();
        serialize_seq(len: Option<usize>) -> Self::SerializeSeq;
        serialize_tuple(len: usize) -> Self::SerializeTuple;
        serialize_tuple_struct(name: &'static str, len: usize) -> Self::SerializeTupleStruct;
        serialize_tuple_variant(name: &'static str, index: u32, variant: &'static str, len: usize) -> Self::SerializeTupleVariant;
        serialize_map(len: Option<usize>) -> Self::SerializeMap;
        serialize_struct(name: &'static str, len: usize) -> Self::SerializeStruct;
        serialize_struct_variant(name: &'static str, index: u32, variant: &'static str, len: usize) -> Self::SerializeStructVariant;
    }
}
