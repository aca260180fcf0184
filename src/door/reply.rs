//! The frames that are written: one JSON-RPC message, one line.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::message::Id;
use super::revision::Revision;
use crate::catalog::canonical;

pub(crate) const PARSE_ERROR: i32 = -32700;
pub(crate) const INVALID_REQUEST: i32 = -32600;
pub(crate) const METHOD_NOT_FOUND: i32 = -32601;
pub(crate) const INVALID_PARAMS: i32 = -32602;
/// Source: specification 2026-07-28, `basic`.
pub(crate) const MISSING_CLIENT_CAPABILITY: i32 = -32021;
/// Source: specification 2026-07-28, `basic/versioning`.
pub(crate) const UNSUPPORTED_PROTOCOL_VERSION: i32 = -32022;

/// A JSON-RPC error.
#[derive(Debug, PartialEq)]
pub(crate) struct RpcError {
    pub(crate) code: i32,
    pub(crate) message: &'static str,
    pub(crate) data: Option<Value>,
}

impl RpcError {
    pub(crate) fn new(code: i32, message: &'static str) -> Self {
        Self { code, message, data: None }
    }

    pub(crate) fn with_data(mut self, data: Value) -> Self {
        self.data = Some(data);
        self
    }
}

/// A successful answer whose result is JSON text.
pub(crate) fn result(id: &Id, result: &str) -> Vec<u8> {
    let mut frame = String::with_capacity(result.len() + 64);
    frame.push_str(r#"{"jsonrpc":"2.0","id":"#);
    push_id(&mut frame, id);
    frame.push_str(r#","result":"#);
    frame.push_str(result);
    frame.push_str("}\n");
    frame.into_bytes()
}

/// An error; without an id it carries a null one, or none, as `null_id` says.
pub(crate) fn error(id: Option<&Id>, null_id: bool, error: &RpcError) -> Vec<u8> {
    let mut body = json!({ "code": error.code, "message": error.message });
    if let Some(data) = &error.data {
        body["data"] = data.clone();
    }
    let mut frame = String::from(r#"{"jsonrpc":"2.0","#);
    if let Some(id) = id {
        frame.push_str(r#""id":"#);
        push_id(&mut frame, id);
        frame.push(',');
    } else if null_id {
        frame.push_str(r#""id":null,"#);
    }
    frame.push_str(r#""error":"#);
    frame.push_str(&canonical(&body));
    frame.push_str("}\n");
    frame.into_bytes()
}

/// The answer to tools/call: exactly one text block, already escaped, and perhaps the same as a value.
pub(crate) fn tool_result(
    id: &Id,
    revision: Revision,
    escaped_text: &str,
    structured: Option<&str>,
    is_error: bool,
) -> Vec<u8> {
    let mut frame = String::with_capacity(escaped_text.len() + structured.map_or(0, str::len) + 256);
    frame.push_str(r#"{"jsonrpc":"2.0","id":"#);
    push_id(&mut frame, id);
    frame.push_str(r#","result":{"#);
    if revision.is_stateless() {
        frame.push_str(r#""_meta":"#);
        frame.push_str(revision.identity_text());
        frame.push_str(r#","resultType":"complete","#);
    }
    frame.push_str(r#""content":[{"type":"text","text":""#);
    frame.push_str(escaped_text);
    frame.push_str(if is_error { r#""}],"isError":true"# } else { r#""}],"isError":false"# });
    match structured {
        // Before 2026-07-28 it is an object.
        Some(value) if revision.is_stateless() || value.starts_with('{') => {
            frame.push_str(r#","structuredContent":"#);
            frame.push_str(value);
        }
        Some(value) => {
            frame.push_str(r#","structuredContent":{"result":"#);
            frame.push_str(value);
            frame.push('}');
        }
        None => {}
    }
    frame.push_str("}}\n");
    frame.into_bytes()
}

/// A progress notification; `token` is the client's own, as JSON text.
pub(crate) fn progress(token: &str, progress: u64) -> Vec<u8> {
    format!(
        "{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{{\"progressToken\":{token},\"progress\":{progress}}}}}\n"
    )
    .into_bytes()
}

fn push_id(frame: &mut String, id: &Id) {
    match id {
        Id::Signed(number) => _ = write!(frame, "{number}"),
        Id::Unsigned(number) => _ = write!(frame, "{number}"),
        Id::Text(text) => frame.push_str(&Value::from(text.as_str()).to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(frame: Vec<u8>) -> String {
        String::from_utf8(frame).expect("UTF-8")
    }

    #[test]
    fn frames_are_one_line_of_json() {
        let id = Id::Text("a\n\"b".to_owned());
        for frame in [
            result(&id, "{}"),
            error(Some(&id), false, &RpcError::new(PARSE_ERROR, "x")),
            tool_result(&id, Revision::V2026_07_28, "{\\\"a\\\":1}", Some("[1]"), false),
            tool_result(&id, Revision::V2025_06_18, "1", Some("1"), true),
            progress("\"t\"", 3),
        ] {
            let frame = text(frame);
            assert_eq!(frame.find('\n'), Some(frame.len() - 1), "{frame}");
            assert!(serde_json::from_str::<Value>(&frame).is_ok(), "{frame}");
        }
    }

    #[test]
    fn an_unknown_id_is_null_or_absent() {
        let unread = RpcError::new(PARSE_ERROR, "x");
        assert_eq!(
            text(error(None, true, &unread)),
            "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,\"message\":\"x\"}}\n"
        );
        assert_eq!(
            text(error(None, false, &unread)),
            "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700,\"message\":\"x\"}}\n"
        );
    }
}
