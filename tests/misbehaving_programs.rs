//! Whatever a program does, its call ends with a clear diagnostic and the right outcome when its process has ended, and
//! the next call works.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use test_host::{Program, Session};

const SCRIPT: &str = include_str!("process/misbehaves.py");

struct App {
    program: Program,
    session: Session,
    calls: i64,
}

/// The application with this operation, besides `echo`.
fn app(method: &str, lines: &str) -> App {
    let program = Program::new(env!("CARGO_BIN_EXE_opgate"), SCRIPT).operation("echo", "").operation(method, lines);
    let mut session = program.host().deadline(Duration::from_secs(30)).spawn();
    session.initialize("2025-11-25");
    App { program, session, calls: 0 }
}

impl App {
    fn call(&mut self, method: &str, input: &Value) -> test_host::Frame {
        self.calls += 1;
        self.session.call(self.calls, &self.program.tool(method), input.clone());
        self.session.answer_to(self.calls)
    }

    /// The diagnostic of a call that fails so.
    fn fails(&mut self, method: &str, code: &str, phase: &str, outcome: &str) -> Value {
        self.call(method, &json!({})).assert_failure(code, phase, outcome)
    }

    /// The next call works, nothing is left, and this was written to standard error.
    fn goes_on(mut self, said: &[&str]) -> String {
        assert_eq!(
            self.call("echo", &json!({"n": 18_446_744_073_709_551_615_u64})).output()["n"],
            18_446_744_073_709_551_615_u64
        );
        self.session.close_input();
        let ended = self.session.wait();
        ended.assert_code(0);
        for text in said {
            assert!(ended.stderr.contains(text), "standard error lacks {text:?}:\n{}", ended.stderr);
        }
        ended.stderr
    }
}

/// Not an answer: the outcome is unknown, and the log says what was expected.
fn is_no_answer(method: &str, said: &str) {
    let mut app = app(method, "");
    app.fails(method, "invocation-failed", "invoke", "unknown");
    app.goes_on(&[said, "app."]);
}

#[test]
fn garbage_two_objects_nothing_and_broken_json_are_no_answers() {
    for (method, said) in [
        ("garbage", "does not begin with {"),
        ("two", "more than one JSON object"),
        ("nothing", "it wrote no answer"),
        ("closes_at_once", "it wrote no answer"),
        ("not_utf8", "not UTF-8"),
        ("not_a_number", "is not JSON"),
        ("twice_the_key", "is there twice"),
    ] {
        is_no_answer(method, said);
    }
}

#[test]
fn a_hundred_megabytes_are_discarded_and_the_program_finishes() {
    let mut app = app("much", "");
    let failed = app.fails("much", "output-too-large", "output", "completed");
    assert_eq!(failed["details"]["limit"], 1 << 20);
    assert!(app.program.effects().contains(&"much is written".to_owned()));
    let peak = peak_memory(app.session.id());
    assert!(peak < 64 << 10, "{peak} KiB");
    app.goes_on(&[]);

    let mut app = self::app("much_garbage", "");
    app.fails("much_garbage", "invocation-failed", "invoke", "unknown");
    assert!(app.program.effects().contains(&"much is written".to_owned()));
    app.goes_on(&["does not begin with {"]);
}

/// In KiB.
fn peak_memory(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse().unwrap_or(u64::MAX)
}

#[test]
fn too_much_from_a_program_that_then_fails_has_an_unknown_outcome() {
    let mut app = app("much_and_fails", "");
    app.fails("much_and_fails", "output-too-large", "output", "unknown");
    app.goes_on(&[]);
}

#[test]
fn too_deep_a_result_is_one_that_cannot_be_written() {
    let mut app = app("deep", "");
    app.fails("deep", "serialization-failed", "output", "completed");
    app.goes_on(&[]);
}

#[test]
fn an_exit_status_or_a_signal_is_a_failure_whatever_was_printed() {
    let mut app = app("exits", "");
    app.fails("exits", "invocation-failed", "invoke", "unknown");
    app.goes_on(&["exit status 3", "why it failed"]);
    let mut app = self::app("killed", "");
    app.fails("killed", "invocation-failed", "invoke", "unknown");
    app.goes_on(&["killed by signal 9"]);
}

#[test]
fn a_program_that_never_reads_its_input_is_no_harm() {
    let script = SCRIPT.replace("os.environ.get(\"METHOD\")", "\"unread\"");
    let program = Program::new(env!("CARGO_BIN_EXE_opgate"), &script).operation("unread", "");
    let mut session = program.initialized();
    for id in 1..4 {
        session.call(id, &program.tool("unread"), json!({"text": "x".repeat(200_000)}));
        assert_eq!(session.answer_to(id).output(), json!("unread"));
    }
    session.close();
}

#[test]
fn pipes_that_a_daemon_keeps_are_read_for_a_second() {
    for method in ["daemon", "chatty_daemon"] {
        let mut app = app(method, "");
        let began = Instant::now();
        assert_eq!(app.call(method, &json!({})).output(), json!("daemon"));
        let took = began.elapsed();
        assert!((900..2300).contains(&took.as_millis()), "{method}: {took:?}");
        std::thread::sleep(Duration::from_millis(2600).saturating_sub(began.elapsed()));
        app.goes_on(&[]);
    }
}

#[test]
fn a_call_ends_with_its_process_and_not_with_its_output() {
    let mut app = app("closes", "");
    assert_eq!(app.call("closes", &json!({})).output(), json!("closed"));
    assert!(app.program.effects().contains(&"lived on".to_owned()), "answered too early");
    app.goes_on(&[]);
}

#[test]
fn a_program_over_its_time_is_killed_with_its_group() {
    for method in ["blocks", "slow", "leaves"] {
        let mut app = app(method, "timeout_seconds = 1");
        let began = Instant::now();
        app.calls += 1;
        app.session.call(app.calls, &app.program.tool(method), json!({"seconds": 30}));
        let failed = app.session.answer_to(app.calls).assert_failure("invocation-failed", "invoke", "unknown");
        assert!(failed["message"].as_str().is_some_and(|message| message.contains("longer than its 1 s")), "{failed}");
        assert!((900..3000).contains(&began.elapsed().as_millis()), "{:?}", began.elapsed());
        app.goes_on(&["timeout_seconds = 1"]);
    }
}

#[test]
fn secrets_in_pieces_leave_on_neither_side() {
    let program = Program::new(env!("CARGO_BIN_EXE_opgate"), SCRIPT)
        .plugin("command = [\"python3\", \"program.py\"]\nenv = [\"PROGRAM_LOG\", \"APP_TOKEN\"]\n")
        .operation("secrets", "");
    let mut session = program.host().env("APP_TOKEN", "correct-horse-battery-staple").spawn();
    session.initialize("2025-11-25");
    session.call(1, "operation_0", json!({}));
    let output = session.answer_to(1).output();
    assert_eq!(output, json!({"inside": "x [REDACTED] y", "session": "[REDACTED]"}));
    session.close_input();
    let ended = session.wait();
    ended.assert_code(0);
    assert!(ended.stderr.contains("the session is [REDACTED], keep it"), "{}", ended.stderr);
    assert!(!ended.stderr.contains("horse"), "{}", ended.stderr);
}

#[test]
fn an_error_that_the_program_answers_is_its_own() {
    let mut app = app("fails", "");
    let failed = app.fails("fails", "not-found", "invoke", "unknown");
    assert!(failed["message"].as_str().is_some_and(|message| message.starts_with("No such order.")), "{failed}");
    app.goes_on(&[]);
    let mut app = self::app("fails_oddly", "");
    app.fails("fails_oddly", "invocation-failed", "invoke", "unknown");
    app.goes_on(&["malformed or reserved"]);
}

#[test]
fn a_program_that_cannot_be_started_has_done_nothing() {
    let program = Program::new(env!("CARGO_BIN_EXE_opgate"), SCRIPT)
        .plugin("command = [\"./run\"]\nenv = [\"PROGRAM_LOG\"]\n")
        .operation("echo", "");
    let run = program.folder().join("run");
    let write = || {
        program.file("run", "#!/bin/sh\nexec python3 program.py\n");
        let permissions = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(&run, permissions).expect("our own file");
    };
    write();
    let mut session = program.initialized();
    std::fs::remove_file(&run).expect("our own file");
    session.call(1, "operation_0", json!({}));
    session.answer_to(1).assert_failure("initialization-failed", "invoke", "not-started");
    write();
    session.call(2, "operation_0", json!({"a": 1}));
    assert_eq!(session.answer_to(2).output(), json!({"a": 1}));
    session.close_input();
    let ended = session.wait();
    ended.assert_code(0);
    assert!(ended.stderr.contains("cannot be started"), "{}", ended.stderr);
}
