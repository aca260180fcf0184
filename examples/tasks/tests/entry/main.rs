//! What the program promises on each database, with real processes.
#![expect(clippy::unwrap_used, reason = "what cannot be prepared fails the test")]
#![expect(clippy::duplicate_mod, reason = "one list of promises for two databases")]

#[path = "promises.rs"]
mod postgres;
#[path = "promises.rs"]
mod sqlite;

mod demonstration;
mod files;
