//! Why a value or a text cannot be written.
//!
//! Nothing in here holds a value. Paths are JSON Pointers whose keys went through redaction, with control characters
//! replaced and long keys cut.

use std::io;

/// Why nothing was written. The sink is as it was before the call.
///
/// `Display` and `Debug` never show a value, but `Debug` of [`Error::Read`] what the reader says. Paths are JSON Pointers to the offender (empty = the whole value); a key in
/// them is shown redacted, without control characters, and cut after 64 characters.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// NaN, an infinity, or a number in text that is too large for any type.
    #[error("the number at `{path}` is not finite")]
    NotFinite {
        /// Where it is.
        path: String,
    },
    /// A map key that is neither a string nor an integer.
    #[error("a key of the map at `{path}` is neither a string nor an integer")]
    KeyNotString {
        /// The map.
        path: String,
    },
    /// More levels of arrays and objects than the budget allows.
    #[error("the value at `{path}` is nested deeper than {limit} levels")]
    TooDeep {
        /// The first container that is too deep.
        path: String,
        /// The budget's bound.
        limit: usize,
    },
    /// More text than the budget allows, or a key that is too long to be held until it is masked: more than the budget and
    /// more than 64 KiB.
    #[error("the text is longer than {limit} bytes")]
    TooLarge {
        /// The budget's bound.
        limit: usize,
    },
    /// Text that is not exactly one JSON value.
    #[error("not valid JSON at byte {offset}: {reason}")]
    InvalidText {
        /// Bytes before the offender, from the beginning of the text.
        offset: u64,
        /// What is wrong there.
        reason: Reason,
    },
    /// An object that has the same key twice, or masked keys that no number tells apart without completing a secret.
    #[error("the key at `{path}` is there twice")]
    DuplicateKey {
        /// The second of the two.
        path: String,
    },
    /// A `Serialize` implementation that reports a failure or breaks serde's rules. Its own message may hold values and
    /// is dropped.
    #[error("the value at `{path}` cannot be serialized")]
    Serializer {
        /// Where it happened.
        path: String,
    },
    /// The reader failed.
    #[error("cannot read the text")]
    Read(#[source] io::Error),
}

/// What makes a text invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Reason {
    /// The text ends inside a value, or there is none.
    #[error("the text ends too early")]
    End,
    /// A byte that cannot stand here.
    #[error("this byte cannot stand here")]
    Unexpected,
    /// Something after the value that is not white space.
    #[error("something follows the value")]
    Trailing,
    /// Bytes that are not UTF-8.
    #[error("not UTF-8")]
    Utf8,
    /// A control character inside a string.
    #[error("a control character in a string")]
    Control,
    /// A backslash followed by something unknown.
    #[error("an unknown escape")]
    Escape,
    /// Half of a surrogate pair.
    #[error("half of a surrogate pair")]
    Surrogate,
    /// A malformed number.
    #[error("a malformed number")]
    Number,
    /// A number of more than 4096 bytes.
    #[error("a number of more than 4096 bytes")]
    LongNumber,
}
