//! What each line is answered with. Everything but an admitted call is decided and answered here, at once.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};

use super::in_flight::Owed;
use super::message::{CallParams, Id, Malformed, Message, arguments_place};
use super::reply::{
    self, INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, PARSE_ERROR, RpcError, UNSUPPORTED_PROTOCOL_VERSION,
};
use super::revision::{Revision, server_info};
use super::served::Served;
use crate::catalog::canonical;
use crate::gate::Arguments;
use crate::scan::{Scanned, scan};
use crate::stdio::Line;

/// What an agent should know before its first call.
const INSTRUCTIONS: &str = "Calls run one at a time: adapter-busy means that a call was not started. \
After a time-out, or a failure whose outcome is unknown or completed, look at the state before repeating a call. \
Cancelling a request does not stop or undo its work.";

pub(crate) struct Session {
    served: Arc<Served>,
    /// The revision of the handshake, once there was one.
    handshake: Option<Revision>,
}

/// What a request says of itself in `params._meta`.
#[derive(Default, Deserialize)]
struct Meta {
    #[serde(rename = "io.modelcontextprotocol/protocolVersion")]
    protocol_version: Option<Value>,
    #[serde(rename = "io.modelcontextprotocol/clientCapabilities")]
    client_capabilities: Option<Value>,
    #[serde(rename = "progressToken")]
    progress_token: Option<Value>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Params {
    #[serde(rename = "_meta")]
    meta: Meta,
    #[serde(rename = "protocolVersion")]
    protocol_version: Option<Value>,
    cursor: Option<Value>,
    #[serde(rename = "requestId")]
    request_id: Option<Value>,
}

impl Params {
    fn read(json: Option<&str>) -> Result<Self, RpcError> {
        json.map_or(Ok(Self::default()), serde_json::from_str)
            .map_err(|_| RpcError::new(INVALID_PARAMS, "Invalid params: not an object of the expected members"))
    }
}

impl Session {
    pub(crate) fn new(served: Arc<Served>) -> Self {
        Self { served, handshake: None }
    }

    pub(crate) fn line(&mut self, line: Line<'_>) {
        let bytes = match line {
            Line::Whole(bytes) => bytes,
            Line::TooLong => {
                let error = RpcError::new(INVALID_REQUEST, "Invalid request: the line is longer than max_frame_bytes");
                return self.refuse(None, &error.with_data(json!({ "code": "frame-too-large" })));
            }
        };
        let scanned = match scan(bytes) {
            Ok(scanned) => scanned,
            Err(fault) => return self.refuse(None, &RpcError::new(PARSE_ERROR, fault.message())),
        };
        let message = match Message::read(&scanned) {
            Ok(message) => message,
            Err(Malformed(id)) => {
                let id = id.filter(|id| !self.served.in_flight.owes(id));
                return self.refuse(
                    id.as_ref(),
                    &RpcError::new(INVALID_REQUEST, "Invalid request: not a JSON-RPC 2.0 message"),
                );
            }
        };
        match message {
            Message::Response => {}
            Message::Notification { method, params } => self.notification(&method, params),
            Message::Request { .. } => self.request(&scanned, message),
        }
    }

    fn notification(&self, method: &str, params: Option<&str>) {
        if method != "notifications/cancelled" {
            return;
        }
        let id = Params::read(params).ok().and_then(|params| params.request_id);
        if let Some(id) = id.and_then(|id| Id::parse(&id.to_string())) {
            self.served.in_flight.cancel(&id);
        }
    }

    fn request(&mut self, scanned: &Scanned<'_>, message: Message<'_>) {
        let arguments = arguments_place(scanned, &message).unwrap_or_default();
        let Message::Request { id, method, params } = message else { return };
        if self.served.in_flight.owes(&id) {
            let error = RpcError::new(INVALID_REQUEST, "Invalid request: a request with this id is in flight");
            return self.refuse(None, &error.with_data(json!({ "code": "duplicate-id" })));
        }
        if scanned.is_unholdable_outside(&arguments) {
            return self
                .refuse(Some(&id), &RpcError::new(INVALID_REQUEST, "Invalid request: a number is out of range"));
        }
        let unholdable = scanned.is_unholdable(&arguments);
        let answer = match self.dispatch(&id, &method, params, unholdable) {
            Ok(Some(result)) => reply::result(&id, &result),
            Ok(None) => return,
            Err(error) => reply::error(Some(&id), false, &error),
        };
        self.served.writer.answer(answer);
    }

    /// The result of a request as JSON text; `None` if the call that answers it has begun or was answered.
    fn dispatch(
        &mut self,
        id: &Id,
        method: &str,
        json: Option<&str>,
        unholdable: bool,
    ) -> Result<Option<String>, RpcError> {
        let params = Params::read(json)?;
        let revision = match (&params.meta.protocol_version, self.handshake) {
            (Some(version), _) => stateless(version, &params)?,
            (None, _) if method == "initialize" => return self.initialize(&params).map(Some),
            (None, _) if method == "ping" => return Ok(Some("{}".to_owned())),
            (None, Some(revision)) => revision,
            (None, None) if matches!(method, "server/discover" | "tools/list" | "tools/call") => {
                return Err(RpcError::new(
                    INVALID_PARAMS,
                    "Invalid params: params._meta lacks io.modelcontextprotocol/protocolVersion; or send initialize first",
                ));
            }
            (None, None) => return Err(unknown_method()),
        };
        match method {
            "server/discover" if revision.is_stateless() => Ok(Some(discover(revision))),
            "tools/list" if params.cursor.is_some() => {
                Err(RpcError::new(INVALID_PARAMS, "Invalid params: this list has one page and no cursor"))
            }
            "tools/list" => Ok(Some(self.served.catalog.list(revision).to_owned())),
            "tools/call" => self.call(id, revision, json, &params, unholdable).map(|()| None),
            _ => Err(unknown_method()),
        }
    }

    fn initialize(&mut self, params: &Params) -> Result<String, RpcError> {
        let Some(Value::String(asked)) = &params.protocol_version else {
            return Err(RpcError::new(INVALID_PARAMS, "Invalid params: protocolVersion is missing or no text"));
        };
        let revision = Revision::negotiate(asked);
        self.handshake = Some(revision);
        Ok(canonical(&json!({
            "protocolVersion": revision.name(),
            "capabilities": { "tools": {} },
            "serverInfo": server_info(revision),
            "instructions": INSTRUCTIONS,
        })))
    }

    fn call(
        &self,
        id: &Id,
        revision: Revision,
        json: Option<&str>,
        params: &Params,
        unholdable: bool,
    ) -> Result<(), RpcError> {
        let call: CallParams<'_> = serde_json::from_str(json.unwrap_or("{}"))
            .map_err(|_| RpcError::new(INVALID_PARAMS, "Invalid params: tools/call takes a name and arguments"))?;
        let text = call.arguments.map(serde_json::value::RawValue::get);
        if text.is_some_and(|text| !text.starts_with('{')) {
            return Err(RpcError::new(INVALID_PARAMS, "Invalid params: arguments must be an object"));
        }
        let Some(tool) = self.served.catalog.find(&call.name) else {
            return Err(RpcError::new(INVALID_PARAMS, "Unknown tool"));
        };
        let arguments = Arguments { text: text.map(Into::into), unholdable };
        let token = params.meta.progress_token.as_ref();
        let token = token.filter(|token| token.is_string() || token.is_i64() || token.is_u64()).map(Value::to_string);
        let owed = Owed::new(id.clone(), token, self.served.catalog.tools()[tool].title.clone());
        self.served.call(owed, revision, tool, arguments);
        Ok(())
    }

    /// One error for a frame that is no request, or whose id may not be used.
    fn refuse(&self, id: Option<&Id>, error: &RpcError) {
        let null_id = self.handshake.is_some_and(Revision::null_id);
        self.served.writer.answer(reply::error(id, null_id, error));
    }
}

/// The stateless revision a request names. Nothing is inferred from earlier requests.
fn stateless(version: &Value, params: &Params) -> Result<Revision, RpcError> {
    let Value::String(name) = version else {
        return Err(RpcError::new(
            INVALID_PARAMS,
            "Invalid params: io.modelcontextprotocol/protocolVersion is no text",
        ));
    };
    let Some(revision) = Revision::stateless(name) else {
        let data = json!({ "supported": Revision::names(), "requested": name });
        return Err(RpcError::new(UNSUPPORTED_PROTOCOL_VERSION, "Unsupported protocol version").with_data(data));
    };
    if !params.meta.client_capabilities.as_ref().is_some_and(Value::is_object) {
        return Err(RpcError::new(
            INVALID_PARAMS,
            "Invalid params: params._meta lacks io.modelcontextprotocol/clientCapabilities",
        ));
    }
    Ok(revision)
}

fn discover(revision: Revision) -> String {
    let mut result = json!({
        "supportedVersions": Revision::names(),
        "capabilities": { "tools": {} },
        "instructions": INSTRUCTIONS,
        "ttlMs": 0,
        "cacheScope": "private",
    });
    revision.complete(&mut result);
    canonical(&result)
}

fn unknown_method() -> RpcError {
    RpcError::new(METHOD_NOT_FOUND, "Method not found")
}
