//! What the program promises, with real processes.
#![expect(clippy::unwrap_used, reason = "what cannot be prepared fails the test")]

mod place;

mod arguments;
mod canaries;
mod commands;
mod denied;
mod not_ready;
mod removal;
mod sides;
mod tools;
mod two_users;
mod updates;
