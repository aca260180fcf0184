//! The list of promises, the same for each database: `place` knows which by its module's path.

pub(crate) mod place;

mod cancelling;
mod deduplication;
mod fencing;
mod opening;
mod ownership;
mod recovery;
mod reports;
mod retrying;
mod run_at;
mod sessions;
