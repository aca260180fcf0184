//! Trusted values and decisions that a launch supplies in code.
//!
//! Trust boundary: a binding sees the validated input, and no argument of a call can reach or replace what it returns.

mod supplied;

use std::sync::Arc;

use serde_json::Value;

use crate::application::Application;
use crate::failure::Failure;
use crate::operation::{BoxFuture, Declaration};

pub(crate) use supplied::{DecodeContext, FileContext, Supplied, decode_context};

/// An answer to a confirmation or an approval. Only [`Answer::Yes`] lets the call go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Answer {
    /// Go on with exactly this call.
    Yes,
    /// Do not.
    No,
}

/// One of the three things a launch may bind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Part {
    /// The second argument of operations that take context.
    Context,
    /// Who answers for operations that require confirmation.
    Confirm,
    /// Who answers for operations that require approval.
    Approve,
}

impl Part {
    pub(crate) const ALL: [Self; 3] = [Self::Context, Self::Confirm, Self::Approve];

    /// Its key in `[binding]`, in prompts and in logs.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Context => "context",
            Self::Confirm => "confirm",
            Self::Approve => "approve",
        }
    }
}

/// The call a binding decides about.
#[derive(Debug)]
pub struct Call {
    pub(crate) operation: Arc<Declaration>,
    pub(crate) input: Value,
    pub(crate) identity: Option<Arc<str>>,
}

impl Call {
    /// What the operation declares.
    #[must_use]
    pub fn operation(&self) -> &Declaration {
        &self.operation
    }

    /// The validated arguments: exactly what the operation will get.
    #[must_use]
    pub fn input(&self) -> &Value {
        &self.input
    }

    /// The launch file's label of this process.
    #[must_use]
    pub fn identity(&self) -> Option<&str> {
        self.identity.as_deref()
    }
}

/// Binds context, confirmation and approval in code, for one side: MCP ([`Entry::mcp`](crate::Entry::mcp)) or the
/// command line ([`Entry::cli`](crate::Entry::cli)). Neither side borrows from the other.
///
/// Each method is called at most once a call, in the order context, confirm, approve, after validation and after the
/// application has started. A part that nobody binds fails closed: an operation that takes context answers
/// `missing-context-binding`, one that requires an answer is refused.
///
/// ```
/// use opgate::{Answer, Application, Binding, Call, Failure, Part};
///
/// struct Desk { tenant: String }
///
/// impl<A: Application<Context = String>> Binding<A> for Desk {
///     const BINDS: &'static [Part] = &[Part::Context, Part::Confirm];
///
///     async fn context(&self, _: &Call, _: &A::Running) -> Result<Option<String>, Failure> {
///         Ok(Some(self.tenant.clone()))
///     }
///
///     async fn confirm(&self, call: &Call, _: &A::Running) -> Result<Answer, Failure> {
///         Ok(if call.input()["amount"].as_u64() < Some(100) { Answer::Yes } else { Answer::No })
///     }
/// }
/// ```
pub trait Binding<A: Application>: Send + Sync + 'static {
    /// What this binding supplies; a method whose part is missing here is never called, and its part fails closed.
    const BINDS: &'static [Part];

    /// The trusted second argument. `None` is answered as `missing-context-binding`, an error or panic as
    /// `binding-failed`; either way nothing is invoked.
    ///
    /// # Errors
    /// Any error refuses the call.
    fn context(
        &self,
        call: &Call,
        running: &A::Running,
    ) -> impl Future<Output = Result<Option<A::Context>, Failure>> + Send {
        let _ = (call, running);
        async { Ok(None) }
    }

    /// Whether this call is confirmed. The future is dropped, which means no, when the request is cancelled and when
    /// the process is asked to end.
    ///
    /// # Errors
    /// An error or panic means no.
    fn confirm(&self, call: &Call, running: &A::Running) -> impl Future<Output = Result<Answer, Failure>> + Send {
        let _ = (call, running);
        async { Ok(Answer::No) }
    }

    /// Whether this call is approved; otherwise as [`confirm`](Binding::confirm).
    ///
    /// # Errors
    /// An error or panic means no.
    fn approve(&self, call: &Call, running: &A::Running) -> impl Future<Output = Result<Answer, Failure>> + Send {
        let _ = (call, running);
        async { Ok(Answer::No) }
    }
}

/// A binding behind one type, whatever implements it.
pub(crate) trait Bound<A: Application>: Send + Sync {
    fn binds(&self, part: Part) -> bool;
    fn context<'a>(
        &'a self,
        call: &'a Call,
        running: &'a A::Running,
    ) -> BoxFuture<'a, Result<Option<A::Context>, Failure>>;
    fn answer<'a>(
        &'a self,
        part: Part,
        call: &'a Call,
        running: &'a A::Running,
    ) -> BoxFuture<'a, Result<Answer, Failure>>;
}

impl<A: Application, B: Binding<A>> Bound<A> for B {
    fn binds(&self, part: Part) -> bool {
        B::BINDS.contains(&part)
    }

    fn context<'a>(
        &'a self,
        call: &'a Call,
        running: &'a A::Running,
    ) -> BoxFuture<'a, Result<Option<A::Context>, Failure>> {
        Box::pin(Binding::context(self, call, running))
    }

    fn answer<'a>(
        &'a self,
        part: Part,
        call: &'a Call,
        running: &'a A::Running,
    ) -> BoxFuture<'a, Result<Answer, Failure>> {
        match part {
            Part::Confirm => Box::pin(Binding::confirm(self, call, running)),
            Part::Approve => Box::pin(Binding::approve(self, call, running)),
            Part::Context => Box::pin(async { Ok(Answer::No) }),
        }
    }
}

/// Binds nothing: every part fails closed.
pub(crate) struct Unbound;

impl<A: Application> Binding<A> for Unbound {
    const BINDS: &'static [Part] = &[];
}
