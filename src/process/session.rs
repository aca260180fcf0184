//! Programs lead a session of their own: one that leads a session cannot leave its group, and has no terminal that could
//! stop it or that it could speak to.

use std::io;
use std::process::{Child, Command};

use process_wrap::std::{CommandWrap, CommandWrapper, ProcessSession};

/// Starts `command` as the leader of a new session, and of a process group with its id.
pub(crate) fn spawn(mut command: Command) -> io::Result<Child> {
    // The step before the start is all that is needed: the child stays the standard library's own.
    ProcessSession.pre_spawn(&mut command, &CommandWrap::with_new("", |_| {}))?;
    command.spawn()
}
