#![doc = include_str!("../README.md")]

mod budget;
mod error;
mod mask;
mod rules;
mod ser;
mod sink;
mod text;
mod transcode;
mod writer;

use std::io::Read;

use serde::Serialize;

pub use budget::Budget;
pub use error::{Error, Reason};
pub use rules::{Rules, RulesBuilder, RulesError, Skipped, Why};
pub use sink::Sink;
pub use text::{TextMasker, redact_text};

use writer::Writer;

/// What stands where something was masked. In text as it is, in JSON as a string.
pub const MASK: &str = "[REDACTED]";

/// The canonical, redacted text of a value.
///
/// Object keys are sorted by code point at every depth, wherever they come from; no white space; integers exact, floats
/// as the shortest text that reads back the same, strings with no more escapes than they need. The same value gives the
/// same text, and redacting the text again changes nothing.
///
/// # Errors
///
/// [`Error`], with the place of the offender where there is one. What is masked by its key or its place is not serialized
/// at all, so nothing in it is an error.
pub fn to_string<T: Serialize + ?Sized>(value: &T, rules: &Rules, budget: Budget) -> Result<String, Error> {
    let mut text = String::new();
    write(value, rules, budget, Sink::Plain(&mut text))?;
    Ok(text)
}

/// The same as [`to_string`], appended to a sink.
///
/// # Errors
///
/// [`Error`]; the sink is then as it was before.
pub fn write<T: Serialize + ?Sized>(value: &T, rules: &Rules, budget: Budget, sink: Sink<'_>) -> Result<(), Error> {
    fn go<T: Serialize + ?Sized, const FRAMED: bool>(value: &T, mut writer: Writer<'_, FRAMED>) -> Result<(), Error> {
        let written = if writer.root() { Ok(()) } else { value.serialize(ser::Serializer(&mut writer)) };
        writer.finish(written)
    }
    match sink {
        Sink::Plain(text) => go(value, Writer::<false>::new(text, rules, budget)),
        Sink::Escaped(text) => go(value, Writer::<true>::new(text, rules, budget)),
    }
}

/// The canonical, redacted text of a JSON text, read as it arrives; the same text that [`to_string`] makes of the value.
///
/// Integers stay exact whatever their size; other numbers become the shortest float that reads back the same.
///
/// # Errors
///
/// [`Error`]. The text must be exactly one JSON value by RFC 8259 in UTF-8, without lone surrogates, without a key twice
/// in one object, without numbers of more than 4096 bytes or beyond the range of `f64`. All of it is checked, also what
/// is masked, but for keys that are there twice inside a masked value.
pub fn transcode(json: impl Read, rules: &Rules, budget: Budget) -> Result<String, Error> {
    let mut text = String::new();
    transcode_into(json, rules, budget, Sink::Plain(&mut text))?;
    Ok(text)
}

/// The same as [`transcode`], appended to a sink.
///
/// # Errors
///
/// [`Error`]; the sink is then as it was before. The reader may have been read further than the error.
pub fn transcode_into(json: impl Read, rules: &Rules, budget: Budget, sink: Sink<'_>) -> Result<(), Error> {
    fn go<const FRAMED: bool>(json: impl Read, mut writer: Writer<'_, FRAMED>) -> Result<(), Error> {
        let masked = writer.root();
        let written = transcode::value(json, &mut writer, masked);
        writer.finish(written)
    }
    match sink {
        Sink::Plain(text) => go(json, Writer::<false>::new(text, rules, budget)),
        Sink::Escaped(text) => go(json, Writer::<true>::new(text, rules, budget)),
    }
}
