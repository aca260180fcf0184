//! How an entry is started.

use std::env;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::ended::Ended;
use crate::output::Holds;
use crate::session::{Ends, Session};

/// The variable by which the processes of an entry are known.
const MARK: &str = "TEST_HOST_ENTRY";

/// How many entries this process started.
static STARTED: AtomicUsize = AtomicUsize::new(0);

/// What happens to standard error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Errors {
    /// It is read to its end and given back: the default.
    Captured,
    /// It is a pipe that nobody ever reads.
    Unread,
    /// It is `/dev/null`.
    Null,
    /// It is the same pipe as standard output.
    Output,
}

/// What carries the three streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Channel {
    Pipes,
    Sockets,
    OneSocket,
}

/// The variables that hosts pass to the entries they start.
const PASSED: [&str; 6] = ["HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"];

/// How an entry is started: program, arguments, environment and the three standard streams.
///
/// As under real hosts, the entry sees only `HOME LOGNAME PATH SHELL TERM USER` and what [`Host::env`] adds (and a mark of
/// the test host), and it leads a process group of its own.
#[derive(Debug, Clone)]
#[must_use]
pub struct Host {
    program: PathBuf,
    args: Vec<OsString>,
    env: Vec<(OsString, OsString)>,
    inherit_env: bool,
    folder: Option<PathBuf>,
    channel: Channel,
    errors: Errors,
    pub(crate) output: Holds,
    pub(crate) reading: bool,
    pub(crate) deadline: Duration,
}

impl Host {
    /// A host of this program.
    pub fn new(program: impl AsRef<Path>) -> Self {
        Self {
            program: program.as_ref().to_owned(),
            args: Vec::new(),
            env: Vec::new(),
            inherit_env: false,
            folder: None,
            channel: Channel::Pipes,
            errors: Errors::Captured,
            output: Holds::Frames,
            reading: true,
            deadline: Duration::from_secs(10),
        }
    }

    /// One more argument.
    pub fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.args.push(arg.as_ref().to_owned());
        self
    }

    /// More arguments.
    pub fn args<S: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = S>) -> Self {
        let args = args.into_iter().map(|arg| arg.as_ref().to_owned());
        self.args.extend(args);
        self
    }

    /// One more variable; the last of a name counts.
    pub fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        let pair = (name.as_ref().to_owned(), value.as_ref().to_owned());
        self.env.push(pair);
        self
    }

    /// Passes the whole environment of the test.
    pub fn inherit_env(mut self) -> Self {
        self.inherit_env = true;
        self
    }

    /// The working directory; the test's own if this is not called.
    pub fn current_dir(mut self, folder: impl AsRef<Path>) -> Self {
        self.folder = Some(folder.as_ref().to_owned());
        self
    }

    /// Socket pairs instead of pipes for all three streams, as Node gives.
    pub fn socket_pair(mut self) -> Self {
        self.channel = Channel::Sockets;
        self
    }

    /// One socket for both standard input and standard output.
    pub fn one_socket(mut self) -> Self {
        self.channel = Channel::OneSocket;
        self
    }

    /// What happens to standard error.
    pub fn errors(mut self, errors: Errors) -> Self {
        self.errors = errors;
        self
    }

    /// Allows batches on standard output.
    pub fn batches(mut self) -> Self {
        self.output = Holds::Batches;
        self
    }

    /// Standard output is text for people, not frames: it is not checked.
    pub fn text_output(mut self) -> Self {
        self.output = Holds::Text;
        self
    }

    /// Does not read standard output before [`Session::start_reading`].
    pub fn output_unread(mut self) -> Self {
        self.reading = false;
        self
    }

    /// How long each method of the session waits at most.
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = deadline;
        self
    }

    /// Starts the entry with that signal ignored (`HUP`, `INT`, `TERM`), as nohup and background shells do.
    pub fn ignoring(self, signal: &str) -> Self {
        let script = format!("trap '' {signal}; exec \"$0\" \"$@\"");
        let mut wrapped = Self {
            program: PathBuf::from("/bin/sh"),
            args: vec!["-c".into(), script.into(), self.program.clone().into()],
            ..self.clone()
        };
        wrapped.args.extend(self.args);
        wrapped
    }

    /// Starts the entry.
    ///
    /// # Panics
    ///
    /// If the program cannot be started.
    #[must_use]
    #[track_caller]
    #[allow(clippy::disallowed_methods, reason = "this module starts the entries under test")]
    pub fn spawn(self) -> Session {
        let mut command = Command::new(&self.program);
        command.args(&self.args).process_group(0);
        if !self.inherit_env {
            command.env_clear();
            command.envs(PASSED.iter().filter_map(|name| {
                let value = env::var_os(name)?;
                Some((name, value))
            }));
        }
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        if let Some(folder) = &self.folder {
            command.current_dir(folder);
        }
        let mark = format!("{}-{}", std::process::id(), STARTED.fetch_add(1, Ordering::Relaxed));
        command.env(MARK, &mark);
        let ends = self.connect(&mut command);
        let child = command.spawn().unwrap_or_else(|error| panic!("cannot start {}: {error}", self.program.display()));
        // The command holds the entry's ends: while it lives, no output ever ends.
        drop(command);
        Session::new(child, ends, &self, format!("{MARK}={mark}"))
    }

    /// Starts the entry, closes its input at once and waits for its end: for commands, and for launches that are
    /// refused.
    #[track_caller]
    pub fn run(self) -> Ended {
        let mut session = self.spawn();
        session.close_input();
        session.wait()
    }

    fn connect(&self, command: &mut Command) -> Ends {
        let (their_input, input) = self.pair(Direction::In);
        let (theirs, output) = if self.channel == Channel::OneSocket {
            let again = |end: &OwnedFd| end.try_clone().expect("one more descriptor");
            (again(&their_input), again(&input))
        } else {
            self.pair(Direction::Out)
        };
        command.stdin(Stdio::from(their_input));
        let shared = theirs.try_clone().expect("one more descriptor");
        command.stdout(Stdio::from(theirs));
        let errors = match self.errors {
            Errors::Captured | Errors::Unread => {
                let (theirs, ours) = self.pair(Direction::Out);
                command.stderr(Stdio::from(theirs));
                Some(ours)
            }
            Errors::Null => {
                command.stderr(Stdio::null());
                None
            }
            Errors::Output => {
                command.stderr(Stdio::from(shared));
                None
            }
        };
        Ends { input, output, errors, errors_unread: self.errors == Errors::Unread }
    }

    /// The entry's end and ours.
    fn pair(&self, direction: Direction) -> (OwnedFd, OwnedFd) {
        if matches!(self.channel, Channel::Sockets | Channel::OneSocket) {
            let (theirs, ours) = UnixStream::pair().expect("a socket pair");
            return (theirs.into(), ours.into());
        }
        let (reader, writer) = io::pipe().expect("a pipe");
        match direction {
            Direction::In => (reader.into(), writer.into()),
            Direction::Out => (writer.into(), reader.into()),
        }
    }
}

#[derive(Clone, Copy)]
enum Direction {
    In,
    Out,
}
