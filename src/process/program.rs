//! Programs as they are started, for operations and for questions: with what is named for them alone, in a session of their
//! own. One that leads a session cannot leave its group, and has no terminal that could stop it or that it could speak to.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, OnceLock};

use process_wrap::std::{CommandWrap, CommandWrapper, ProcessSession};
use rustix::process::Pid;

/// What is started, the same each time.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) path: PathBuf,
    pub(crate) arguments: Vec<String>,
    pub(crate) folder: PathBuf,
    /// All that it sees.
    pub(crate) variables: Vec<(String, OsString)>,
    pub(crate) errors: Errors,
}

/// Our standard error, which is the relay's pipe, behind a description that no other program has: a program may make it
/// non-blocking without harm to others.
#[derive(Clone, Debug, Default)]
pub(crate) struct Errors(Arc<OnceLock<File>>);

/// Our ends of what joins us with a process.
pub(crate) struct Ends {
    pub(crate) input: ChildStdin,
    pub(crate) output: ChildStdout,
    /// Readable when the process has ended.
    pub(crate) exit: OwnedFd,
}

impl Program {
    /// Starts it as the leader of a new session, and of a process group with its id.
    pub(crate) fn spawn(&self) -> io::Result<Child> {
        #[expect(clippy::disallowed_methods, reason = "this module starts programs")]
        let mut command = Command::new(&self.path);
        command
            .args(&self.arguments)
            .current_dir(&self.folder)
            .env_clear()
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(self.errors.for_one_more()?);
        // The step before the start is all that is needed: the child stays the standard library's own.
        ProcessSession.pre_spawn(&mut command, &CommandWrap::with_new("", |_| {}))?;
        command.spawn()
    }
}

impl Errors {
    fn for_one_more(&self) -> io::Result<Stdio> {
        if self.0.get().is_none() {
            let own = OpenOptions::new().write(true).open("/proc/self/fd/2");
            let own = own.or_else(|_| Ok::<_, io::Error>(File::from(io::stderr().as_fd().try_clone_to_owned()?)))?;
            // Whoever is first wins; the other description is closed again.
            let _ = self.0.set(own);
        }
        let own = self.0.get().ok_or(io::ErrorKind::NotFound)?;
        rustix::io::ioctl_fionbio(own, false)?;
        own.try_clone().map(Stdio::from)
    }
}

impl Ends {
    /// Of a process that was just started. Nobody waits in them.
    pub(crate) fn of(process: &mut Child) -> io::Result<Self> {
        let (input, output) = (process.stdin.take(), process.stdout.take());
        let (Some(input), Some(output)) = (input, output) else { return Err(io::Error::other("no pipes")) };
        rustix::io::ioctl_fionbio(&input, true)?;
        rustix::io::ioctl_fionbio(&output, true)?;
        Ok(Self { input, output, exit: exit_of(process)? })
    }
}

/// A descriptor that is readable once `process` has ended.
fn exit_of(process: &Child) -> io::Result<OwnedFd> {
    #[cfg(target_os = "linux")]
    if let Ok(exit) = rustix::process::pidfd_open(Pid::from_child(process), rustix::process::PidfdFlags::empty()) {
        return Ok(exit);
    }
    let (reader, writer) = io::pipe()?;
    let process = Pid::from_child(process);
    std::thread::Builder::new().name("exit".to_owned()).spawn(move || {
        use rustix::process::{WaitId, WaitIdOptions, waitid};
        // Only looked at, not reaped: its id stays its own.
        while waitid(WaitId::Pid(process), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT)
            .is_err_and(|error| error == rustix::io::Errno::INTR)
        {}
        drop(writer);
    })?;
    Ok(reader.into())
}
