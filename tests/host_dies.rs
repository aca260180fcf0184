//! A host that dies takes all its ends with it, at once: the entry finishes what it admitted and ends, without a spin.
#![expect(clippy::expect_used, reason = "what cannot be made or read fails the test")]
#![expect(clippy::disallowed_methods, reason = "these tests hold every end themselves")]

use std::io::{self, Write};
use std::path::Path;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use rustix::io::ioctl_fionbio;
use serde_json::json;
use test_host::{Fixture, message};

struct Entry {
    child: Child,
    ends: Option<(io::PipeWriter, io::PipeReader, io::PipeReader)>,
}

fn start(fixture: &Fixture) -> Entry {
    let program = Path::new(env!("CARGO_BIN_EXE_opgate")).parent().expect("a folder").join("examples/fixture");
    let (their_input, input) = io::pipe().expect("a pipe");
    let (output, their_output) = io::pipe().expect("a pipe");
    let (errors, their_errors) = io::pipe().expect("a pipe");
    let child = Command::new(program)
        .arg("serve")
        .arg(fixture.launch_file())
        .env("FIXTURE_LOG", fixture.folder().join("effects"))
        .stdin(their_input)
        .stdout(their_output)
        .stderr(their_errors)
        .spawn()
        .expect("started");
    Entry { child, ends: Some((input, output, errors)) }
}

impl Entry {
    fn send(&mut self, bytes: &[u8]) {
        let (input, ..) = self.ends.as_mut().expect("alive");
        input.write_all(bytes).expect("taken");
    }

    /// Writes until nothing more is taken for a while.
    fn fill(&mut self, line: &str) {
        let (input, ..) = self.ends.as_mut().expect("alive");
        ioctl_fionbio(&*input, true).expect("non-blocking");
        let lines = line.repeat(100);
        let mut last = Instant::now();
        while last.elapsed() < Duration::from_millis(500) {
            if input.write(lines.as_bytes()).is_ok() {
                last = Instant::now();
            } else {
                std::thread::sleep(Duration::from_millis(5));
            }
        }
    }

    /// The host dies: every end closes. The exit status, and the processor time used until then.
    fn orphan(mut self) -> (Option<i32>, Duration) {
        drop(self.ends.take());
        let died = Instant::now();
        let stat = format!("/proc/{}/stat", self.child.id());
        let mut used = 0;
        let mut first = None;
        loop {
            if let Ok(stat) = std::fs::read_to_string(&stat)
                && let Some(fields) = stat.rsplit(") ").next()
            {
                let fields: Vec<&str> = fields.split(' ').collect();
                let ticks = |index: usize| fields.get(index).and_then(|ticks| ticks.parse::<u64>().ok()).unwrap_or(0);
                let now = ticks(11) + ticks(12);
                used = now - *first.get_or_insert(now);
            }
            if let Some(status) = self.child.try_wait().expect("a child") {
                return (status.code(), Duration::from_millis(used * 10));
            }
            assert!(died.elapsed() < Duration::from_secs(10), "it lives on");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

#[test]
fn while_intake_is_paused() {
    let fixture = Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["echo"]);
    let mut entry = start(&fixture);
    entry.send(message::lines([message::initialize(1, "2025-11-25")]).as_bytes());
    entry.fill(&message::lines([message::list(2)]));
    let (code, used) = entry.orphan();
    assert_eq!(code, Some(1), "answers were owed");
    assert!(used < Duration::from_millis(300), "{used:?} of processor time");
}

#[test]
fn with_both_outputs_while_idle_and_in_mid_call() {
    let fixture = Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["wait"]);
    let mut entry = start(&fixture);
    entry.send(message::lines([message::initialize(1, "2025-11-25")]).as_bytes());
    std::thread::sleep(Duration::from_millis(200));
    assert_eq!(entry.orphan().0, Some(0), "nothing was owed");

    let mut entry = start(&fixture);
    entry.send(
        message::lines([message::initialize(1, "2025-11-25"), message::call(2, "operation_0", &json!({"ms": 1200}))])
            .as_bytes(),
    );
    fixture.wait_for_effect("wait");
    let (code, used) = entry.orphan();
    assert_eq!(code, Some(1), "an answer was owed");
    assert!(used < Duration::from_millis(300), "{used:?} of processor time");
    fixture.wait_for_effect("stop");
}
