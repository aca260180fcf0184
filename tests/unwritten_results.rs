//! A command whose result cannot be written says so: nobody takes a full disk for a success.
#![expect(clippy::expect_used, reason = "what cannot be started fails the test")]
#![expect(clippy::disallowed_methods, reason = "these tests give the command an output of their own")]

use std::fs::File;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use test_host::{Fixture, Signal};

const COMMANDS: [&[&str]; 4] =
    [&["check"], &["list"], &["call", "fixture", "echo", "--input", r#"{"text":"a"}"#], &["try"]];

fn run(fixture: &Fixture, words: &[&str], output: Stdio) -> Output {
    let program = Path::new(env!("CARGO_BIN_EXE_opgate")).parent().expect("a folder").join("examples/fixture");
    Command::new(program)
        .arg(words[0])
        .arg(fixture.launch_file())
        .args(&words[1..])
        .stdin(Stdio::null())
        .stdout(output)
        .output()
        .expect("started")
}

#[test]
fn a_full_disk_is_a_failure() {
    let fixture = Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["echo"]);
    for words in COMMANDS {
        let full = File::options().write(true).open("/dev/full").expect("/dev/full");
        let output = run(&fixture, words, full.into());
        assert_eq!(output.status.code(), Some(1), "{words:?}");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains("could not be written"), "{words:?}: {said}");
    }
}

#[test]
fn a_reader_that_has_seen_enough_is_none() {
    let fixture = Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["echo"]);
    for words in COMMANDS {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let output = run(&fixture, words, writer.into());
        assert_eq!((output.status.code(), &*String::from_utf8_lossy(&output.stderr)), (Some(0), ""), "{words:?}");
    }
}

#[test]
fn a_signal_while_the_result_is_written_does_not_cost_it() {
    let fixture = Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["wait"]);
    for round in 0..40_u64 {
        let mut session =
            fixture.command("call").args(["fixture", "wait", "--input", r#"{"ms":5}"#]).text_output().spawn();
        std::thread::sleep(Duration::from_millis(10 + round));
        if session.runs() {
            session.signal(Signal::TERM);
        }
        let ended = session.wait();
        let code = ended.status.code();
        // Before the call was made nothing is printed and that is said; afterwards everything is.
        match (code, ended.text()) {
            // Or the signal came so early that nothing watched for it.
            (Some(0), "\"waited\"\n") | (None, "") => {}
            (Some(1), "") => assert!(!ended.stderr.contains("could not be written"), "{}", ended.stderr),
            other => panic!("round {round}: {other:?}, {}", ended.stderr),
        }
    }
}
