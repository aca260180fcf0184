//! A host for tests: it starts an entry over real pipes as an MCP host would, talks to it with deadlines, checks every
//! byte of its standard output, validates every message with MCP's schema of its revision, and asserts that it leaves no process behind.
//!
//! ```no_run
//! use serde_json::json;
//! use test_host::Host;
//!
//! let mut session = Host::new("target/debug/tasks").args(["serve", "config/tasks.toml"]).spawn();
//! session.initialize("2025-11-25");
//! session.call(1, "operation_1", json!({"jobId": "7"}));
//! assert_eq!(session.answer_to(1).output(), json!(null));
//! session.close_input();
//! session.wait().assert_code(0);
//! ```
//!
//! Every method that waits has a deadline (10 s unless [`Host::deadline`] says otherwise) and panics with what the
//! entry wrote so far. A session that is dropped kills its entry and everything the entry started.
#![expect(clippy::expect_used, reason = "a test host that cannot do its part fails the test")]
#![expect(clippy::must_use_candidate, reason = "much is called for the assertion in it alone")]

mod asked;
pub mod clients;
mod databases;
mod ended;
mod family;
mod fixture;
mod frame;
mod host;
mod input;
pub mod message;
mod output;
pub mod postgres;
mod program;
mod prompts;
mod session;
pub mod specified;
mod tap;

pub use databases::TestDatabase;
pub use ended::Ended;
pub use fixture::Fixture;
pub use frame::{Checker, Frame, Violation};
pub use host::{Errors, Host};
pub use program::Program;
pub use prompts::Desk;
pub use rustix::process::Signal;
pub use session::Session;
