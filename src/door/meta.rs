//! What a request says of itself in `params._meta`, and which revision that makes it one of.
//!
//! Invariant: read anew from each request; nothing is inferred from an earlier one.
//! Source: specification 2026-07-28, pages `basic`, `basic/versioning`, `basic/patterns/progress`, `server/utilities/logging`.

use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

use super::reply::{INVALID_PARAMS, RpcError, UNSUPPORTED_PROTOCOL_VERSION};
use super::revision::Revision;

/// The levels a client may ask log messages of. None are sent: logging is deprecated, and standard error has ours.
const LEVELS: [&str; 8] = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Meta {
    #[serde(rename = "io.modelcontextprotocol/protocolVersion", deserialize_with = "present")]
    version: Option<Value>,
    #[serde(rename = "io.modelcontextprotocol/clientCapabilities", deserialize_with = "present")]
    pub(super) capabilities: Option<Value>,
    #[serde(rename = "io.modelcontextprotocol/clientInfo", deserialize_with = "present")]
    client: Option<Value>,
    #[serde(rename = "io.modelcontextprotocol/logLevel", deserialize_with = "present")]
    log_level: Option<Value>,
    #[serde(rename = "progressToken")]
    progress_token: Option<Value>,
}

/// A member that is there, also if it is null.
pub(super) fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

impl Meta {
    /// The stateless revision of a request, or `None` if it does not say that it is of one.
    pub(super) fn stateless(&self) -> Result<Option<Revision>, RpcError> {
        let said = [&self.version, &self.capabilities, &self.client, &self.log_level];
        if said.iter().all(|member| member.is_none()) {
            return Ok(None);
        }
        let Some(Value::String(name)) = &self.version else {
            return Err(malformed(
                "Invalid params: params._meta lacks io.modelcontextprotocol/protocolVersion, or it is no text",
            ));
        };
        let revision = Revision::stateless(name).ok_or_else(|| unsupported(name))?;
        if !self.capabilities.as_ref().is_some_and(Value::is_object) {
            return Err(malformed(
                "Invalid params: params._meta lacks io.modelcontextprotocol/clientCapabilities, or it is no object",
            ));
        }
        if self.client.as_ref().is_some_and(|client| !is_implementation(client)) {
            return Err(malformed("Invalid params: io.modelcontextprotocol/clientInfo is no name and version"));
        }
        let is_level = |level: &Value| level.as_str().is_some_and(|level| LEVELS.contains(&level));
        if self.log_level.as_ref().is_some_and(|level| !is_level(level)) {
            return Err(malformed("Invalid params: io.modelcontextprotocol/logLevel is no log level"));
        }
        Ok(Some(revision))
    }

    /// The progress token as JSON text, to be given back as it came.
    pub(super) fn progress_token(&self) -> Result<Option<String>, RpcError> {
        let is_token = |token: &Value| token.is_string() || token.is_i64() || token.is_u64();
        match &self.progress_token {
            None => Ok(None),
            Some(token) if is_token(token) => Ok(Some(token.to_string())),
            Some(_) => Err(malformed("Invalid params: progressToken is neither a text nor an integer")),
        }
    }
}

fn is_implementation(client: &Value) -> bool {
    client.is_object() && client["name"].is_string() && client["version"].is_string()
}

fn malformed(message: &'static str) -> RpcError {
    RpcError::new(INVALID_PARAMS, message)
}

/// What a client can use instead: not what it just named, where that takes a handshake.
fn unsupported(name: &str) -> RpcError {
    let is_known = Revision::names().contains(&name);
    let usable = |revision: &Revision| !is_known || revision.is_stateless();
    let supported: Vec<&str> = Revision::ALL.into_iter().filter(usable).map(Revision::name).collect();
    RpcError::new(UNSUPPORTED_PROTOCOL_VERSION, "Unsupported protocol version")
        .with_data(json!({ "supported": supported, "requested": name }))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PREFIX: &str = "io.modelcontextprotocol/";

    fn meta(members: &Value) -> Meta {
        let members = members.as_object().expect("an object");
        let named = |name: &String| if name == "progressToken" { name.clone() } else { format!("{PREFIX}{name}") };
        let meta: serde_json::Map<String, Value> =
            members.iter().map(|(name, value)| (named(name), value.clone())).collect();
        serde_json::from_value(meta.into()).expect("metadata")
    }

    #[test]
    fn a_request_is_stateless_if_it_says_anything_that_only_such_a_request_says() {
        assert_eq!(meta(&json!({})).stateless(), Ok(None));
        assert_eq!(meta(&json!({"progressToken": 1})).stateless(), Ok(None));
        let version = "2026-07-28";
        for (members, code) in [
            (json!({"protocolVersion": version, "clientCapabilities": {}}), None),
            (json!({"protocolVersion": version, "clientCapabilities": {}, "logLevel": "debug"}), None),
            (
                json!({"protocolVersion": version, "clientCapabilities": {}, "clientInfo": {"name": "a", "version": "1"}}),
                None,
            ),
            (json!({"protocolVersion": version}), Some(INVALID_PARAMS)),
            (json!({"protocolVersion": version, "clientCapabilities": null}), Some(INVALID_PARAMS)),
            (json!({"protocolVersion": version, "clientCapabilities": []}), Some(INVALID_PARAMS)),
            (json!({"protocolVersion": null, "clientCapabilities": {}}), Some(INVALID_PARAMS)),
            (json!({"protocolVersion": 20_260_728, "clientCapabilities": {}}), Some(INVALID_PARAMS)),
            (json!({"clientCapabilities": {}}), Some(INVALID_PARAMS)),
            (json!({"clientInfo": {"name": "a", "version": "1"}}), Some(INVALID_PARAMS)),
            (json!({"logLevel": "debug"}), Some(INVALID_PARAMS)),
            (json!({"protocolVersion": version, "clientCapabilities": {}, "clientInfo": "me"}), Some(INVALID_PARAMS)),
            (
                json!({"protocolVersion": version, "clientCapabilities": {}, "clientInfo": {"name": "a"}}),
                Some(INVALID_PARAMS),
            ),
            (json!({"protocolVersion": version, "clientCapabilities": {}, "logLevel": "loud"}), Some(INVALID_PARAMS)),
            (json!({"protocolVersion": "2099-01-01", "clientCapabilities": {}}), Some(UNSUPPORTED_PROTOCOL_VERSION)),
            (json!({"protocolVersion": "2025-11-25", "clientCapabilities": {}}), Some(UNSUPPORTED_PROTOCOL_VERSION)),
        ] {
            let said = meta(&members).stateless();
            assert_eq!(said.err().map(|error| error.code), code, "{members}");
        }
    }

    #[test]
    fn a_revision_with_a_handshake_is_not_offered_to_who_named_it_without_one() {
        let supported = |name| unsupported(name).data.expect("data")["supported"].clone();
        assert_eq!(supported("2025-11-25"), json!(["2026-07-28"]));
        assert_eq!(supported("2099-01-01"), json!(Revision::names()));
    }

    #[test]
    fn tokens_are_texts_and_integers() {
        for (token, expected) in [
            (json!("a\"b"), Ok(Some(r#""a\"b""#.to_owned()))),
            (json!(7), Ok(Some("7".to_owned()))),
            (json!(null), Ok(None)),
            (json!(1.5), Err(INVALID_PARAMS)),
            (json!({}), Err(INVALID_PARAMS)),
            (json!(true), Err(INVALID_PARAMS)),
        ] {
            let read = meta(&json!({ "progressToken": token })).progress_token();
            assert_eq!(read.map_err(|error| error.code), expected, "{token}");
        }
    }
}
