//! What a session asked, and whether each frame that comes back is, by MCP's own schema, an answer to it in the revision it
//! was asked in.

use std::collections::HashMap;

use serde_json::Value;

use crate::frame::Frame;
use crate::message::STATELESS;
use crate::specified::validate;

/// Longer lines are neither read nor validated: the same frames exist in short.
const LONGEST: usize = 100_000;

/// What a request of the stateless revision says of itself, at least in part.
const STATELESS_MEMBERS: [&str; 4] = ["protocolVersion", "clientCapabilities", "clientInfo", "logLevel"];

#[derive(Debug, Default)]
pub(crate) struct Asked {
    /// The end of what was sent, as far as it is no whole line.
    rest: Vec<u8>,
    /// By id: a test may use one twice.
    requests: HashMap<String, Vec<Request>>,
    /// The revision of the handshake, once it was answered.
    handshake: Option<String>,
}

#[derive(Clone, Debug)]
struct Request {
    method: String,
    is_stateless: bool,
}

impl Asked {
    /// Notes what was sent, in whatever pieces.
    pub(crate) fn sent(&mut self, bytes: &[u8]) {
        let mut pieces = bytes.split(|byte| *byte == b'\n').peekable();
        while let Some(piece) = pieces.next() {
            if self.rest.len() <= LONGEST {
                self.rest.extend_from_slice(piece);
            }
            if pieces.peek().is_none() {
                break;
            }
            let line = std::mem::take(&mut self.rest);
            if line.len() <= LONGEST
                && let Ok(message) = serde_json::from_slice(line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&line))
            {
                self.note(&message);
            }
        }
    }

    fn note(&mut self, message: &Value) {
        if let Some(batch) = message.as_array() {
            for message in batch {
                self.note(message);
            }
        }
        let (Some(id), Some(method)) = (message.get("id"), message["method"].as_str()) else { return };
        let meta = &message["params"]["_meta"];
        let says = |member: &&str| meta.get(format!("io.modelcontextprotocol/{member}")).is_some();
        let request = Request { method: method.to_owned(), is_stateless: STATELESS_MEMBERS.iter().any(says) };
        let same_id = self.requests.entry(id.to_string()).or_default();
        if !same_id.iter().any(|other| other.method == method && other.is_stateless == request.is_stateless) {
            same_id.push(request);
        }
    }

    /// Validates a frame that came back.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub(crate) fn check(&mut self, frame: &Frame) -> Result<(), String> {
        if frame.bytes.len() > LONGEST {
            return Ok(());
        }
        if frame.message.is_array() {
            validate("2025-03-26", "JSONRPCBatchResponse", &exempted(&frame.message))?;
        }
        let messages = frame.message.as_array().map_or(std::slice::from_ref(&frame.message), Vec::as_slice);
        messages.iter().try_for_each(|message| self.message(message))
    }

    fn message(&mut self, message: &Value) -> Result<(), String> {
        match message.get("id") {
            _ if has_unread_id(message) => validate("2025-11-25", "JSONRPCErrorResponse", &without_id(message)),
            Some(id) if message.get("method").is_none() => self.response(id, message),
            Some(_) => self.request(message),
            None => validate(self.handshake(), "ServerNotification", message),
        }
    }

    /// Only clients of a handshake are asked.
    fn request(&self, message: &Value) -> Result<(), String> {
        match &self.handshake {
            Some(revision) => validate(revision, "ServerRequest", message),
            None => Err("a request to a client without a handshake".into()),
        }
    }

    fn response(&mut self, id: &Value, message: &Value) -> Result<(), String> {
        let candidates = self.requests.get(&id.to_string()).cloned().unwrap_or_default();
        if candidates.is_empty() {
            // The line with that id was too long, or no JSON.
            return validate(self.handshake(), "JSONRPCMessage", message);
        }
        let mut verdict = Ok(());
        for request in &candidates {
            verdict = self.answer(request, message);
            if verdict.is_ok() {
                break;
            }
        }
        let version = message["result"]["protocolVersion"].as_str();
        if let Some(version) = version.filter(|_| candidates.iter().any(|request| request.method == "initialize")) {
            self.handshake = Some(version.to_owned());
        }
        verdict
    }

    fn answer(&self, request: &Request, message: &Value) -> Result<(), String> {
        let result = &message["result"];
        let revision = match (request.is_stateless, result["protocolVersion"].as_str()) {
            (true, _) => STATELESS,
            (false, Some(version)) if request.method == "initialize" => version,
            (false, _) => self.handshake(),
        };
        if let Some(error) = message.get("error") {
            return error_is_specified(revision, error, message);
        }
        validate(revision, result_definition(revision), message)?;
        if request.is_stateless {
            let server = &result["_meta"]["io.modelcontextprotocol/serverInfo"];
            validate(revision, "Implementation", server)?;
        } else {
            knows_no_later_member(revision, result)?;
        }
        let definition = match request.method.as_str() {
            "initialize" => "InitializeResult",
            "server/discover" => "DiscoverResult",
            "tools/list" => "ListToolsResult",
            "tools/call" if result["resultType"] == "input_required" => "InputRequiredResult",
            "tools/call" => "CallToolResult",
            "ping" if !request.is_stateless => "EmptyResult",
            method => return Err(format!("a result of {method}")),
        };
        validate(revision, definition, result)
    }

    /// The revision of the handshake, or that which any server may be asked in.
    fn handshake(&self) -> &str {
        self.handshake.as_deref().unwrap_or("2025-11-25")
    }
}

/// The one exemption: an error whose id could not be read. JSON-RPC 2.0 wants a null id there, which the schemas before
/// 2025-11-25 have forgotten.
fn has_unread_id(message: &Value) -> bool {
    message.get("error").is_some() && message.get("id").is_none_or(Value::is_null)
}

fn without_id(message: &Value) -> Value {
    let mut message = message.clone();
    if let Some(members) = message.as_object_mut() {
        members.remove("id");
    }
    message
}

/// A batch without the messages that are exempt.
fn exempted(batch: &Value) -> Value {
    batch
        .as_array()
        .map(|batch| batch.iter().filter(|message| !has_unread_id(message)).cloned().collect())
        .unwrap_or_default()
}

fn error_definition(revision: &str) -> &'static str {
    if revision >= "2025-11-25" { "JSONRPCErrorResponse" } else { "JSONRPCError" }
}

fn result_definition(revision: &str) -> &'static str {
    if revision >= "2025-11-25" { "JSONRPCResultResponse" } else { "JSONRPCResponse" }
}

fn error_is_specified(revision: &str, error: &Value, message: &Value) -> Result<(), String> {
    validate(revision, error_definition(revision), message)?;
    match error["code"].as_i64() {
        Some(-32700 | -32603..=-32600) => Ok(()),
        Some(-32022) if revision == STATELESS => validate(revision, "UnsupportedProtocolVersionError", message),
        Some(-32021) if revision == STATELESS => validate(revision, "MissingRequiredClientCapabilityError", message),
        code => Err(format!("{revision} has no error code {code:?}")),
    }
}

/// The schemas allow any further member; a client of a revision is sent none that came after it.
fn knows_no_later_member(revision: &str, result: &Value) -> Result<(), String> {
    let later = [
        ("resultType", STATELESS),
        ("ttlMs", STATELESS),
        ("cacheScope", STATELESS),
        ("structuredContent", "2025-06-18"),
    ];
    let found = later.into_iter().find(|(member, since)| result.get(member).is_some() && revision < *since);
    found.map_or(Ok(()), |(member, since)| Err(format!("{member} of {since} in a result of {revision}")))
}

#[cfg(test)]
mod tests;
