//! From serde's data model to the writer.
//!
//! What `serde_json` writes for a type is written here too, but for what is not JSON: a float that is not finite and a map
//! key that is neither a string nor an integer are errors. A value that is to be masked is not even asked to serialize
//! itself.

mod compound;
mod key;
mod raw;

use std::fmt::{self, Write as _};

use serde::{Serialize, ser};

use self::compound::Compound;
use crate::{Error, budget::most_work, writer::Writer};

impl ser::Error for Error {
    /// The message may hold a value, so it is dropped. The path is filled in where it is known.
    fn custom<T: fmt::Display>(_message: T) -> Self {
        Self::Serializer { path: String::new() }
    }
}

/// Serializes one value into a writer.
pub(crate) struct Serializer<'s, 'w, const FRAMED: bool>(pub(crate) &'s mut Writer<'w, FRAMED>);

impl<'s, 'w, const FRAMED: bool> Serializer<'s, 'w, FRAMED> {
    /// Does something with the writer, and makes it remember a failure.
    #[inline]
    fn attempt<R>(self, act: impl FnOnce(&mut Writer<'w, FRAMED>) -> Result<R, Error>) -> Result<R, Error> {
        act(self.0).map_err(|error| self.0.keep(error))
    }

    fn integer(self, digits: &str) {
        self.0.number(digits);
    }

    fn object(self) -> Result<Compound<'s, 'w, FRAMED>, Error> {
        let writer = self.0;
        Serializer(&mut *writer).attempt(Writer::begin_object)?;
        Ok(Compound::new(writer))
    }

    fn array(self) -> Result<Compound<'s, 'w, FRAMED>, Error> {
        let writer = self.0;
        Serializer(&mut *writer).attempt(Writer::begin_array)?;
        Ok(Compound::new(writer))
    }

    /// `{"Variant":` and what follows; closed with `levels` brackets. Without a compound if the value is masked.
    fn variant(self, name: &'static str) -> Result<(&'s mut Writer<'w, FRAMED>, bool), Error> {
        let writer = self.0;
        let masked = Serializer(&mut *writer).attempt(|writer| {
            writer.begin_object()?;
            writer.field(name)
        })?;
        Ok((writer, masked))
    }
}

macro_rules! integers {
    ($($method:ident $type:ty),*) => {
        $(
            #[inline]
            fn $method(self, value: $type) -> Result<(), Error> {
                self.integer(itoa::Buffer::new().format(value));
                Ok(())
            }
        )*
    };
}

impl<'s, 'w, const FRAMED: bool> ser::Serializer for Serializer<'s, 'w, FRAMED> {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Compound<'s, 'w, FRAMED>;
    type SerializeTuple = Compound<'s, 'w, FRAMED>;
    type SerializeTupleStruct = Compound<'s, 'w, FRAMED>;
    type SerializeTupleVariant = Compound<'s, 'w, FRAMED>;
    type SerializeMap = Compound<'s, 'w, FRAMED>;
    type SerializeStruct = Compound<'s, 'w, FRAMED>;
    type SerializeStructVariant = Compound<'s, 'w, FRAMED>;

    integers!(
        serialize_i8 i8, serialize_i16 i16, serialize_i32 i32, serialize_i64 i64, serialize_i128 i128,
        serialize_u8 u8, serialize_u16 u16, serialize_u32 u32, serialize_u64 u64, serialize_u128 u128
    );
    /// The shortest text that is this value, in the notation of the longer type: read again, it stays as it is.
    fn serialize_f32(self, value: f32) -> Result<(), Error> {
        let read_again = || zmij::Buffer::new().format_finite(value).parse().ok();
        let value = if value.is_finite() { read_again() } else { None };
        self.serialize_f64(value.unwrap_or(f64::NAN))
    }

    fn serialize_f64(self, value: f64) -> Result<(), Error> {
        self.attempt(|writer| {
            if !value.is_finite() {
                return Err(Error::NotFinite { path: writer.path() });
            }
            writer.number(zmij::Buffer::new().format_finite(value));
            Ok(())
        })
    }

    #[inline]
    fn serialize_bool(self, value: bool) -> Result<(), Error> {
        self.0.literal(if value { "true" } else { "false" });
        Ok(())
    }

    fn serialize_char(self, value: char) -> Result<(), Error> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    #[inline]
    fn serialize_str(self, value: &str) -> Result<(), Error> {
        self.attempt(|writer| writer.string(value))
    }

    /// The text is never put together as a whole if it is long.
    fn collect_str<T: fmt::Display + ?Sized>(self, value: &T) -> Result<(), Error> {
        self.attempt(|writer| {
            let mut text = Display { left: most_work(writer.limit()), writer: &mut *writer, failed: None };
            let written = write!(text, "{value}");
            match (text.failed, written) {
                (Some(error), _) => Err(error),
                (None, Err(_)) => Err(Error::Serializer { path: writer.path() }),
                (None, Ok(())) => writer.end_string(),
            }
        })
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<(), Error> {
        self.collect_seq(value)
    }

    #[inline]
    fn serialize_none(self) -> Result<(), Error> {
        self.serialize_unit()
    }

    #[inline]
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    #[inline]
    fn serialize_unit(self) -> Result<(), Error> {
        self.0.literal("null");
        Ok(())
    }

    fn serialize_unit_struct(self, _name: &'static str) -> Result<(), Error> {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _name: &'static str, _index: u32, variant: &'static str) -> Result<(), Error> {
        self.serialize_str(variant)
    }

    #[inline]
    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _name: &'static str, value: &T) -> Result<(), Error> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        let (writer, masked) = self.variant(variant)?;
        if !masked {
            value.serialize(Serializer(&mut *writer))?;
        }
        Serializer(writer).attempt(Writer::end_object)
    }

    fn serialize_seq(self, _len: Option<usize>) -> Result<Self::SerializeSeq, Error> {
        self.array()
    }

    fn serialize_tuple(self, _len: usize) -> Result<Self::SerializeTuple, Error> {
        self.array()
    }

    fn serialize_tuple_struct(self, _name: &'static str, _len: usize) -> Result<Self::SerializeTupleStruct, Error> {
        self.array()
    }

    fn serialize_tuple_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        _len: usize,
    ) -> Result<Self::SerializeTupleVariant, Error> {
        let (writer, masked) = self.variant(variant)?;
        if masked {
            return Ok(Compound::masked(writer));
        }
        Serializer(writer).array()
    }

    fn serialize_map(self, _len: Option<usize>) -> Result<Self::SerializeMap, Error> {
        self.object()
    }

    #[inline]
    fn serialize_struct(self, name: &'static str, _len: usize) -> Result<Self::SerializeStruct, Error> {
        if raw::is_raw(name) { Ok(Compound::raw(self.0)) } else { self.object() }
    }

    fn serialize_struct_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        _len: usize,
    ) -> Result<Self::SerializeStructVariant, Error> {
        let (writer, masked) = self.variant(variant)?;
        if masked {
            return Ok(Compound::masked(writer));
        }
        Serializer(writer).object()
    }
}

/// Text that is formatted into a string value.
struct Display<'d, 'w, const FRAMED: bool> {
    writer: &'d mut Writer<'w, FRAMED>,
    failed: Option<Error>,
    /// Bytes that may still come; what is masked does not count against the budget.
    left: usize,
}

impl<const FRAMED: bool> fmt::Write for Display<'_, '_, FRAMED> {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        let written = match self.left.checked_sub(piece.len()) {
            Some(left) => {
                self.left = left;
                self.writer.string_piece(piece)
            }
            None => Err(self.writer.too_large()),
        };
        written.map_err(|error| {
            self.failed.get_or_insert(error);
            fmt::Error
        })
    }
}
