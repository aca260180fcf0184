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
use crate::failure::Failure;

pub(crate) type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Validated, typed input, ready to be run once.
pub(crate) type Invoke<A> = Box<
    dyn FnOnce(
            Arc<<A as Application>::Running>,
            Option<<A as Application>::Context>,
        ) -> BoxFuture<'static, Result<Output, Failure>>
        + Send,
>;

/// Turns validated JSON into the operation's own type.
pub(crate) type Decode<A> = Arc<dyn Fn(&Value) -> Result<Invoke<A>, Refused> + Send + Sync>;

/// The member that a type of the application's own refused. Never the type's own text: it quotes values.
#[derive(Debug)]
pub(crate) struct Refused {
    /// As path segments.
    pub(crate) path: Vec<String>,
    /// The name of a member that the type has and the value has not.
    pub(crate) missing: Option<String>,
}

pub(crate) fn decode<I: DeserializeOwned>(value: &Value) -> Result<I, Refused> {
    serde_path_to_error::deserialize(value).map_err(|error| Refused {
        path: error
            .path()
            .iter()
            .filter_map(|segment| match segment {
                serde_path_to_error::Segment::Seq { index } => Some(index.to_string()),
                serde_path_to_error::Segment::Map { key } => Some(key.clone()),
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

/// A result that is not yet text.
pub(crate) struct Output(Box<dyn Write + Send>);

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
        Self(Box::new(Typed(value)))
    }

    /// Writes the result as canonical, redacted JSON within `budget`.
    pub(crate) fn write(&self, rules: &Rules, budget: Budget, sink: Sink<'_>) -> Result<(), redact_json::Error> {
        self.0.write(rules, budget, sink)
    }
}
