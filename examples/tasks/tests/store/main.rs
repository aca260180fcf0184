//! What the store promises, against real SQLite files and with a clock of the test's own.
#![expect(clippy::unwrap_used, reason = "what cannot be prepared fails the test")]

mod cancelling;
mod deduplication;
mod fencing;
mod opening;
mod ownership;
mod place;
mod recovery;
mod reports;
mod retrying;
mod run_at;
mod sessions;
