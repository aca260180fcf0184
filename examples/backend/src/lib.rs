//! What the example applications stand on, beside opgate: one SQL database, sessions that are stored as hashes, and
//! commands for the people who run them.
//!
//! Nothing here knows of a job or a note; what a session may be used for is the application's to say.

mod causes;
pub mod command;
pub mod database;
pub mod environment;
pub mod random;
pub mod session;

pub use self::causes::chain;
