//! What the store promises, against real SQLite files and with a clock of the test's own.
#![expect(clippy::unwrap_used, reason = "what cannot be prepared fails the test")]

mod bounds;
mod changes;
mod opening;
mod ownership;
mod pages;
mod place;
mod sessions;
