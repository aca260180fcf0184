//! What an application team implements.

use crate::failure::Failure;
use crate::operation::Operation;

/// A program whose business functions may be exposed.
///
/// The value itself is the configuration: cheap, and without open connections. [`start`](Application::start) makes a
/// running application from it, fresh for each call, and [`stop`](Application::stop) takes that one down again,
/// whatever happened in between. See the [crate page](crate) for a whole example.
pub trait Application: Sized + Send + Sync + 'static {
    /// A started application: connections, pools, clients. It lives for one call. Handlers borrow it.
    type Running: Send + Sync + 'static;

    /// The trusted second argument of operations made with [`Operation::with_context`]; `()` when unused.
    type Context: Send + 'static;

    /// The declared operations. Declaring exposes nothing: the launch file's allowlist does.
    ///
    /// Called once at launch, before anything is started; it must open nothing.
    fn operations(&self) -> Vec<Operation<Self>>;

    /// The operations that MCP may reach. `None` (the default) means all of [`operations`](Application::operations);
    /// `Some` replaces them for MCP, also when it is empty. The command line always uses `operations`.
    fn mcp_operations(&self) -> Option<Vec<Operation<Self>>> {
        None
    }

    /// Starts the application for one call.
    ///
    /// # Errors
    /// Any error fails the call with `initialization-failed`, outcome `not-started`: nothing was invoked. A safe
    /// failure's message is shown to the caller. A panic is treated as an error.
    fn start(&self) -> impl Future<Output = Result<Self::Running, Failure>> + Send;

    /// Takes a started application down: once, for each one that started, after its operation has ended.
    ///
    /// An operation that spawned tasks joins them here. The call keeps its place until this returns.
    ///
    /// # Errors
    /// Any error or panic fails the call with `cleanup-failed`; a completed operation stays completed.
    fn stop(running: Self::Running) -> impl Future<Output = Result<(), Failure>> + Send {
        async move {
            drop(running);
            Ok(())
        }
    }
}
