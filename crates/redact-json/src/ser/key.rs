//! Map keys: strings, characters, unit variants and integers. Everything else is refused.

use std::fmt::{self, Write as _};

use serde::{
    Serialize,
    ser::{self, Impossible},
};

use super::Serializer;
use crate::{Error, writer::Writer};

/// Writes a key. The result says whether the value under it is masked.
pub(super) struct KeySerializer<'s, 'w, const FRAMED: bool>(pub(super) &'s mut Writer<'w, FRAMED>);

impl<const FRAMED: bool> KeySerializer<'_, '_, FRAMED> {
    fn refuse<R>(self) -> Result<R, Error> {
        Serializer(self.0).attempt(|writer| Err(Error::KeyNotString { path: writer.path_of_container() }))
    }
}

macro_rules! integers {
    ($($method:ident $type:ty),*) => {
        $(fn $method(self, value: $type) -> Result<bool, Error> {
            self.serialize_str(itoa::Buffer::new().format(value))
        })*
    };
}

macro_rules! refused {
    ($($method:ident ( $($argument:ident: $type:ty),* ) -> $ok:ty;)*) => {
        $(fn $method(self $(, $argument: $type)*) -> Result<$ok, Error> {
            $(let _ = $argument;)*
            self.refuse()
        })*
    };
}

impl<const FRAMED: bool> ser::Serializer for KeySerializer<'_, '_, FRAMED> {
    type Ok = bool;
    type Error = Error;
    type SerializeSeq = Impossible<bool, Error>;
    type SerializeTuple = Impossible<bool, Error>;
    type SerializeTupleStruct = Impossible<bool, Error>;
    type SerializeTupleVariant = Impossible<bool, Error>;
    type SerializeMap = Impossible<bool, Error>;
    type SerializeStruct = Impossible<bool, Error>;
    type SerializeStructVariant = Impossible<bool, Error>;

    fn serialize_str(self, value: &str) -> Result<bool, Error> {
        Serializer(self.0).attempt(|writer| writer.key(value))
    }

    /// A key is held as a whole, so a longer one ends before it fills the memory.
    fn collect_str<T: fmt::Display + ?Sized>(self, value: &T) -> Result<bool, Error> {
        let mut text = LongKey { text: String::new(), most: self.0.most_held(), too_long: false };
        let written = write!(text, "{value}");
        Serializer(self.0).attempt(|writer| match written {
            _ if text.too_long => Err(writer.too_large()),
            Err(_) => Err(Error::Serializer { path: writer.path_of_container() }),
            Ok(()) => writer.key(&text.text),
        })
    }

    fn serialize_char(self, value: char) -> Result<bool, Error> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_unit_variant(self, _name: &'static str, _index: u32, variant: &'static str) -> Result<bool, Error> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _name: &'static str, value: &T) -> Result<bool, Error> {
        value.serialize(self)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<bool, Error> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        _variant: &'static str,
        _value: &T,
    ) -> Result<bool, Error> {
        self.refuse()
    }

    integers!(
        serialize_i8 i8, serialize_i16 i16, serialize_i32 i32, serialize_i64 i64, serialize_i128 i128,
        serialize_u8 u8, serialize_u16 u16, serialize_u32 u32, serialize_u64 u64, serialize_u128 u128
    );

    refused! {
        serialize_bool(value: bool) -> bool;
        serialize_f32(value: f32) -> bool;
        serialize_f64(value: f64) -> bool;
        serialize_bytes(value: &[u8]) -> bool;
        serialize_none() -> bool;
        serialize_unit() -> bool;
        serialize_unit_struct(name: &'static str) -> bool;
        serialize_seq(len: Option<usize>) -> Self::SerializeSeq;
        serialize_tuple(len: usize) -> Self::SerializeTuple;
        serialize_tuple_struct(name: &'static str, len: usize) -> Self::SerializeTupleStruct;
        serialize_tuple_variant(name: &'static str, index: u32, variant: &'static str, len: usize) -> Self::SerializeTupleVariant;
        serialize_map(len: Option<usize>) -> Self::SerializeMap;
        serialize_struct(name: &'static str, len: usize) -> Self::SerializeStruct;
        serialize_struct_variant(name: &'static str, index: u32, variant: &'static str, len: usize) -> Self::SerializeStructVariant;
    }
}

/// A key that is formatted, no longer than may be held.
struct LongKey {
    text: String,
    most: usize,
    too_long: bool,
}

impl fmt::Write for LongKey {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        self.too_long |= self.text.len().saturating_add(piece.len()) > self.most;
        if self.too_long {
            return Err(fmt::Error);
        }
        self.text.push_str(piece);
        Ok(())
    }
}
