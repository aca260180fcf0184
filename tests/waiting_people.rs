//! Whoever waits at a terminal learns what for: a question that is open, a program that does not answer, a call that goes
//! on after a signal. What is given up is not left behind.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::json;
use test_host::{Fixture, Program, Signal};

/// The mistake of beginners: it reads to the end of its input, which comes when the worker is to end.
const HANGS: &str = r#"
import json, os, sys
with open(os.environ["PROGRAM_LOG"], "a") as effects:
    effects.write(f"{os.getpid()}\n")
request = json.loads(sys.stdin.read())
"#;

fn hanging() -> Program {
    Program::new(env!("CARGO_BIN_EXE_opgate"), HANGS).plugin_line("mode = \"worker\"").operation("wait", "")
}

/// The id of the program, once it runs.
fn running(program: &Program) -> String {
    let until = Instant::now() + Duration::from_secs(10);
    loop {
        match program.effects().pop() {
            Some(id) => return id,
            None => assert!(Instant::now() < until, "the program does not run"),
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_worker_that_does_not_answer_is_told_of_with_its_age() {
    let program = hanging();
    let mut session = program.host().deadline(Duration::from_secs(30)).spawn();
    session.initialize("2025-11-25");
    session.call(1, &program.tool("wait"), json!({}));
    session.wait_for_stderr("no answer for 10 s: a worker answers with one line, ended by a line feed and flushed");
    session.signal(Signal::KILL);
    drop(session);
}

#[test]
fn a_signal_says_what_a_call_waits_for() {
    let program = hanging();
    let host = program.command("call").args(["app", "wait"]).text_output();
    let mut session = host.spawn();
    let worker = running(&program);
    session.signal(Signal::INT);
    session.wait_for_stderr("waiting for app.wait to end, running for ");
    fs::metadata(format!("/proc/{worker}")).expect("nothing was forced");
    session.signal(Signal::KILL);
    drop(session);
}

#[test]
fn try_leaves_nothing_behind_when_it_is_interrupted() {
    let program = hanging();
    let mut session = program.command("try").arg("app.wait").text_output().spawn();
    let worker = running(&program);
    session.signal(Signal::INT);
    session.wait_for_stderr("a signal came; what runs has 5 s to end");
    session.signal(Signal::INT);
    let ended = session.wait();
    ended.assert_code(1);
    assert!(ended.stderr.contains("was killed; look at the state"), "{}", ended.stderr);
    assert!(!fs::exists(format!("/proc/{worker}")).expect("/proc"), "the worker is left behind");
}

#[test]
fn try_leaves_nothing_behind_when_it_is_interrupted_before_the_handshake() {
    let fixture = Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["echo"]).switch("CONSTRUCTOR", "2000");
    let mut session = fixture.command("try").text_output().spawn();
    fixture.wait_for_effect("constructor");
    session.signal(Signal::TERM);
    // The session sees to it that no process is left.
    let ended = session.wait();
    ended.assert_code(1);
    assert!(ended.stderr.contains("a signal came"), "{}", ended.stderr);
}

#[test]
fn try_says_that_a_question_waits() {
    let fixture = Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["remove"])
        .private()
        .line("[binding.confirm]\nask = \"terminal\"");
    let host = fixture.command("try").args(["fixture.remove", r#"{"id":"A-7"}"#]).text_output();
    let mut session = host.spawn();
    session.wait_for_stderr("waiting for an answer: see the question with `fixture pending` in another terminal");
    let said = session.stderr();
    let id = said.split("allow ").nth(1).and_then(|rest| rest.split('`').next()).expect("an id").to_owned();
    // So much of it is enough.
    fixture.desk(&["allow", &id[..5]]).run().assert_code(1);
    fixture.desk(&["allow", "ffffff"]).run().assert_code(1);
    fixture.desk(&["allow", &id[..6]]).run().assert_code(0);
    let ended = session.wait();
    ended.assert_code(0);
    assert_eq!(ended.text(), "\"A-7\"\n");
}
