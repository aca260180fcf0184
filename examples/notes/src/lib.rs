//! Notes of several users in one database, as an example of an application behind opgate that decides for itself who may
//! do what.
//!
//! Each operation authenticates the session in its launch context, for that very operation, and touches the notes of the
//! session's owner alone. The allowlist says what an agent can reach; it grants nothing here. No argument can name an
//! owner or a session.

pub mod application;
pub mod command;
pub mod context;
pub mod environment;
pub mod input;
pub mod note;
pub mod service;
pub mod session;
pub mod store;
