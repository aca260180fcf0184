//! The messages a client sends, as values. Ids are anything that becomes a JSON value: `1`, `"a"`.

use serde_json::{Value, json};

/// The stateless revision.
pub const STATELESS: &str = "2026-07-28";

/// The revisions with a handshake, oldest first.
pub const HANDSHAKE: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/// Messages as lines, to be sent in one write.
#[must_use]
pub fn lines(messages: impl IntoIterator<Item = Value>) -> String {
    messages.into_iter().fold(String::new(), |mut lines, message| {
        lines.push_str(&message.to_string());
        lines.push('\n');
        lines
    })
}

/// A request.
#[must_use]
pub fn request(id: impl Into<Value>, method: &str, params: Value) -> Value {
    let mut message = json!({"jsonrpc": "2.0", "id": id.into(), "method": method});
    if !params.is_null() {
        message["params"] = params;
    }
    message
}

/// A notification.
#[must_use]
pub fn notification(method: &str, params: Value) -> Value {
    let mut message = json!({"jsonrpc": "2.0", "method": method});
    if !params.is_null() {
        message["params"] = params;
    }
    message
}

/// `initialize` for one revision, by a client without capabilities.
#[must_use]
pub fn initialize(id: impl Into<Value>, revision: &str) -> Value {
    request(
        id,
        "initialize",
        json!({
            "protocolVersion": revision,
            "capabilities": {},
            "clientInfo": {"name": "test-host", "version": "0"},
        }),
    )
}

/// `ping`.
#[must_use]
pub fn ping(id: impl Into<Value>) -> Value {
    request(id, "ping", Value::Null)
}

/// `tools/list`.
#[must_use]
pub fn list(id: impl Into<Value>) -> Value {
    request(id, "tools/list", json!({}))
}

/// `tools/call`.
#[must_use]
pub fn call(id: impl Into<Value>, tool: &str, arguments: &Value) -> Value {
    request(id, "tools/call", json!({"name": tool, "arguments": arguments}))
}

/// `notifications/cancelled` for a request.
#[must_use]
pub fn cancel(id: impl Into<Value>) -> Value {
    notification("notifications/cancelled", json!({"requestId": id.into()}))
}

/// A request of [`STATELESS`], with the `_meta` that it demands; params that are null become `{"_meta": ..}`.
///
/// # Panics
///
/// If params are neither an object nor null.
#[must_use]
pub fn stateless(id: impl Into<Value>, method: &str, params: Value) -> Value {
    let mut params = if params.is_null() { json!({}) } else { params };
    assert!(params.is_object(), "params are an object");
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": STATELESS,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "test-host", "version": "0"},
    });
    request(id, method, params)
}
