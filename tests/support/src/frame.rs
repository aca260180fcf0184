//! What an entry may write: JSON-RPC 2.0 messages, one a line, and not one byte else.

use std::fmt;
use std::ops::Index;
use std::time::Instant;

use serde_json::Value;

/// One line of standard output that passed the checks.
#[derive(Clone, Debug)]
pub struct Frame {
    /// The message, or an array of them where batches are allowed.
    pub message: Value,
    /// Its bytes, without the line feed.
    pub bytes: Vec<u8>,
    /// When its last byte was read.
    pub arrived: Instant,
}

impl Frame {
    /// Is this the answer to that request?
    #[must_use]
    pub fn answers(&self, id: &Value) -> bool {
        self.message.get("method").is_none() && self.message.get("id") == Some(id)
    }

    /// The text of a tool result: exactly one block, of type text.
    ///
    /// # Panics
    ///
    /// If this is not such a result.
    #[must_use]
    #[track_caller]
    pub fn text(&self) -> &str {
        let content = self["result"]["content"].as_array();
        match content.map(Vec::as_slice) {
            Some([block]) if block["type"] == "text" => block["text"].as_str(),
            _ => None,
        }
        .unwrap_or_else(|| panic!("not one text block: {self}"))
    }

    /// What the operation returned.
    ///
    /// # Panics
    ///
    /// If the call failed, or its text is not JSON.
    #[must_use]
    #[track_caller]
    pub fn output(&self) -> Value {
        assert!(self["result"].get("isError").is_none_or(|v| v == false), "the call failed: {self}");
        serde_json::from_str(self.text()).unwrap_or_else(|_| panic!("text is not JSON: {self}"))
    }

    /// The diagnostic of a failed call.
    ///
    /// # Panics
    ///
    /// If the call did not fail, or its text is not a JSON object.
    #[must_use]
    #[track_caller]
    pub fn diagnostic(&self) -> Value {
        assert!(self["result"]["isError"] == true, "the call did not fail: {self}");
        let diagnostic: Value =
            serde_json::from_str(self.text()).unwrap_or_else(|_| panic!("diagnostic is not JSON: {self}"));
        assert!(diagnostic.is_object(), "diagnostic is not an object: {self}");
        diagnostic
    }

    /// The tools that `tools/list` gave.
    ///
    /// # Panics
    ///
    /// If this is not its answer.
    #[track_caller]
    pub fn tools(&self) -> &[Value] {
        self["result"]["tools"].as_array().unwrap_or_else(|| panic!("no list of tools: {self}"))
    }

    /// Asserts a failed call with that code, phase and outcome; returns the diagnostic.
    ///
    /// # Panics
    ///
    /// If it is anything else.
    #[track_caller]
    pub fn assert_failure(&self, code: &str, phase: &str, outcome: &str) -> Value {
        let diagnostic = self.diagnostic();
        let found = ["code", "phase", "outcome"].map(|key| diagnostic[key].as_str());
        assert_eq!(found, [Some(code), Some(phase), Some(outcome)], "{diagnostic}");
        diagnostic
    }

    /// Asserts a JSON-RPC error with that code; returns the error object.
    ///
    /// # Panics
    ///
    /// If it is anything else.
    #[track_caller]
    pub fn assert_error(&self, code: i64) -> &Value {
        assert_eq!(self["error"]["code"], code, "{self}");
        &self["error"]
    }
}

/// A member of the message; null where it has none.
impl Index<&str> for Frame {
    type Output = Value;

    fn index(&self, member: &str) -> &Value {
        &self.message[member]
    }
}

impl fmt::Display for Frame {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(&String::from_utf8_lossy(&self.bytes))
    }
}

/// The first line that an entry must not write.
#[derive(Clone, Debug)]
pub struct Violation {
    /// What is wrong with it.
    pub reason: String,
    /// The line, or what there is of it.
    pub bytes: Vec<u8>,
}

impl fmt::Display for Violation {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = &self.bytes[..self.bytes.len().min(500)];
        let (all, text) = (self.bytes.len(), shown.escape_ascii());
        write!(to, "standard output: {}, {all} bytes: {text}", self.reason)
    }
}

/// Takes standard output apart, in whatever pieces it arrives.
#[derive(Debug, Default)]
pub struct Checker {
    batches: bool,
    rest: Vec<u8>,
}

impl Checker {
    /// With `batches`, a line may be an array of messages, as 2025-03-26 allows.
    #[must_use]
    pub fn new(batches: bool) -> Self {
        Self { batches, rest: Vec::new() }
    }

    /// The frames that these bytes complete.
    ///
    /// # Errors
    ///
    /// The first line that is not a frame; frames before it in the same piece are given with it.
    pub fn feed(&mut self, bytes: &[u8]) -> (Vec<Frame>, Option<Violation>) {
        let arrived = Instant::now();
        let mut frames = Vec::new();
        let mut pieces = bytes.split(|byte| *byte == b'\n').peekable();
        while let Some(piece) = pieces.next() {
            self.rest.extend_from_slice(piece);
            if pieces.peek().is_none() {
                break;
            }
            let bytes = std::mem::take(&mut self.rest);
            match self.message(&bytes) {
                Ok(message) => frames.push(Frame { message, bytes, arrived }),
                Err(reason) => return (frames, Some(Violation { reason, bytes })),
            }
        }
        (frames, None)
    }

    /// At end of file: is there a line without an end?
    #[must_use]
    pub fn end(self) -> Option<Violation> {
        (!self.rest.is_empty()).then(|| Violation { reason: "a line without LF at the end".into(), bytes: self.rest })
    }

    fn message(&self, line: &[u8]) -> Result<Value, String> {
        if line.contains(&b'\r') {
            return Err("a carriage return".into());
        }
        let text = std::str::from_utf8(line).map_err(|_| "not UTF-8")?;
        let message: Value = serde_json::from_str(text).map_err(|error| format!("not JSON ({error})"))?;
        match &message {
            Value::Array(batch) if self.batches => {
                if batch.is_empty() {
                    return Err("an empty batch".into());
                }
                batch.iter().try_for_each(well_formed)?;
            }
            single => well_formed(single)?,
        }
        Ok(message)
    }
}

fn well_formed(message: &Value) -> Result<(), String> {
    let Some(object) = message.as_object() else {
        return Err("not a JSON-RPC message".into());
    };
    if object.get("jsonrpc") != Some(&Value::from("2.0")) {
        return Err("not JSON-RPC 2.0".into());
    }
    let id = object.get("id");
    if id.is_some_and(|id| !(id.is_string() || id.is_i64() || id.is_u64() || id.is_null())) {
        return Err("an id that is none".into());
    }
    let named = |id: Option<&Value>| id.is_some_and(|id| !id.is_null());
    match (object.get("method"), object.get("result"), object.get("error")) {
        (Some(method), None, None) if method.is_string() => Ok(()),
        (None, Some(result), None) if result.is_object() && named(id) => Ok(()),
        (None, None, Some(error)) if error["code"].is_i64() && error["message"].is_string() => Ok(()),
        _ => Err("neither request, notification, result nor error".into()),
    }
}

#[cfg(test)]
mod tests;
