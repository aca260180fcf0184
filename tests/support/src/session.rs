//! A running entry, and the conversation with it.

use std::collections::VecDeque;
use std::os::fd::OwnedFd;
use std::process::Child;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process, kill_process_group, pidfd_open};
use serde_json::Value;

use crate::asked::Asked;
use crate::ended::Ended;
use crate::family::Family;
use crate::frame::Frame;
use crate::host::Host;
use crate::input::Input;
use crate::message;
use crate::output::{Next, Output};
use crate::tap::{Record, Tap};

/// How often a wait looks for new descendants.
const LOOK: Duration = Duration::from_millis(50);

/// How long a process that was told to end may need to disappear from /proc.
const GRACE: Duration = Duration::from_millis(500);

/// The host's ends of the three streams.
#[derive(Debug)]
pub(crate) struct Ends {
    pub(crate) input: OwnedFd,
    pub(crate) output: OwnedFd,
    pub(crate) errors: Option<OwnedFd>,
    pub(crate) errors_unread: bool,
}

/// A running entry. Dropping it kills it, with everything it started.
#[derive(Debug)]
pub struct Session {
    child: Child,
    handle: OwnedFd,
    family: Family,
    input: Option<Input>,
    asked: Asked,
    output: Output,
    /// Frames that were received while another was waited for.
    kept: VecDeque<Frame>,
    errors: Option<Tap>,
    _errors_unread: Option<OwnedFd>,
    stderr: Record,
    deadline: Duration,
    ended: bool,
}

impl Session {
    pub(crate) fn new(child: Child, ends: Ends, host: &Host, mark: String) -> Self {
        let pid = pid(&child);
        let stderr = Record::default();
        let (read, unread) = if ends.errors_unread { (None, ends.errors) } else { (ends.errors, None) };
        let mut session = Self {
            handle: pidfd_open(pid, PidfdFlags::empty()).expect("a handle of our own child"),
            family: Family::of(pid.as_raw_nonzero().get(), mark),
            child,
            input: Some(Input::new(ends.input)),
            asked: Asked::default(),
            output: Output::new(ends.output, host.output),
            kept: VecDeque::new(),
            errors: read.map(|end| Tap::open(end, stderr.clone(), |_| {})),
            _errors_unread: unread,
            stderr,
            deadline: host.deadline,
            ended: false,
        };
        if host.reading {
            session.start_reading();
        }
        session
    }

    /// The entry's process id.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// What the entry wrote to standard error so far.
    #[must_use]
    pub fn stderr(&self) -> String {
        self.stderr.tail(usize::MAX)
    }

    /// Sends a message.
    ///
    /// # Panics
    ///
    /// If the entry does not take it in time.
    #[track_caller]
    pub fn send(&mut self, message: &Value) {
        self.send_bytes(format!("{message}\n"));
    }

    /// Sends bytes as they are.
    ///
    /// # Panics
    ///
    /// If the entry does not take all of them in time.
    #[track_caller]
    pub fn send_bytes(&mut self, bytes: impl AsRef<[u8]>) {
        let bytes = bytes.as_ref();
        let taken = self.offer(bytes, self.deadline);
        assert!(taken == bytes.len(), "the entry took {taken} of {} bytes{}", bytes.len(), self.report());
    }

    /// Sends bytes until they are taken, the entry is gone or time is up; says how many were taken.
    ///
    /// # Panics
    ///
    /// If the input was closed.
    #[track_caller]
    pub fn offer(&mut self, bytes: &[u8], within: Duration) -> usize {
        let input = self.input.as_ref().expect("the input is still open");
        let taken = input.write(bytes, within);
        self.asked.sent(&bytes[..taken]);
        taken
    }

    /// Sends `tools/call`.
    #[track_caller]
    pub fn call(&mut self, id: impl Into<Value>, tool: &str, arguments: impl Into<Value>) {
        self.send(&message::call(id, tool, &arguments.into()));
    }

    /// The handshake: `initialize`, its answer, `notifications/initialized`. Returns the answer.
    ///
    /// # Panics
    ///
    /// If the answer is not a result in time.
    #[track_caller]
    pub fn initialize(&mut self, revision: &str) -> Frame {
        self.send(&message::initialize("initialize", revision));
        let answer = self.answer_to("initialize");
        assert!(answer["result"].is_object(), "{answer}");
        self.send(&message::notification("notifications/initialized", Value::Null));
        answer
    }

    /// The next frame.
    ///
    /// # Panics
    ///
    /// If none comes in time, or a byte comes that belongs to none.
    #[track_caller]
    pub fn receive(&mut self) -> Frame {
        if let Some(frame) = self.kept.pop_front() {
            return frame;
        }
        match self.next(self.deadline) {
            Next::Frame(frame) => frame,
            Next::Nothing => panic!("no frame within {:?}{}", self.deadline, self.report()),
            Next::End => panic!("standard output ended{}", self.report()),
        }
    }

    /// The answer to a request; other frames are kept for later.
    ///
    /// # Panics
    ///
    /// If it does not come in time, or a byte comes that belongs to no frame.
    #[track_caller]
    #[must_use]
    pub fn answer_to(&mut self, id: impl Into<Value>) -> Frame {
        let id = id.into();
        if let Some(place) = self.kept.iter().position(|frame| frame.answers(&id)) {
            return self.kept.remove(place).expect("a place just found");
        }
        let until = Instant::now() + self.deadline;
        loop {
            match self.next(until.saturating_duration_since(Instant::now())) {
                Next::Frame(frame) if frame.answers(&id) => return frame,
                Next::Frame(frame) => self.kept.push_back(frame),
                Next::Nothing => {
                    panic!("no answer to {id} within {:?}{}", self.deadline, self.report())
                }
                Next::End => panic!("no answer to {id} at end of output{}", self.report()),
            }
        }
    }

    /// Asserts that no frame is left over and none arrives for that long.
    ///
    /// # Panics
    ///
    /// If one does.
    #[track_caller]
    pub fn assert_quiet(&mut self, span: Duration) {
        let next = match self.kept.pop_front() {
            Some(frame) => Next::Frame(frame),
            None => self.next(span),
        };
        if let Next::Frame(frame) = next {
            panic!("nothing should arrive, but: {frame}{}", self.report());
        }
    }

    /// Waits until standard error holds that text.
    ///
    /// # Panics
    ///
    /// If it does not in time.
    #[track_caller]
    pub fn wait_for_stderr(&mut self, text: &str) {
        self.wait_for_stderr_after(0, text);
    }

    /// Waits until standard error holds that text after its first `start` bytes.
    ///
    /// # Panics
    ///
    /// If it does not in time.
    #[track_caller]
    pub fn wait_for_stderr_after(&mut self, start: usize, text: &str) {
        let until = Instant::now() + self.deadline;
        while !self.stderr().get(start..).is_some_and(|told| told.contains(text)) {
            assert!(Instant::now() < until, "standard error lacks {text:?}{}", self.report());
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Starts to read standard output, where [`Host::output_unread`] did not.
    pub fn start_reading(&mut self) {
        self.output.start();
    }

    /// Closes the entry's standard input.
    pub fn close_input(&mut self) {
        self.family.look();
        if let Some(input) = self.input.take() {
            input.close();
        }
    }

    /// The host closes the entry's input, and the entry ends well.
    ///
    /// # Panics
    ///
    /// If it does not, or something is left of it: see [`Session::wait`].
    #[track_caller]
    pub fn close(mut self) -> Ended {
        self.close_input();
        let ended = self.wait();
        ended.assert_code(0);
        ended
    }

    /// Closes our end of standard output: the reader is gone.
    pub fn close_output(&mut self) {
        self.output.close();
    }

    /// Sends a signal to the entry alone, as a host does.
    ///
    /// # Panics
    ///
    /// If the entry has been reaped.
    pub fn signal(&mut self, signal: Signal) {
        self.family.look();
        kill_process(pid(&self.child), signal).expect("the entry is there");
    }

    /// Sends a signal to the entry's process group, as a terminal does.
    ///
    /// # Panics
    ///
    /// If the entry has been reaped.
    pub fn signal_group(&mut self, signal: Signal) {
        self.family.look();
        kill_process_group(pid(&self.child), signal).expect("the entry is there");
    }

    /// Does the entry still run?
    #[must_use]
    pub fn runs(&self) -> bool {
        !self.exited(Duration::ZERO)
    }

    /// Waits for the entry's end.
    ///
    /// # Panics
    ///
    /// If it does not end in time, if a process that it started is left, or if it wrote a byte to standard output that
    /// belongs to no frame.
    #[track_caller]
    pub fn wait(mut self) -> Ended {
        let started = Instant::now();
        let until = started + self.deadline;
        loop {
            self.family.look();
            if self.exited(LOOK) {
                break;
            }
            assert!(Instant::now() < until, "the entry still runs after {:?}{}", self.deadline, self.report());
        }
        let took = started.elapsed();
        self.family.look_everywhere();
        let status = self.child.wait().expect("our own child");
        self.ended = true;
        self.assert_alone();

        self.start_reading();
        let ends =
            [("output", self.output.ended(GRACE)), ("error", self.errors.as_ref().is_none_or(|tap| tap.ended(GRACE)))];
        for (name, ended) in ends {
            assert!(ended, "someone still holds standard {name}{}", self.report());
        }
        let mut frames = Vec::from(std::mem::take(&mut self.kept));
        while let Next::Frame(frame) = self.next(Duration::ZERO) {
            frames.push(frame);
        }
        Ended { status, stdout: self.output.record().bytes(), stderr: self.stderr(), frames, took }
    }

    #[track_caller]
    fn assert_alone(&self) {
        let until = Instant::now() + GRACE;
        loop {
            let left = self.family.left();
            if left.is_empty() {
                return;
            }
            assert!(Instant::now() < until, "processes are left: {left:?}{}", self.report());
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    #[track_caller]
    fn next(&mut self, within: Duration) -> Next {
        match self.output.next(within) {
            Ok(Next::Frame(frame)) => match self.asked.check(&frame) {
                Ok(()) => Next::Frame(frame),
                Err(problem) => panic!("{problem}: {frame}{}", self.report()),
            },
            Ok(next) => next,
            Err(violation) => panic!("{violation}{}", self.report()),
        }
    }

    fn exited(&self, within: Duration) -> bool {
        let within = Timespec::try_from(within).expect("a short time");
        let mut watched = [PollFd::new(&self.handle, PollFlags::IN)];
        poll(&mut watched, Some(&within)).is_ok_and(|ready| ready > 0)
    }

    /// What the entry wrote, for a panic message.
    fn report(&self) -> String {
        format!(
            "\n--- kept frames\n{}\n--- standard output, at its end\n{}\n--- standard error, at its end\n{}\n---",
            self.kept.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"),
            self.output.record().tail(2000),
            self.stderr.tail(4000)
        )
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if !self.ended {
            self.family.look_everywhere();
            let _ = self.child.kill();
            self.family.kill();
            let _ = self.child.wait();
        } else if std::thread::panicking() {
            self.family.kill();
        }
        if !std::thread::panicking() {
            // What nobody received is checked all the same.
            let _ = self.output.ended(GRACE);
            while let Next::Frame(_) = self.next(Duration::ZERO) {}
        }
    }
}

fn pid(child: &Child) -> Pid {
    Pid::from_child(child)
}
