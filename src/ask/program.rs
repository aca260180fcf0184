//! `ask = "program"`: a program of the launch file's gets the prompt as JSON on standard input. Exit status 0 and exactly
//! the word `yes` mean yes, everything else means no.
//!
//! Trust boundary: it gets the prompt and the variables that the launch file names for it; never the context, and no
//! descriptor of ours. It leads a process group, and the whole group has ended when the answer counts.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use super::{Open, Prompt, Told, on_a_thread};
use crate::environment::Environment;
use crate::gate::Stop;
use crate::launch::{AskingProgram, PinnedFiles, command};
use crate::process::session;
use crate::shutdown::{Woken, wake};

/// How long a group that was asked to end may take.
const GRACE: Duration = Duration::from_millis(500);
/// The longest answer that can be a yes.
const LONGEST: usize = 5;

#[derive(Clone)]
pub(crate) struct Program {
    path: PathBuf,
    arguments: Vec<String>,
    variables: Vec<(String, OsString)>,
    folder: PathBuf,
    pinned: PinnedFiles,
}

impl Program {
    pub(super) fn new(named: &AskingProgram, environment: &Environment, pinned: &PinnedFiles) -> Self {
        Self {
            path: named.program.clone(),
            arguments: named.arguments.clone(),
            variables: command::variables(&named.variables, environment),
            folder: named.folder.clone(),
            pinned: pinned.clone(),
        }
    }

    pub(super) async fn ask(&self, prompt: &Prompt, stop: &Stop) -> Told {
        let (program, question) = (self.clone(), prompt.to_json() + "\n");
        on_a_thread(stop, prompt.timeout, move |open: &Open| match program.start() {
            Ok(asked) => asked.answer(question.as_bytes(), open),
            Err(error) => {
                tracing::warn!(target: "opgate::ask", program = %program.path.display(), %error);
                Told::Failed("the program could not be started")
            }
        })
        .await
    }

    /// Starts it, if what was pinned is still what is there.
    fn start(&self) -> io::Result<Asked> {
        self.pinned.check().map_err(io::Error::other)?;
        #[expect(clippy::disallowed_methods, reason = "it inherits what is named here alone")]
        let mut command = Command::new(&self.path);
        command
            .args(&self.arguments)
            .env_clear()
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .current_dir(&self.folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // A pipe of the relay's, which masks secrets.
            .stderr(Stdio::inherit());
        let mut child = session::spawn(command)?;
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let asked = Asked { group: Pid::from_child(&child), child, stdin, stdout, said: Vec::new() };
        // Our ends of the pipes are ours alone.
        let prepared = [asked.stdin.as_ref().map(AsFd::as_fd), asked.stdout.as_ref().map(AsFd::as_fd)]
            .into_iter()
            .flatten()
            .try_for_each(|end| fcntl_setfl(end, fcntl_getfl(end)? | OFlags::NONBLOCK));
        match prepared {
            Ok(()) => Ok(asked),
            Err(error) => {
                let _ = asked.give_up("");
                Err(error.into())
            }
        }
    }
}

/// The running program. It is reaped last, so that the number of its group stays taken while that can be signalled.
struct Asked {
    child: Child,
    group: Pid,
    stdin: Option<ChildStdin>,
    stdout: Option<ChildStdout>,
    said: Vec<u8>,
}

impl Asked {
    fn answer(mut self, question: &[u8], open: &Open) -> Told {
        let group = self.group;
        let Ok((ended, woken)) = wake() else { return self.give_up("no descriptors are left") };
        let waiter = thread::Builder::new().name("asker wait".to_owned()).spawn(move || {
            // Without reaping it.
            while let Err(Errno::INTR) = waitid(WaitId::Pid(group), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT) {}
            ended.wake();
        });
        let Ok(waiter) = waiter else { return self.give_up("no thread could be started") };
        match self.converse(question, open, &woken) {
            None => {
                let late = open.ended();
                let told = self.read_answer();
                let told = late.unwrap_or(told);
                // It has ended: the program was reaped.
                let _ = waiter.join();
                told
            }
            Some(told) => {
                if self.cut_short(&woken) {
                    let _ = waiter.join();
                }
                told
            }
        }
    }

    /// Until the program has ended by itself, or what ended the conversation before that.
    fn converse(&mut self, mut question: &[u8], open: &Open, woken: &Woken) -> Option<Told> {
        loop {
            if let Some(told) = open.ended() {
                return Some(told);
            }
            let ready = {
                let mut wanted = vec![PollFd::new(&open.woken, PollFlags::IN), PollFd::new(woken, PollFlags::IN)];
                wanted.extend(self.stdin.as_ref().map(|stdin| PollFd::new(stdin, PollFlags::OUT)));
                wanted.extend(self.stdout.as_ref().map(|stdout| PollFd::new(stdout, PollFlags::IN)));
                match poll(&mut wanted, open.left(None).as_ref()) {
                    Ok(_) | Err(Errno::INTR) => {}
                    Err(_) => return Some(Told::Failed("the program cannot be polled")),
                }
                !wanted[1].revents().is_empty()
            };
            if let Some(stdin) = &mut self.stdin
                && !tell(stdin, &mut question)
            {
                self.stdin = None;
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
        while let Some(stdout) = &mut self.stdout
            && self.said.len() <= LONGEST
        {
            match stdout.read(&mut bytes) {
                Ok(0) => self.stdout = None,
                Ok(count) => self.said.extend_from_slice(&bytes[..count]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(_) => self.stdout = None,
            }
        }
    }

    /// The answer of a program that has ended. What it left in its group is ended with it.
    fn read_answer(mut self) -> Told {
        self.kill(Signal::KILL);
        let is_yes = matches!(&*self.said, b"yes" | b"yes\n" | b"yes\r\n");
        let status = self.child.wait();
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

    /// Ends a program that still runs, kindly at first; `woken` says that it has ended. False if it cannot be ended, as it
    /// is another user's by now.
    fn cut_short(mut self, woken: &Woken) -> bool {
        drop((self.stdin.take(), self.stdout.take()));
        self.kill(Signal::TERM);
        let ended = wait_for(woken);
        self.kill(Signal::KILL);
        if ended || wait_for(woken) {
            let _ = self.child.wait();
            return true;
        }
        tracing::warn!(target: "opgate::ask", "the program that was asked cannot be ended by this user, and is left behind");
        let mut child = self.child;
        // Reaped whenever it ends; nobody waits for that.
        let _ = thread::Builder::new().name("asker wait".to_owned()).spawn(move || child.wait());
        false
    }

    fn give_up(mut self, why: &'static str) -> Told {
        self.kill(Signal::KILL);
        let _ = self.child.wait();
        Told::Failed(why)
    }

    fn kill(&self, signal: Signal) {
        // A group that is gone already is what is wanted.
        let _ = kill_process_group(self.group, signal);
    }
}

/// Whether the program ends within its grace.
fn wait_for(woken: &Woken) -> bool {
    let until = Instant::now() + GRACE;
    while let Some(left) = until.checked_duration_since(Instant::now()) {
        let timeout = Timespec::try_from(left).ok();
        match poll(&mut [PollFd::new(woken, PollFlags::IN)], timeout.as_ref()) {
            Err(Errno::INTR) => {}
            ready => return ready.is_ok_and(|ready| ready > 0),
        }
    }
    false
}

/// Hands over what the program takes of the question; whether there is more.
fn tell(stdin: &mut ChildStdin, question: &mut &[u8]) -> bool {
    while !question.is_empty() {
        match stdin.write(question) {
            Ok(count) => *question = &question[count..],
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return true,
            // It does not want to know.
            Err(_) => return false,
        }
    }
    false
}
