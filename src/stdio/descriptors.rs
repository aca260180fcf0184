//! Moves the protocol's descriptors to private ones, and puts harmless ones in their places.

use std::fs::File;
use std::io::{self, PipeReader};
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{FileType, fstat};

/// What used to be the standard streams, and what is written to their replacements.
pub(crate) struct Guarded {
    pub(crate) input: OwnedFd,
    pub(crate) output: OwnedFd,
    pub(crate) errors: OwnedFd,
    /// What operations and their children write to descriptors 1 and 2.
    pub(crate) stray: [PipeReader; 2],
    /// Standard output and standard error are one file: nothing may be relayed there.
    pub(crate) one_file: bool,
}

/// Takes the standard streams away from everything but the protocol. The copies are close-on-exec.
///
/// # Errors
/// Any failure; the process must then end before its first frame.
pub(crate) fn guard() -> io::Result<Guarded> {
    let input = rustix::stdio::stdin().try_clone_to_owned()?;
    let output = rustix::stdio::stdout().try_clone_to_owned()?;
    let errors = rustix::stdio::stderr().try_clone_to_owned()?;
    let one_file = is_one_file(&output, &errors)?;
    // What a host left open for us by accident must not reach children.
    close_fds::set_fds_cloexec(3, &[]);

    let (from_output, to_output) = io::pipe()?;
    let (from_errors, to_errors) = io::pipe()?;
    rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
    rustix::stdio::dup2_stdout(&to_output)?;
    rustix::stdio::dup2_stderr(&to_errors)?;
    Ok(Guarded { input, output, errors, stray: [from_output, from_errors], one_file })
}

fn is_one_file(output: &impl AsFd, errors: &impl AsFd) -> io::Result<bool> {
    let (output, errors) = (fstat(output)?, fstat(errors)?);
    // Character devices such as /dev/null are shared by everybody, but a terminal is one screen.
    let null = FileType::from_raw_mode(output.st_mode) == FileType::CharacterDevice && is_null(&output);
    Ok(!null && (output.st_dev, output.st_ino) == (errors.st_dev, errors.st_ino))
}

fn is_null(stat: &rustix::fs::Stat) -> bool {
    rustix::fs::stat("/dev/null").is_ok_and(|null| null.st_rdev == stat.st_rdev)
}
