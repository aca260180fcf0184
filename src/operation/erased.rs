//! One type for all handlers, in the two stages that the phases of a call need: input is decoded before the
//! application starts, and a result is written after it has stopped.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use redact_json::{Budget, Rules, Sink};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::application::Application;
use crate::diagnostic::Outcome;
use crate::failure::Failure;
use crate::redaction::escape;
use crate::way::{Step, Way};

pub(crate) type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Validated, typed input, ready to be run once.
pub(crate) type Invoke<A> = Box<
    dyn FnOnce(
            Arc<<A as Application>::Running>,
            Option<<A as Application>::Context>,
            Writing,
        ) -> BoxFuture<'static, Result<Output, Failure>>
        + Send,
>;

/// Turns validated JSON into the operation's own type.
pub(crate) type Decode<A> = Arc<dyn Fn(&Value) -> Result<Invoke<A>, Refused> + Send + Sync>;

/// The member that a type of the application's own refused. Never the type's own text: it quotes values.
#[derive(Debug)]
pub(crate) struct Refused {
    pub(crate) way: Way,
    /// The name of a member that the type has and the value has not.
    pub(crate) missing: Option<String>,
}

pub(crate) fn decode<I: DeserializeOwned>(value: &Value) -> Result<I, Refused> {
    // Where it was refused is looked for only if it was.
    if let Ok(input) = I::deserialize(value) {
        return Ok(input);
    }
    serde_path_to_error::deserialize(value).map_err(|error| Refused {
        way: error
            .path()
            .iter()
            .filter_map(|segment| match segment {
                serde_path_to_error::Segment::Seq { index } => Some(Step::Item(*index)),
                serde_path_to_error::Segment::Map { key } => Some(Step::Member(key.clone())),
                _ => None,
            })
            .collect(),
        missing: missing(&error.inner().to_string()),
    })
}

/// The member's name in serde's own words for a missing one.
fn missing(text: &str) -> Option<String> {
    let (name, _) = text.strip_prefix("missing field `")?.split_once('`')?;
    let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    is_name.then(|| name.to_owned())
}

/// How the result of this call will be written, for an operation whose result arrives as text.
#[derive(Clone)]
pub(crate) struct Writing {
    pub(crate) rules: Rules,
    pub(crate) budget: Budget,
}

/// The result of an operation that was invoked.
pub(crate) struct Output(Kind);

enum Kind {
    /// Not yet text.
    Value(Box<dyn Write + Send>),
    /// Canonical and redacted already, or why it is not, and then what is known of the operation.
    Text(Result<String, (Outcome, redact_json::Error)>),
}

trait Write {
    fn write(&self, rules: &Rules, budget: Budget, sink: Sink<'_>) -> Result<(), redact_json::Error>;
}

struct Typed<T>(T);

impl<T: Serialize> Write for Typed<T> {
    fn write(&self, rules: &Rules, budget: Budget, sink: Sink<'_>) -> Result<(), redact_json::Error> {
        redact_json::write(&self.0, rules, budget, sink)
    }
}

impl Output {
    pub(crate) fn typed<T: Serialize + Send + 'static>(value: T) -> Self {
        Self(Kind::Value(Box::new(Typed(value))))
    }

    /// A text that was written as [`Writing`] says.
    pub(crate) fn text(text: String) -> Self {
        Self(Kind::Text(Ok(text)))
    }

    /// A result that could not be written as [`Writing`] says.
    pub(crate) fn withheld(outcome: Outcome, error: redact_json::Error) -> Self {
        Self(Kind::Text(Err((outcome, error))))
    }

    /// Writes the result as canonical, redacted JSON within `budget`; with an error, what is known of the operation.
    pub(crate) fn write(
        &mut self,
        rules: &Rules,
        budget: Budget,
        sink: Sink<'_>,
    ) -> Result<(), (Outcome, redact_json::Error)> {
        match &mut self.0 {
            Kind::Value(value) => value.write(rules, budget, sink).map_err(|error| (Outcome::Completed, error)),
            Kind::Text(text) => {
                let written = std::mem::replace(text, Ok(String::new()))?;
                match sink {
                    Sink::Plain(text) if text.is_empty() => *text = written,
                    Sink::Plain(text) => text.push_str(&written),
                    Sink::Escaped(text) => escape(&written, text),
                }
                Ok(())
            }
        }
    }
}
