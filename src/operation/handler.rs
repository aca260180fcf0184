//! The shapes a handler may have. Both traits name the handler's future, so that it can be bounded by `Send`; nobody
//! implements them by hand.

/// An `async fn(&Running, Input) -> Result<Output, Error>`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no handler for an operation with the input `{I}`",
    label = "expected `async fn(&Running, Input) -> Result<Output, Failure>`"
)]
pub trait Handler<'r, R, I>: Send + Sync + 'static {
    /// What a successful call returns.
    type Output;
    /// What a failed call returns.
    type Error;
    /// The future of one call; it may borrow the running application.
    type Future: Future<Output = Result<Self::Output, Self::Error>> + Send + 'r;
    /// Starts one call.
    fn call(&self, running: &'r R, input: I) -> Self::Future;
}

impl<'r, F, Fut, R, I, O, E> Handler<'r, R, I> for F
where
    F: Fn(&'r R, I) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<O, E>> + Send + 'r,
    R: 'r,
{
    type Output = O;
    type Error = E;
    type Future = Fut;
    fn call(&self, running: &'r R, input: I) -> Fut {
        self(running, input)
    }
}

/// An `async fn(&Running, Input, Context) -> Result<Output, Error>`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no handler for an operation with the input `{I}` and the context `{C}`",
    label = "expected `async fn(&Running, Input, Context) -> Result<Output, Failure>`"
)]
pub trait ContextHandler<'r, R, I, C>: Send + Sync + 'static {
    /// What a successful call returns.
    type Output;
    /// What a failed call returns.
    type Error;
    /// The future of one call; it may borrow the running application.
    type Future: Future<Output = Result<Self::Output, Self::Error>> + Send + 'r;
    /// Starts one call.
    fn call(&self, running: &'r R, input: I, context: C) -> Self::Future;
}

impl<'r, F, Fut, R, I, C, O, E> ContextHandler<'r, R, I, C> for F
where
    F: Fn(&'r R, I, C) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<O, E>> + Send + 'r,
    R: 'r,
{
    type Output = O;
    type Error = E;
    type Future = Fut;
    fn call(&self, running: &'r R, input: I, context: C) -> Fut {
        self(running, input, context)
    }
}
