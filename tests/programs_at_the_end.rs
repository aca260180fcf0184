//! However opgate ends, what a program does is whole: it finishes, unless the drain has a deadline.
#![expect(clippy::disallowed_methods, reason = "a test starts programs")]
#![expect(clippy::expect_used, reason = "what cannot be made fails the test")]

use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use serde_json::{Value, json};
use test_host::{Program, Signal, message};

const SCRIPT: &str = include_str!("process/observes.py");
const WORKER: &str = include_str!("process/worker.py");

fn program() -> Program {
    Program::new(env!("CARGO_BIN_EXE_opgate"), SCRIPT).operations(&["work"])
}

#[test]
fn it_is_drained_after_a_signal_to_the_whole_group() {
    let program = program();
    let mut session = program.initialized();
    session.call(1, "operation_0", json!({"seconds": 1}));
    program.wait_for_effect("begins");
    session.signal_group(Signal::INT);
    assert_eq!(session.answer_to(1).output(), json!("worked"));
    session.wait().assert_code(0);
    assert_eq!(program.effects(), ["begins", "commits"]);
}

#[test]
fn ctrl_c_in_a_terminal_lets_it_finish() {
    let program = program();
    let (mut terminal, mut host) = in_a_terminal(&program, "work", r#"{"seconds":1}"#);
    program.wait_for_effect("begins");
    terminal.write_all(b"\x03").expect("typed");
    let mut answer = String::new();
    BufReader::new(host.stdout.take().expect("piped")).read_line(&mut answer).expect("an answer");
    assert_eq!(answer, "\"worked\"\n");
    assert!(host.wait().expect("ended").success());
    assert_eq!(program.effects(), ["begins", "commits"]);
}

/// A terminal whose foreground is `call` of the method, and the host.
fn in_a_terminal(program: &Program, method: &str, input: &str) -> (std::fs::File, std::process::Child) {
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
    grantpt(&terminal).expect("granted");
    unlockpt(&terminal).expect("unlocked");
    let name = ptsname(&terminal, Vec::new()).expect("a name").into_string().expect("a path");
    // A session of its own whose terminal this is; `setsid -c` is what a terminal emulator does.
    let host = Command::new("setsid")
        .args(["-c", "-w"])
        .arg(env!("CARGO_BIN_EXE_opgate"))
        .arg("call")
        .arg(program.launch_file())
        .args(["app", method, "--input", input])
        .env("PROGRAM_LOG", program.folder().join("effects"))
        .stdin(std::fs::OpenOptions::new().read(true).write(true).open(name).expect("its other side"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .expect("setsid, of util-linux");
    (terminal.into(), host)
}

#[test]
fn it_has_no_terminal_that_could_stop_it() {
    let misbehaves = include_str!("process/misbehaves.py");
    let program = Program::new(env!("CARGO_BIN_EXE_opgate"), misbehaves).operation("terminal", "timeout_seconds = 5");
    let (_terminal, mut host) = in_a_terminal(&program, "terminal", "{}");
    let mut answer = String::new();
    BufReader::new(host.stdout.take().expect("piped")).read_line(&mut answer).expect("an answer");
    assert_eq!(answer, "\"no terminal\"\n");
    assert!(host.wait().expect("ended").success());
}

#[test]
fn it_is_not_started_before_somebody_said_yes() {
    let program = Program::new(
        env!("CARGO_BIN_EXE_opgate"),
        &SCRIPT.replace("raw = sys.stdin.read()", "log(\"starts\")\nraw = sys.stdin.read()"),
    )
    .operation("work", "approval = \"required\"")
    .launch_line("[binding.approve]\nask = \"program\"\ncommand = [\"./asker\"]");
    program.file("asker", "#!/bin/sh\necho asked >> effects\nwhile [ ! -e answer ]; do sleep 0.05; done\ncat answer\n");
    let asker = program.folder().join("asker");
    std::fs::set_permissions(asker, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("our own file");
    let mut session = program.initialized();
    session.call(1, "operation_0", json!({"seconds": 0}));
    program.wait_for_effect("asked");
    std::thread::sleep(Duration::from_millis(200));
    assert_eq!(program.effects(), ["asked"]);
    program.file("answer", "yes\n");
    assert_eq!(session.answer_to(1).output(), json!("worked"));
    assert_eq!(program.effects(), ["asked", "starts", "begins", "commits"]);
    session.close();
}

#[test]
fn when_opgate_is_killed_its_effect_is_whole_and_the_audit_tells() {
    let program = program().launch_line("[audit]\nfile = \"audit.jsonl\"");
    let mut session = program.initialized();
    session.call(1, "operation_0", json!({"seconds": 1}));
    program.wait_for_effect("begins");
    session.signal(Signal::KILL);
    program.wait_for_effect("commits");
    program.wait_for_effect("nobody reads");
    let audit = std::fs::read_to_string(program.folder().join("audit.jsonl")).expect("an audit");
    let events: Vec<Value> = audit.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(events.len(), 1, "a first line without its second: {audit}");
    assert_eq!((&events[0]["event"], &events[0]["operation"]), (&json!("invoke"), &json!("app.work")));
}

#[test]
fn over_the_drains_deadline_its_group_is_killed() {
    let program = program().launch_line("[limits]\ndrain_seconds = 1");
    let mut session = program.initialized();
    session.call(1, "operation_0", json!({"seconds": 3}));
    program.wait_for_effect("begins");
    let began = Instant::now();
    session.close_input();
    session.answer_to(1).assert_failure("invocation-failed", "invoke", "unknown");
    session.wait().assert_code(4);
    assert!(began.elapsed() < Duration::from_millis(2500), "{:?}", began.elapsed());
    std::thread::sleep(Duration::from_millis(3500).saturating_sub(began.elapsed()));
    assert_eq!(program.effects(), ["begins"], "it was killed");
}

#[test]
fn over_the_drains_deadline_a_worker_is_killed() {
    let program = Program::new(env!("CARGO_BIN_EXE_opgate"), WORKER)
        .plugin_line("mode = \"worker\"")
        .operations(&["slow", "echo"])
        .launch_line("[limits]\ndrain_seconds = 1");
    let mut session = program.initialized();
    session.call(1, &program.tool("slow"), json!({"seconds": 30}));
    program.wait_for_effect("slow");
    session.close_input();
    session.answer_to(1).assert_failure("invocation-failed", "invoke", "unknown");
    let ended = session.wait();
    ended.assert_code(4);
    assert!(ended.took < Duration::from_millis(2500), "{:?}", ended.took);
}

#[test]
fn a_cancelled_call_runs_on_and_keeps_its_place() {
    let program = program();
    let mut session = program.initialized();
    session.call(1, "operation_0", json!({"seconds": 1}));
    program.wait_for_effect("begins");
    session.send(&message::cancel(1));
    session.call(2, "operation_0", json!({"seconds": 0}));
    session.answer_to(2).assert_failure("adapter-busy", "admit", "not-started");
    program.wait_for_effect("commits");
    session.close();
    assert_eq!(program.effects(), ["begins", "commits"]);
}
