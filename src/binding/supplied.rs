//! What one side of a launch supplies, in code or in the file: each part in one of them alone.

use std::sync::Arc;

use serde_json::Value;

use super::{Bound, Call, Part};
use crate::application::Application;
use crate::ask::Asker;
use crate::failure::Failure;
use crate::operation::{Refused, decode};

/// Makes the application's context from the launch file's. It is application code.
pub(crate) type DecodeContext<A> = fn(&Value) -> Result<<A as Application>::Context, Refused>;

/// [`DecodeContext`] of a context that deserializes.
pub(crate) fn decode_context<C: serde::de::DeserializeOwned>(value: &Value) -> Result<C, Refused> {
    decode(value)
}

pub(crate) struct Supplied<A: Application> {
    pub(crate) code: Arc<dyn Bound<A>>,
    pub(crate) context: Option<FileContext<A>>,
    pub(crate) confirm: Option<Asker>,
    pub(crate) approve: Option<Asker>,
}

/// A context that the launch file gives, and that was seen to deserialize.
pub(crate) struct FileContext<A: Application> {
    pub(crate) value: Value,
    pub(crate) decode: DecodeContext<A>,
}

impl<A: Application> Supplied<A> {
    pub(crate) fn binds(&self, part: Part) -> bool {
        let in_file = match part {
            Part::Context => self.context.is_some(),
            Part::Confirm | Part::Approve => self.asker(part).is_some(),
        };
        in_file || self.code.binds(part)
    }

    /// Whom the launch file asks for `part`.
    pub(crate) fn asker(&self, part: Part) -> Option<&Asker> {
        match part {
            Part::Confirm => self.confirm.as_ref(),
            Part::Approve => self.approve.as_ref(),
            Part::Context => None,
        }
    }

    pub(crate) async fn context(&self, call: &Call, running: &A::Running) -> Result<Option<A::Context>, Failure> {
        match &self.context {
            None => self.code.context(call, running).await,
            // It did deserialize at launch; a type may still change its mind.
            Some(file) => match (file.decode)(&file.value) {
                Ok(context) => Ok(Some(context)),
                Err(_) => Err(Failure::opaque("the launch file's context did not deserialize this time")),
            },
        }
    }
}
