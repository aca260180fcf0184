//! The list of promises, the same for each database: `place` knows which by its module's path.

pub(crate) mod place;

mod bounds;
mod changes;
mod opening;
mod ownership;
mod pages;
mod sessions;
