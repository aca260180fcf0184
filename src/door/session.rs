//! What each line is answered with. Everything but an admitted call is decided and answered here, at once.

use std::ops::Range;
use std::sync::Arc;

use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::batch::{self, Batch, ReplyTo};
use super::elicitation;
use super::in_flight::Owed;
use super::message::{self, Id, Malformed, Message};
use super::meta::{Meta, present};
use super::questions::HeldClient;
use super::repeated::Repeated;
use super::reply::{
    self, INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, MISSING_CLIENT_CAPABILITY, PARSE_ERROR, RpcError,
};
use super::revision::{Revision, server_info};
use super::served::Served;
use crate::ask::Client;
use crate::catalog::canonical;
use crate::gate::{Arguments, Stop};
use crate::scan::{Root, Scanned, scan};
use crate::stdio::{Line, Recover};

/// What an agent should know before its first call.
const INSTRUCTIONS: &str = "Calls run one at a time: adapter-busy means that a call was not started. \
After a time-out, or a failure whose outcome is unknown or completed, look at the state before repeating a call. \
Cancelling a request does not stop or undo its work.";

/// The methods of all revisions.
const METHODS: [&str; 5] = ["initialize", "ping", "server/discover", "tools/list", "tools/call"];

pub(crate) struct Session {
    served: Arc<Served>,
    /// The revision of the handshake, once there was one.
    handshake: Option<Revision>,
    /// That client shows forms.
    elicits: bool,
}

/// The members of `params` that matter here, of whatever method.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Params<'p> {
    #[serde(rename = "_meta", deserialize_with = "object")]
    meta: Meta,
    #[serde(rename = "protocolVersion")]
    protocol_version: Option<Value>,
    capabilities: Option<Value>,
    #[serde(rename = "clientInfo")]
    client_info: Option<Value>,
    cursor: Option<Value>,
    #[serde(borrow)]
    name: Option<&'p RawValue>,
    /// Untouched; present also if it is null, which absent is not.
    #[serde(borrow, deserialize_with = "present")]
    arguments: Option<&'p RawValue>,
    #[serde(rename = "requestState", deserialize_with = "present")]
    request_state: Option<Value>,
    #[serde(rename = "inputResponses", deserialize_with = "present")]
    input_responses: Option<Value>,
}

/// An object within another one.
fn object<'de, D: Deserializer<'de>, T: DeserializeOwned>(deserializer: D) -> Result<T, D::Error> {
    members(<&RawValue>::deserialize(deserializer)?.get()).ok_or_else(|| D::Error::custom("not an object"))
}

/// What an object says. A derived type alone would also take its members from a list, by position.
fn members<'p, T: Deserialize<'p>>(json: &'p str) -> Option<T> {
    serde_json::from_str(json).ok().filter(|_| json.starts_with('{'))
}

impl<'p> Params<'p> {
    fn read(json: Option<&'p str>) -> Result<Self, RpcError> {
        json.map_or_else(|| Some(Self::default()), members)
            .ok_or_else(|| RpcError::new(INVALID_PARAMS, "Invalid params: not an object of the expected members"))
    }
}

/// The parameters of `notifications/cancelled`.
#[derive(Deserialize)]
struct Cancelled<'p> {
    #[serde(rename = "requestId", borrow)]
    request_id: &'p RawValue,
}

/// A request on its way to an answer.
struct Incoming<'a> {
    id: Id,
    to: &'a ReplyTo,
    /// The arguments hold a number that nothing can hold.
    unholdable: bool,
}

impl Session {
    pub(crate) fn new(served: Arc<Served>) -> Self {
        Self { served, handshake: None, elicits: false }
    }

    pub(crate) fn line(&mut self, line: &Line<'_>) {
        let to = &ReplyTo::Stream;
        let bytes = match line {
            Line::Whole(bytes) => bytes,
            Line::TooLong(id) => {
                let error = RpcError::new(INVALID_REQUEST, "Invalid request: the line is longer than max_frame_bytes");
                let id = id.as_deref().and_then(Id::parse);
                return self.refuse(to, id, &error.with_data(json!({ "code": "frame-too-large" })));
            }
        };
        match scan(bytes) {
            Ok(scanned) => match &scanned.root {
                Root::Array(items) => self.batch(&scanned, items),
                Root::Object(_) | Root::Scalar => self.message(&scanned, to),
            },
            Err(fault) => {
                let mut recover = Recover::default();
                recover.feed(bytes);
                let id = recover.id().as_deref().and_then(Id::parse);
                self.refuse(to, id, &RpcError::new(PARSE_ERROR, fault.message()));
            }
        }
    }

    fn batch(&mut self, scanned: &Scanned<'_>, items: &[Range<usize>]) {
        let refused = if self.handshake != Some(Revision::V2025_03_26) {
            Some("Invalid request: this revision has no batches")
        } else if items.is_empty() {
            Some("Invalid request: an empty batch")
        } else if items.len() > batch::LARGEST {
            Some("Invalid request: a batch of more than 32 messages")
        } else {
            None
        };
        if let Some(message) = refused {
            return self.refuse(&ReplyTo::Stream, None, &RpcError::new(INVALID_REQUEST, message));
        }
        let batch = Batch::new();
        let to = ReplyTo::Batch(Arc::clone(&batch));
        for item in items {
            // The whole was accepted, so each part is.
            if let Ok(member) = scan(scanned.text[item.clone()].as_bytes()) {
                self.message(&member, &to);
            }
        }
        self.served.settle(&to, None);
    }

    fn message(&mut self, scanned: &Scanned<'_>, to: &ReplyTo) {
        match Message::read(scanned) {
            Ok(Message::Response { id, result }) => {
                if let Some(id) = id {
                    self.served.questions.answer(&id, result);
                }
            }
            Ok(Message::Notification { method, params }) => self.notification(&method, params),
            Ok(Message::Request { id, method, params }) => self.request(scanned, id, &method, params, to),
            Err(Malformed(id)) => {
                let error = RpcError::new(INVALID_REQUEST, "Invalid request: not a JSON-RPC 2.0 message");
                self.refuse(to, id, &error);
            }
        }
    }

    fn notification(&self, method: &str, params: Option<&str>) {
        if method != "notifications/cancelled" {
            return;
        }
        // Whatever else a cancel says, only its id matters.
        let cancelled = params.and_then(members::<Cancelled<'_>>);
        if let Some(id) = cancelled.and_then(|cancelled| Id::parse(cancelled.request_id.get())) {
            self.served.in_flight.cancel(&id);
        }
    }

    fn request(&mut self, scanned: &Scanned<'_>, id: Id, method: &str, json: Option<&str>, to: &ReplyTo) {
        if self.served.in_flight.owes(&id) || !to.note(&id) {
            let error = RpcError::new(INVALID_REQUEST, "Invalid request: a request with this id is in flight");
            return self.refuse(to, None, &error.with_data(json!({ "code": "duplicate-id" })));
        }
        // Where there is no such method, no parameters are the wrong ones.
        let wrong = |error| if METHODS.contains(&method) { error } else { unknown_method() };
        let params = Params::read(json).map_err(wrong);
        let arguments = match &params {
            Ok(Params { arguments: Some(arguments), .. }) if method == "tools/call" => scanned.place(arguments.get()),
            _ => 0..0,
        };
        if scanned.is_unholdable_outside(&arguments) {
            let error = RpcError::new(INVALID_REQUEST, "Invalid request: a number is out of range");
            return self.refuse(to, Some(id), &error);
        }
        let incoming = Incoming { id, to, unholdable: scanned.is_unholdable(&arguments) };
        let answer = match params.and_then(|params| self.dispatch(&incoming, method, &params)) {
            Ok(Some(result)) => reply::result(&incoming.id, &result),
            Ok(None) => return,
            Err(error) => reply::error(Some(&incoming.id), false, &error),
        };
        self.served.answer(to, answer);
    }

    /// The result of a request as JSON text; `None` if the call that answers it has begun or was answered.
    fn dispatch(
        &mut self,
        incoming: &Incoming<'_>,
        method: &str,
        params: &Params<'_>,
    ) -> Result<Option<String>, RpcError> {
        let revision = match (params.meta.stateless()?, self.handshake) {
            (Some(_), _) if matches!(incoming.to, ReplyTo::Batch(_)) => {
                return Err(RpcError::new(INVALID_REQUEST, "Invalid request: a stateless request is part of no batch"));
            }
            (None, _) if method == "initialize" => return self.initialize(incoming, params).map(Some),
            (None, _) if method == "ping" => return Ok(Some("{}".to_owned())),
            (Some(revision), _) | (None, Some(revision)) => revision,
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
            "tools/call" => self.call(incoming, revision, params).map(|()| None),
            _ => Err(unknown_method()),
        }
    }

    fn initialize(&mut self, incoming: &Incoming<'_>, params: &Params<'_>) -> Result<String, RpcError> {
        if matches!(incoming.to, ReplyTo::Batch(_)) {
            return Err(RpcError::new(INVALID_REQUEST, "Invalid request: initialize is never part of a batch"));
        }
        let Some(Value::String(asked)) = &params.protocol_version else {
            return Err(RpcError::new(INVALID_PARAMS, "Invalid params: protocolVersion is missing or no text"));
        };
        if [&params.capabilities, &params.client_info].into_iter().flatten().any(|member| !member.is_object()) {
            return Err(RpcError::new(INVALID_PARAMS, "Invalid params: capabilities and clientInfo are objects"));
        }
        let revision = Revision::negotiate(asked);
        self.handshake = Some(revision);
        self.elicits = revision >= elicitation::FIRST && elicitation::is_offered(params.capabilities.as_ref());
        Ok(canonical(&json!({
            "protocolVersion": revision.name(),
            "capabilities": { "tools": {} },
            "serverInfo": server_info(revision),
            "instructions": INSTRUCTIONS,
        })))
    }

    fn call(&self, incoming: &Incoming<'_>, revision: Revision, params: &Params<'_>) -> Result<(), RpcError> {
        let Some(name) = params.name.and_then(|name| message::text(name.get())) else {
            return Err(RpcError::new(INVALID_PARAMS, "Invalid params: tools/call takes a name and arguments"));
        };
        let text = params.arguments.map(RawValue::get);
        if text.is_some_and(|text| !text.starts_with('{')) {
            return Err(RpcError::new(INVALID_PARAMS, "Invalid params: arguments must be an object"));
        }
        let Some(tool) = self.served.catalog.find(&name) else {
            return Err(RpcError::new(INVALID_PARAMS, "Unknown tool"));
        };
        let token = params.meta.progress_token()?;
        let stop = Stop::default();
        let client = self.client(tool, revision, params, &stop)?;
        let arguments = Arguments { text: text.map(Into::into), unholdable: incoming.unholdable };
        let owed = Owed::new(incoming.id.clone(), revision, incoming.to.clone(), stop, token, tool);
        self.served.call(owed, arguments, client);
        Ok(())
    }

    /// How the client of a call can be asked, where it may have to be.
    fn client(&self, tool: usize, revision: Revision, params: &Params<'_>, stop: &Stop) -> Result<Client, RpcError> {
        let served = || Arc::clone(&self.served);
        if !self.served.calls.asks_client(tool) {
            return Ok(Client::Unable);
        }
        if !revision.is_stateless() {
            let held = || Arc::new(HeldClient { served: served(), revision, stop: stop.clone() });
            return Ok(if self.elicits { Client::Held(held()) } else { Client::Unable });
        }
        // Nothing is inferred from what an earlier request could do.
        if !elicitation::is_offered(params.meta.capabilities.as_ref()) {
            let missing =
                RpcError::new(MISSING_CLIENT_CAPABILITY, "This operation asks the client for an answer of a person");
            return Err(missing.with_data(json!({ "requiredCapabilities": { "elicitation": { "form": {} } } })));
        }
        let repeated = Repeated::read(served(), params.request_state.as_ref(), params.input_responses.as_ref())?;
        Ok(Client::Between(Arc::new(repeated)))
    }

    /// One error for a frame that is no request, or whose id may not be used.
    fn refuse(&self, to: &ReplyTo, id: Option<Id>, error: &RpcError) {
        // An id that is in flight belongs to another frame.
        let id = id.filter(|id| !self.served.in_flight.owes(id));
        let null_id = self.handshake.is_some_and(Revision::null_id);
        self.served.answer(to, reply::error(id.as_ref(), null_id, error));
    }
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
