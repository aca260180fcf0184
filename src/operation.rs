//! One business function: its declaration, and the typed handler behind it.

mod declaration;
mod erased;
mod handler;

use std::sync::Arc;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::application::Application;
use crate::failure::Failure;
use crate::launch::{Place, Refusal};

pub use declaration::{Cancellation, Declaration, Effect, Retry};
pub(crate) use erased::{BoxFuture, Decode, Invoke, Output, Refused, Writing, decode};
pub use handler::{ContextHandler, Handler};

/// The input of an operation that takes none: an empty object.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NoInput {}

/// A declared business function of the application `A`.
///
/// Made by [`new`](Operation::new), [`with_context`](Operation::with_context), [`blocking`](Operation::blocking) or
/// [`blocking_with_context`](Operation::blocking_with_context), then described by the other methods, each of which
/// replaces what an earlier call of the same one said ([`secret_output`](Operation::secret_output) adds).
pub struct Operation<A: Application> {
    declaration: Declaration,
    decode: Decode<A>,
    /// Where it was declared, if that is a file.
    place: Option<Place>,
}

/// What runs an operation that is declared at run time: validated input, and the context if it takes one.
pub(crate) type Run<A> = Arc<
    dyn Fn(Value, Option<<A as Application>::Context>, Writing) -> BoxFuture<'static, Result<Output, Failure>>
        + Send
        + Sync,
>;

impl<A: Application> Operation<A> {
    /// An asynchronous function of the running application and one typed input.
    ///
    /// `method` is an identifier (`[A-Za-z_][A-Za-z0-9_]*`); `plugin` is letters, digits, `_`, `-` and `.`. The input's
    /// schema must be an object: derive `Deserialize` and `JsonSchema` on a struct, with `deny_unknown_fields`, or use
    /// [`NoInput`]. The output is anything that serializes; `()` is answered as `null`.
    ///
    /// The handler borrows the running application. It cannot take `&str` (use `String`), return a borrow of its input
    /// or of the application ("one type is more general than the other"; return an owned value), or be a closure that
    /// captures and is `async move`: write `move |running: &R, input: I| { let x = x.clone(); async move { .. } }`. Its
    /// error converts into [`Failure`]: any `Error + Send + Sync`, a `Failure`, or your own type; for a text or a boxed
    /// error call [`Failure::opaque`]. For a service that spawns, let `Running` be an `Arc<Service>` and take
    /// `self: &Arc<Self>`.
    ///
    /// A panic in the handler fails the call with `invocation-failed`, outcome `unknown`.
    pub fn new<I, O, E, H>(plugin: &str, method: &str, handler: H) -> Self
    where
        H: for<'r> Handler<'r, A::Running, I, Output = O, Error = E>,
        I: DeserializeOwned + JsonSchema + Send + 'static,
        O: Serialize + Send + 'static,
        E: Into<Failure> + 'static,
    {
        let handler = Arc::new(handler);
        Self::erased::<I>(plugin, method, false, move |input, running, _| {
            let handler = Arc::clone(&handler);
            Box::pin(async move { handler.call(&running, input).await.map(Output::typed).map_err(Into::into) })
        })
    }

    /// The same with the launch's trusted context as a third parameter. The context is no part of the schema, and no
    /// argument can set it.
    pub fn with_context<I, O, E, H>(plugin: &str, method: &str, handler: H) -> Self
    where
        H: for<'r> ContextHandler<'r, A::Running, I, A::Context, Output = O, Error = E>,
        I: DeserializeOwned + JsonSchema + Send + 'static,
        O: Serialize + Send + 'static,
        E: Into<Failure> + 'static,
    {
        let handler = Arc::new(handler);
        Self::erased::<I>(plugin, method, true, move |input, running, context| {
            let handler = Arc::clone(&handler);
            Box::pin(async move {
                let context = context.ok_or_else(|| Failure::opaque("the gate passed no context"))?;
                handler.call(&running, input, context).await.map(Output::typed).map_err(Into::into)
            })
        })
    }

    /// A plain function that may block. It runs on a thread of its own, so the application's timers and connections go
    /// on while it works; it may use blocking clients.
    pub fn blocking<I, O, E, F>(plugin: &str, method: &str, function: F) -> Self
    where
        F: Fn(&A::Running, I) -> Result<O, E> + Send + Sync + 'static,
        I: DeserializeOwned + JsonSchema + Send + 'static,
        O: Serialize + Send + 'static,
        E: Into<Failure> + 'static,
    {
        let function = Arc::new(function);
        Self::erased::<I>(plugin, method, false, move |input, running, _| {
            let function = Arc::clone(&function);
            on_a_blocking_thread(move || function(&running, input).map(Output::typed).map_err(Into::into))
        })
    }

    /// [`blocking`](Operation::blocking) with the launch's trusted context as a third parameter.
    pub fn blocking_with_context<I, O, E, F>(plugin: &str, method: &str, function: F) -> Self
    where
        F: Fn(&A::Running, I, A::Context) -> Result<O, E> + Send + Sync + 'static,
        I: DeserializeOwned + JsonSchema + Send + 'static,
        O: Serialize + Send + 'static,
        E: Into<Failure> + 'static,
    {
        let function = Arc::new(function);
        Self::erased::<I>(plugin, method, true, move |input, running, context| {
            let function = Arc::clone(&function);
            on_a_blocking_thread(move || {
                let context = context.ok_or_else(|| Failure::opaque("the gate passed no context"))?;
                function(&running, input, context).map(Output::typed).map_err(Into::into)
            })
        })
    }

    fn erased<I>(
        plugin: &str,
        method: &str,
        context: bool,
        invoke: impl Fn(I, Arc<A::Running>, Option<A::Context>) -> BoxFuture<'static, Result<Output, Failure>>
        + Send
        + Sync
        + 'static,
    ) -> Self
    where
        I: DeserializeOwned + JsonSchema + Send + 'static,
    {
        let invoke = Arc::new(invoke);
        Self {
            declaration: Declaration::new(plugin, method, schema_of::<I>(), context),
            decode: Arc::new(move |value| {
                let (input, invoke) = (decode::<I>(value)?, Arc::clone(&invoke));
                Ok(Box::new(move |running, context, _| invoke(input, running, context)))
            }),
            place: None,
        }
    }

    /// An operation that is declared at run time and takes its input as it was validated.
    pub(crate) fn at_run_time(declaration: Declaration, place: Option<Place>, run: Run<A>) -> Self {
        Self {
            declaration,
            decode: Arc::new(move |value| {
                let (input, run) = (value.clone(), Arc::clone(&run));
                Ok(Box::new(move |_, context, writing| run(input, context, writing)))
            }),
            place,
        }
    }

    /// Where it was declared, if that is a file.
    pub(crate) fn place(&self) -> Option<&Place> {
        self.place.as_ref()
    }

    /// A refusal of this operation, where it was declared.
    pub(crate) fn refuse(&self, problem: impl Into<String>) -> Refusal {
        refuse(&self.declaration, self.place(), problem)
    }

    /// What the operation does, for the agent that reads it. Say purpose, units and side effects.
    #[must_use]
    pub fn describe(mut self, description: impl Into<String>) -> Self {
        self.declaration.description = description.into();
        self
    }

    /// What the operation does to data; unknown by default.
    #[must_use]
    pub fn effect(mut self, effect: Effect) -> Self {
        self.declaration.effect = effect;
        self
    }

    /// Whether the operation destroys something; by default unknown, which hosts are told as yes.
    #[must_use]
    pub fn destructive(mut self, destructive: bool) -> Self {
        self.declaration.destructive = Some(destructive);
        self
    }

    /// Whether the same call may be made again; unknown by default. opgate itself never repeats a call.
    #[must_use]
    pub fn retry(mut self, retry: Retry) -> Self {
        self.declaration.retry = retry;
        self
    }

    /// What becomes of the work when its caller gives up; unknown by default. A description, no behaviour.
    #[must_use]
    pub fn cancellation(mut self, cancellation: Cancellation) -> Self {
        self.declaration.cancellation = cancellation;
        self
    }

    /// What the result is, in a sentence for the agent.
    #[must_use]
    pub fn output(mut self, output: impl Into<String>) -> Self {
        self.declaration.output = Some(output.into());
        self
    }

    /// Each call needs an explicit yes of the launch's [`confirm`](crate::Binding::confirm) before it is invoked.
    #[must_use]
    pub fn requires_confirmation(mut self) -> Self {
        self.declaration.confirmation = true;
        self
    }

    /// Each call needs an explicit yes of the launch's [`approve`](crate::Binding::approve) before it is invoked.
    #[must_use]
    pub fn requires_approval(mut self) -> Self {
        self.declaration.approval = true;
        self
    }

    /// Masks the part of the result at `pointer`, a JSON Pointer in which `*` stands for any item or member. A pointer
    /// that is malformed refuses the launch.
    #[must_use]
    pub fn secret_output(mut self, pointer: impl Into<String>) -> Self {
        self.declaration.secret_output.push(pointer.into());
        self
    }

    /// Arguments may contain `[REDACTED]` although the operation changes data. Without this they are refused, as an
    /// agent would otherwise write a mask back over the value it hides.
    #[must_use]
    pub fn accepts_redacted(mut self) -> Self {
        self.declaration.accepts_redacted = true;
        self
    }

    /// Where the operation is written, for reviewers; shown as given. Never a path of this machine.
    #[must_use]
    pub fn source(mut self, source: impl Into<String>) -> Self {
        self.declaration.source = Some(source.into());
        self
    }

    /// The operation (`plugin.method`) that tells the state after a failure whose outcome is unknown. Named in such
    /// failures if it is allowed too.
    #[must_use]
    pub fn reconcile(mut self, operation: impl Into<String>) -> Self {
        self.declaration.reconcile = Some(operation.into());
        self
    }

    /// Its declaration, the declared schema by itself, and what decodes its input.
    pub(crate) fn into_parts(mut self) -> (Declaration, Value, Decode<A>) {
        let schema = std::mem::take(&mut self.declaration.schema);
        (self.declaration, schema, self.decode)
    }

    /// What this operation declares.
    #[must_use]
    pub fn declaration(&self) -> &Declaration {
        &self.declaration
    }
}

impl<A: Application> std::fmt::Debug for Operation<A> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Operation").field("declaration", &self.declaration).finish_non_exhaustive()
    }
}

/// A refusal of a declared operation.
pub(crate) fn refuse(declaration: &Declaration, place: Option<&Place>, problem: impl Into<String>) -> Refusal {
    let refusal = Refusal::new(problem).entry(format!("operation {:?}", declaration.name()));
    match place {
        Some(place) => refusal.at(place.clone()),
        None => refusal,
    }
}

fn schema_of<I: JsonSchema>() -> Value {
    SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<I>().to_value()
}

fn on_a_blocking_thread<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> BoxFuture<'static, Result<T, Failure>> {
    Box::pin(async move {
        match tokio::task::spawn_blocking(work).await {
            Ok(result) => result,
            // The gate contains panics where it awaits this future, and knows the phase.
            Err(error) => match error.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                Err(_) => Err(Failure::opaque("the runtime is gone")),
            },
        }
    })
}
