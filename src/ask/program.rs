//! `ask = "program"`: a program of the launch file's gets the prompt as JSON on standard input. Exit status 0 and exactly
//! the word `yes` mean yes, everything else means no.
//!
//! Trust boundary: it gets the prompt and the variables that the launch file names for it; never the context, and no
//! descriptor of ours. It leads a process group, and the whole group has ended when the answer counts.

use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::process::{Child, ChildStdin, ChildStdout};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process_group};

use super::{Open, Prompt, Told, on_a_thread};
use crate::environment::Environment;
use crate::gate::Stop;
use crate::launch::{AskingProgram, PinnedFiles, command};
use crate::process::program::{self, Ends, Errors};

/// How long a group that was asked to end may take.
const GRACE: Duration = Duration::from_millis(500);
/// The longest answer that can be a yes.
const LONGEST: usize = 5;

#[derive(Clone)]
pub(crate) struct Program {
    program: program::Program,
    pinned: PinnedFiles,
}

impl Program {
    pub(super) fn new(named: &AskingProgram, environment: &Environment, pinned: &PinnedFiles) -> Self {
        let program = program::Program {
            path: named.program.clone(),
            arguments: named.arguments.clone(),
            folder: named.folder.clone(),
            variables: command::variables(&named.variables, environment),
            errors: Errors::default(),
        };
        Self { program, pinned: pinned.clone() }
    }

    pub(super) async fn ask(&self, prompt: &Prompt, stop: &Stop) -> Told {
        let (this, question) = (self.clone(), prompt.to_json() + "\n");
        on_a_thread(stop, prompt.timeout, move |open: &Open| match this.start() {
            Ok(asked) => asked.answer(question.as_bytes(), open),
            Err(error) => {
                tracing::warn!(target: "opgate::ask", program = %this.program.path.display(), %error);
                Told::Failed("the program could not be started")
            }
        })
        .await
    }

    /// Starts it, if what was pinned is still what is there.
    fn start(&self) -> io::Result<Running> {
        self.pinned.check().map_err(io::Error::other)?;
        let mut process = self.program.spawn()?;
        let group = Pid::from_child(&process);
        match Ends::of(&mut process) {
            Ok(Ends { input, output, exit }) => {
                Ok(Running { process, group, input: Some(input), output: Some(output), exit, said: Vec::new() })
            }
            Err(error) => {
                let _ = kill_process_group(group, Signal::KILL);
                let _ = process.wait();
                Err(error)
            }
        }
    }
}

/// The running program. It is reaped last, so that the number of its group stays taken while that can be signalled.
struct Running {
    process: Child,
    group: Pid,
    input: Option<ChildStdin>,
    output: Option<ChildStdout>,
    /// Readable when the program has ended.
    exit: OwnedFd,
    said: Vec<u8>,
}

impl Running {
    fn answer(mut self, question: &[u8], open: &Open) -> Told {
        match self.converse(question, open) {
            None => {
                let late = open.ended();
                let told = self.read_answer();
                late.unwrap_or(told)
            }
            Some(told) => {
                self.cut_short();
                told
            }
        }
    }

    /// Until the program has ended by itself, or what ended the conversation before that.
    fn converse(&mut self, mut question: &[u8], open: &Open) -> Option<Told> {
        loop {
            if let Some(told) = open.ended() {
                return Some(told);
            }
            let ready = {
                let mut wanted = vec![PollFd::new(&open.woken, PollFlags::IN), PollFd::new(&self.exit, PollFlags::IN)];
                wanted.extend(self.input.as_ref().map(|input| PollFd::new(input, PollFlags::OUT)));
                wanted.extend(self.output.as_ref().map(|output| PollFd::new(output, PollFlags::IN)));
                match poll(&mut wanted, open.left(None).as_ref()) {
                    Ok(_) | Err(Errno::INTR) => {}
                    Err(_) => return Some(Told::Failed("the program cannot be polled")),
                }
                !wanted[1].revents().is_empty()
            };
            if let Some(input) = &mut self.input
                && !tell(input, &mut question)
            {
                self.input = None;
            }
            self.listen();
            if self.said.len() > LONGEST {
                return Some(Told::Failed("the program said more than an answer"));
            }
            if ready {
                return None;
            }
        }
    }

    /// Takes what was said so far.
    fn listen(&mut self) {
        let mut bytes = [0; 64];
        while let Some(output) = &mut self.output
            && self.said.len() <= LONGEST
        {
            match output.read(&mut bytes) {
                Ok(0) => self.output = None,
                Ok(count) => self.said.extend_from_slice(&bytes[..count]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(_) => self.output = None,
            }
        }
    }

    /// The answer of a program that has ended. What it left in its group is ended with it.
    fn read_answer(mut self) -> Told {
        self.kill(Signal::KILL);
        let is_yes = matches!(&*self.said, b"yes" | b"yes\n" | b"yes\r\n");
        let status = self.process.wait();
        match status {
            Ok(status) if status.success() && is_yes => Told::Yes,
            Ok(status) if status.success() && matches!(&*self.said, b"no" | b"no\n" | b"no\r\n") => Told::No,
            // It may be a person who closed a dialog, or a program that broke: nobody can tell which.
            Ok(status) => {
                tracing::warn!(target: "opgate::ask", "the program that was asked ended with {status} and said neither yes nor no");
                Told::Failed("the program said neither yes nor no")
            }
            Err(error) => {
                tracing::warn!(target: "opgate::ask", %error, "the program that was asked cannot be waited for");
                Told::Failed("the program cannot be waited for")
            }
        }
    }

    /// Ends a program that still runs, kindly at first.
    fn cut_short(mut self) {
        drop((self.input.take(), self.output.take()));
        self.kill(Signal::TERM);
        let ended = self.ends_in_time();
        self.kill(Signal::KILL);
        if ended || self.ends_in_time() {
            let _ = self.process.wait();
            return;
        }
        tracing::warn!(target: "opgate::ask", "the program that was asked cannot be ended by this user, and is left behind");
        let mut process = self.process;
        // Reaped whenever it ends; nobody waits for that.
        let _ = thread::Builder::new().name("asker wait".to_owned()).spawn(move || process.wait());
    }

    /// Whether the program ends within its grace.
    fn ends_in_time(&self) -> bool {
        let until = Instant::now() + GRACE;
        while let Some(left) = until.checked_duration_since(Instant::now()) {
            let timeout = Timespec::try_from(left).ok();
            match poll(&mut [PollFd::new(&self.exit, PollFlags::IN)], timeout.as_ref()) {
                Err(Errno::INTR) => {}
                ready => return ready.is_ok_and(|ready| ready > 0),
            }
        }
        false
    }

    fn kill(&self, signal: Signal) {
        // A group that is gone already is what is wanted.
        let _ = kill_process_group(self.group, signal);
    }
}

/// Hands over what the program takes of the question; whether there is more.
fn tell(input: &mut ChildStdin, question: &mut &[u8]) -> bool {
    while !question.is_empty() {
        match input.write(question) {
            Ok(count) => *question = &question[count..],
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return true,
            // It does not want to know.
            Err(_) => return false,
        }
    }
    false
}
