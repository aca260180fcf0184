//! The commands beside those that opgate brings.

pub mod demo;
pub mod issue_session;
pub mod migrate;
pub mod revoke_sessions;
pub mod worker;
