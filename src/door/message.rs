//! One line of the input as a JSON-RPC 2.0 message, or the error it is answered with.
//!
//! Parsed by method name from the places the scanner found; nothing is buffered or tried in turn.

use std::borrow::Cow;

use serde::Serialize;

use crate::scan::{Root, Scanned};

/// The longest text id, in bytes.
const LONGEST_ID: usize = 256;

/// An id; a number and a text are never the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub(crate) enum Id {
    Signed(i64),
    Unsigned(u64),
    Text(String),
}

impl Id {
    /// The id in a JSON text, unless it is one that may not be used.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        match text.bytes().next()? {
            b'"' => serde_json::from_str(text).ok().filter(|id: &String| id.len() <= LONGEST_ID).map(Self::Text),
            b'-' | b'0'..=b'9' if !has_leading_zero(text) => {
                text.parse().map(Self::Signed).or_else(|_| text.parse().map(Self::Unsigned)).ok()
            }
            _ => None,
        }
    }
}

#[derive(Debug, PartialEq)]
pub(crate) enum Message<'m> {
    Request {
        id: Id,
        method: Cow<'m, str>,
        params: Option<&'m str>,
    },
    Notification {
        method: Cow<'m, str>,
        params: Option<&'m str>,
    },
    /// An answer to something we may have asked; an error has no result.
    Response {
        id: Option<Id>,
        result: Option<&'m str>,
    },
}

/// A JSON text that is no message, with its own id if that is known for certain.
#[derive(Debug, PartialEq)]
pub(crate) struct Malformed(pub(crate) Option<Id>);

/// The members of a JSON-RPC message.
#[derive(Default)]
struct Members<'m> {
    version: Option<&'m str>,
    id: Option<&'m str>,
    method: Option<&'m str>,
    params: Option<&'m str>,
    result: Option<&'m str>,
    answer: bool,
    failed: bool,
}

impl<'m> Message<'m> {
    /// Reads the whole of an accepted text.
    pub(crate) fn read(scanned: &Scanned<'m>) -> Result<Self, Malformed> {
        let Root::Object(places) = &scanned.root else { return Err(Malformed(None)) };
        let mut members = Members::default();
        for (name, place) in places {
            let value = Some(&scanned.text[place.clone()]);
            match &**name {
                "jsonrpc" => members.version = value,
                "id" => members.id = value,
                "method" => members.method = value,
                "params" => members.params = value,
                "result" => (members.answer, members.result) = (true, value),
                "error" => (members.answer, members.failed) = (true, true),
                _ => {}
            }
        }
        members.message()
    }
}

impl<'m> Members<'m> {
    fn message(self) -> Result<Message<'m>, Malformed> {
        let Some(method) = self.method else {
            let result = self.result.filter(|_| !self.failed && self.version == Some("\"2.0\""));
            return if self.answer {
                Ok(Message::Response { id: self.id.and_then(Id::parse), result })
            } else {
                Err(Malformed(None))
            };
        };
        let id = self.id.map(Id::parse);
        let malformed = || Malformed(if self.answer { None } else { id.clone().flatten() });
        if self.answer || self.version != Some("\"2.0\"") || self.params.is_some_and(|params| !is_structured(params)) {
            return Err(malformed());
        }
        let Some(method) = text(method) else { return Err(malformed()) };
        match id {
            None => Ok(Message::Notification { method, params: self.params }),
            Some(Some(id)) => Ok(Message::Request { id, method, params: self.params }),
            Some(None) => Err(Malformed(None)),
        }
    }
}

/// Whether an integer is written as JSON does not allow, which Rust's own parser would accept.
fn has_leading_zero(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    digits.len() > 1 && digits.starts_with('0')
}

/// What a JSON text says that is one string; nothing is copied where nothing is escaped.
pub(super) fn text(json: &str) -> Option<Cow<'_, str>> {
    let inside = json.strip_prefix('"')?.strip_suffix('"')?;
    if inside.contains('\\') { serde_json::from_str(json).ok().map(Cow::Owned) } else { Some(Cow::Borrowed(inside)) }
}

fn is_structured(json: &str) -> bool {
    json.starts_with(['{', '['])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::scan;

    fn read(text: &str) -> Result<String, Option<Id>> {
        let scanned = scan(text.as_bytes()).expect("JSON");
        Message::read(&scanned).map(|message| format!("{message:?}")).map_err(|malformed| malformed.0)
    }

    #[test]
    fn requests_notifications_and_responses_are_told_apart() {
        for (text, expected) in [
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#,
                r#"Request { id: Signed(1), method: "ping", params: None }"#,
            ),
            (
                r#"{"method":"p\u0069ng","id":"1","params":{"a":1},"jsonrpc":"2.0","x":0}"#,
                r#"Request { id: Text("1"), method: "ping", params: Some("{\"a\":1}") }"#,
            ),
            (r#"{"jsonrpc":"2.0","method":"n"}"#, r#"Notification { method: "n", params: None }"#),
            (r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, r#"Response { id: Some(Signed(1)), result: Some("{}") }"#),
            (r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{}}"#, "Response { id: Some(Signed(1)), result: None }"),
            (r#"{"id":null,"error":{}}"#, "Response { id: None, result: None }"),
        ] {
            assert_eq!(read(text).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn a_broken_request_gives_its_own_id_where_that_is_certain() {
        let one = Some(Id::Signed(1));
        for (text, id) in [
            (r#"{"id":1,"method":"ping"}"#, one.clone()),
            (r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, one.clone()),
            (r#"{"jsonrpc":2.0,"id":1,"method":"ping"}"#, one.clone()),
            (r#"{"jsonrpc":"2.0","id":1,"method":5}"#, one.clone()),
            (r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":5}"#, one),
            (r#"{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}"#, None),
            (r#"{"jsonrpc":"2.0","id":1}"#, None),
            (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, None),
            (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, None),
            (r#"{"jsonrpc":"2.0","id":1.0,"method":"ping"}"#, None),
            (r#"{"jsonrpc":"2.0","id":18446744073709551616,"method":"ping"}"#, None),
            (r#"{"jsonrpc":"2.0","id":[1],"method":"ping"}"#, None),
            ("5", None),
            ("[]", None),
        ] {
            assert_eq!(read(text).err(), Some(id), "{text}");
        }
        let long = |length| format!(r#"{{"jsonrpc":"2.0","id":"{}","method":"ping"}}"#, "x".repeat(length));
        assert!(read(&long(256)).is_ok() && read(&long(257)).is_err());
    }

    #[test]
    fn both_ends_of_the_64_bit_range_are_ids() {
        assert_eq!(Id::parse("-9223372036854775808"), Some(Id::Signed(i64::MIN)));
        assert_eq!(Id::parse("18446744073709551615"), Some(Id::Unsigned(u64::MAX)));
        assert_ne!(Id::parse("1"), Id::parse("\"1\""));
        for text in ["01", "-01", "00", "1 2", "+1", "1.0", "1e0", "", "-", "null"] {
            assert_eq!(Id::parse(text), None, "{text:?}");
        }
    }
}
