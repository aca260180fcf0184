//! Questions to a client of a stateless revision, which answers them by sending its call again.
//!
//! Trust boundary: the request state comes back from the client. It is sealed with a key of this process, bound to the
//! very prompts (part, operation, identity and canonical arguments), expires, and is spent once. One whose seal is not
//! ours never gets as far as a call.
//!
//! Source: specification 2026-07-28, page `basic/patterns/mrtr`.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use super::elicitation;
use super::reply::{INVALID_PARAMS, RpcError};
use super::revision::Revision;
use super::served::Served;
use crate::ask::{Between, Looked, Prompt, Told};
use crate::binding::Part;
use crate::key::{Key, Purpose};

/// Seals request states, and knows which of them were spent.
pub(crate) struct Seals {
    key: Key,
    began: Instant,
    /// By their ids, until they would have expired.
    spent: Mutex<BTreeMap<String, Duration>>,
}

impl Seals {
    /// # Errors
    /// The system has no random bytes.
    pub(crate) fn new() -> Result<Self, getrandom::Error> {
        Ok(Self { key: Key::random()?, began: Instant::now(), spent: Mutex::default() })
    }

    /// A state that these prompts can be answered with, once, within `time`.
    fn seal(&self, prompts: &[Prompt], time: Duration) -> String {
        let (id, expires) = (self.key.id(), self.began.elapsed() + time);
        let millis = expires.as_millis().to_string();
        let prompts = self.bound_to(prompts);
        let seal = self.key.tag(Purpose::State, &sealed(&id, &millis, &prompts), 32);
        format!("{id}.{millis}.{prompts}.{seal}")
    }

    /// A state that was sealed here and not changed since.
    fn open(&self, state: &str) -> Option<Opened> {
        let mut fields = state.split('.');
        let (id, millis, prompts, seal) = (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
        if fields.next().is_some() || !self.key.is_tag(Purpose::State, &sealed(id, millis, prompts), seal) {
            return None;
        }
        let expires = Duration::from_millis(millis.parse().ok()?);
        Some(Opened { id: id.to_owned(), expires, prompts: prompts.to_owned() })
    }

    /// Spends a state; whether it was made for these prompts, has not expired and was not spent before.
    fn spend(&self, state: &Opened, prompts: &[Prompt]) -> bool {
        if state.prompts != self.bound_to(prompts) {
            return false;
        }
        let now = self.began.elapsed();
        let mut spent = self.spent.lock().unwrap_or_else(PoisonError::into_inner);
        spent.retain(|_, expires| *expires > now);
        state.expires > now && spent.insert(state.id.clone(), state.expires).is_none()
    }

    /// What tells these prompts from all others.
    fn bound_to(&self, prompts: &[Prompt]) -> String {
        let digests: Vec<&[u8]> = prompts.iter().map(|prompt| prompt.digest.as_slice()).collect();
        self.key.tag(Purpose::Prompt, &digests, 32)
    }
}

/// A request state whose seal is ours.
struct Opened {
    id: String,
    expires: Duration,
    prompts: String,
}

fn sealed<'a>(id: &'a str, millis: &'a str, prompts: &'a str) -> [&'a [u8]; 3] {
    [id.as_bytes(), millis.as_bytes(), prompts.as_bytes()]
}

/// The `input_required` result that asks for the answers to `prompts`.
pub(super) fn asking(seals: &Seals, prompts: &[Prompt], revision: Revision) -> Value {
    let request =
        |prompt: &Prompt| json!({ "method": "elicitation/create", "params": elicitation::params(prompt, revision) });
    let requests: Map<String, Value> =
        prompts.iter().map(|prompt| (prompt.part.word().to_owned(), request(prompt))).collect();
    let time = prompts.iter().map(|prompt| prompt.timeout).min().unwrap_or_default();
    let mut result = json!({
        "resultType": "input_required",
        "inputRequests": requests,
        "requestState": seals.seal(prompts, time),
    });
    revision.identify(&mut result);
    result
}

/// A call that may be the repetition of an earlier one.
pub(super) struct Repeated {
    served: Arc<Served>,
    state: Option<Opened>,
    answers: BTreeMap<&'static str, Told>,
}

impl Repeated {
    /// # Errors
    /// `state` and `responses` are not what the revision says they are, or `state` is not one of this process.
    pub(super) fn read(
        served: Arc<Served>,
        state: Option<&Value>,
        responses: Option<&Value>,
    ) -> Result<Self, RpcError> {
        let malformed = |what| RpcError::new(INVALID_PARAMS, what);
        let state = match state {
            None => None,
            Some(Value::String(state)) => {
                let opened = served.seals.open(state);
                Some(
                    opened
                        .ok_or_else(|| malformed("Invalid params: requestState was not made here, or was changed"))?,
                )
            }
            Some(_) => return Err(malformed("Invalid params: requestState is no text")),
        };
        let none = Map::new();
        let responses = match responses {
            None => &none,
            Some(Value::Object(responses)) => responses,
            Some(_) => return Err(malformed("Invalid params: inputResponses is no object")),
        };
        let mut answers = BTreeMap::new();
        for key in [Part::Confirm, Part::Approve].map(Part::word) {
            if let Some(response) = responses.get(key) {
                let told = elicitation::told(response).ok_or_else(|| {
                    malformed("Invalid params: inputResponses holds what is no result of an elicitation")
                })?;
                answers.insert(key, told);
            }
        }
        Ok(Self { served, state, answers })
    }
}

impl Between for Repeated {
    fn look(&self, prompts: &[Prompt]) -> Looked {
        let answers: Option<Vec<Told>> =
            prompts.iter().map(|prompt| self.answers.get(prompt.part.word()).copied()).collect();
        if let Some(state) = &self.state {
            let is_good = self.served.seals.spend(state, prompts);
            match answers {
                Some(answers) if is_good => return Looked::Answers(answers),
                _ if !is_good => {
                    let stale = Told::Failed("the request state is spent, expired or of another call");
                    return Looked::Answers(vec![stale; prompts.len()]);
                }
                // An answer is missing: the client is asked again.
                _ => {}
            }
        }
        Looked::Nothing
    }
}
