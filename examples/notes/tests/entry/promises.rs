//! The list of promises, the same for each database: `place` knows which by its module's path.

pub(crate) mod place;

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
