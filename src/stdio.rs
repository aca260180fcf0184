//! The guarded stream: standard output carries frames and nothing else, from the first byte to the last.
//!
//! Invariant: before any application code runs, the protocol's descriptors are private copies that no child inherits;
//! descriptor 0 is at end of file; 1 and 2 are pipes of ours that are always drained. Done once, never toggled.

mod descriptors;
mod frame;
mod input;
mod output;
mod recover;
mod relay;
mod writer;

pub(crate) use descriptors::{Guarded, guard};
pub(crate) use frame::{Frames, Line};
pub(crate) use input::Input;
pub(crate) use output::Output;
pub(crate) use recover::Recover;
pub(crate) use relay::Relay;
pub(crate) use writer::{Sent, Writer};
