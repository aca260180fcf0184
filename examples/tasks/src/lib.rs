//! A durable report queue, as an example of an application behind opgate.
//!
//! Its operations submit, query, cancel and retry jobs; a separate worker process runs them. The
//! database is the only thing the two share. Ownership is decided here and nowhere else: the
//! session in `TASK_SESSION` names the owner, and no argument of a call can.

pub mod application;
pub mod command;
pub mod environment;
pub mod job;
pub mod service;
pub mod store;
pub mod submission;
pub mod worker;
