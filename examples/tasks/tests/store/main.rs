//! What the store promises, on each database and with a clock of the test's own.
#![expect(clippy::unwrap_used, reason = "what cannot be prepared fails the test")]
#![expect(clippy::duplicate_mod, reason = "one list of promises for two databases")]

#[path = "promises.rs"]
mod postgres;
#[path = "promises.rs"]
mod sqlite;

mod files;
mod held;
