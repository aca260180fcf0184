//! A worker answers a line a call, as one process for many. What does anything else is ended, its call has an unknown
//! outcome, and the next call starts another one.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use test_host::{Frame, Program, Session};

const SCRIPT: &str = include_str!("process/worker.py");
const METHODS: [&str; 18] = [
    "echo",
    "who",
    "garbage",
    "twice",
    "twice_later",
    "late",
    "byte",
    "no_call",
    "no_line",
    "much",
    "exits",
    "killed",
    "closes",
    "not_utf8",
    "daemon",
    "fails",
    "secrets",
    "stubborn",
];

struct Worker {
    program: Program,
    session: Session,
    calls: i64,
}

fn worker() -> Worker {
    let program = Program::new(env!("CARGO_BIN_EXE_opgate"), SCRIPT)
        .plugin("command = [\"python3\", \"program.py\"]\nenv = [\"PROGRAM_LOG\", \"APP_TOKEN\", { name = \"UNREAD\", optional = true }]\nmode = \"worker\"\n")
        .operations(&METHODS)
        .operation("slow", "timeout_seconds = 1");
    let mut session =
        program.host().env("APP_TOKEN", "correct-horse-battery-staple").deadline(Duration::from_secs(30)).spawn();
    session.initialize("2025-11-25");
    Worker { program, session, calls: 0 }
}

impl Worker {
    fn call(&mut self, method: &str, input: &Value) -> Frame {
        self.calls += 1;
        self.session.call(self.calls, &self.program.tool(method), input.clone());
        self.session.answer_to(self.calls)
    }

    fn who(&mut self) -> i64 {
        self.call("who", &json!({})).output().as_i64().unwrap_or_default()
    }

    fn end(self) -> (Program, test_host::Ended) {
        (self.program, self.session.close())
    }
}

#[test]
fn one_process_answers_many_calls_and_ends_with_its_input() {
    let mut worker = worker();
    let first = worker.who();
    for n in 0..50 {
        assert_eq!(
            worker.call("echo", &json!({"n": n, "token": "t"})).output(),
            json!({"n": n, "token": "[REDACTED]"})
        );
    }
    worker.call("fails", &json!({})).assert_failure("not-found", "invoke", "unknown");
    assert_eq!(worker.call("secrets", &json!({})).output(), json!("[REDACTED]"));
    assert_eq!(worker.who(), first, "the same process");
    let (program, ended) = worker.end();
    assert_eq!(program.effects().iter().filter(|line| line.starts_with("worker")).count(), 1);
    assert_eq!(program.effects().last().map(String::as_str), Some("end of input"));
    assert!(ended.took < Duration::from_secs(1), "{:?}", ended.took);
    assert!(ended.stderr.contains("the session is [REDACTED], keep it"), "{}", ended.stderr);
    assert!(!ended.stderr.contains("horse"), "{}", ended.stderr);
}

#[test]
fn too_long_an_answer_ends_nothing() {
    let mut worker = worker();
    let first = worker.who();
    worker.call("much", &json!({})).assert_failure("output-too-large", "output", "completed");
    assert_eq!(worker.who(), first, "the same process");
    worker.end();
}

#[test]
fn anything_but_one_line_that_repeats_its_call_ends_the_worker() {
    for (method, said) in [
        ("garbage", "does not begin with {"),
        ("twice", "more than one line"),
        ("late", "another call"),
        ("no_call", "does not repeat `call`"),
        ("no_line", "line feed"),
        ("exits", "it wrote no answer, and ended with exit status: 3"),
        ("killed", "it wrote no answer, and ended with signal: 9"),
        ("closes", "it wrote no answer"),
        ("not_utf8", "not UTF-8"),
    ] {
        let mut worker = worker();
        let first = worker.who();
        worker.call(method, &json!({})).assert_failure("invocation-failed", "invoke", "unknown");
        assert_ne!(worker.who(), first, "{method}: another process");
        assert_eq!(worker.call("echo", &json!({"a": 1})).output(), json!({"a": 1}), "{method}");
        let (program, ended) = worker.end();
        assert!(ended.stderr.contains(said), "{method} lacks {said:?}:\n{}", ended.stderr);
        assert!(method != "closes" || program.effects().contains(&"lived on".to_owned()), "not waited for");
    }
}

#[test]
fn what_comes_between_two_calls_is_never_taken_for_an_answer() {
    for method in ["twice_later", "byte"] {
        let mut worker = worker();
        let first = worker.who();
        assert_eq!(worker.call(method, &json!({})).output(), json!(1));
        std::thread::sleep(Duration::from_millis(600));
        assert_ne!(worker.who(), first, "{method}: another process");
        let (_, ended) = worker.end();
        assert!(ended.stderr.contains("outside a call"), "{method}: {}", ended.stderr);
    }
}

#[test]
fn a_daemon_that_keeps_the_pipes_of_an_ended_worker_delays_a_second_at_most() {
    let mut worker = worker();
    let began = Instant::now();
    assert_eq!(worker.call("daemon", &json!({})).output(), json!("daemon"));
    std::thread::sleep(Duration::from_millis(200));
    assert_eq!(worker.call("echo", &json!({"a": 1})).output(), json!({"a": 1}));
    assert!(began.elapsed() < Duration::from_millis(2500), "{:?}", began.elapsed());
    std::thread::sleep(Duration::from_millis(3700).saturating_sub(began.elapsed()));
    worker.end();
}

#[test]
fn a_worker_over_its_time_is_killed_and_the_next_call_starts_another() {
    let mut worker = worker();
    let first = worker.who();
    let began = Instant::now();
    worker.call("slow", &json!({"seconds": 30})).assert_failure("invocation-failed", "invoke", "unknown");
    assert!((900..3000).contains(&began.elapsed().as_millis()), "{:?}", began.elapsed());
    assert_ne!(worker.who(), first);
    let (_, ended) = worker.end();
    assert!(ended.stderr.contains("timeout_seconds = 1"), "{}", ended.stderr);
}

#[test]
fn a_worker_that_never_reads_is_killed_when_its_time_is_over() {
    let mut worker = worker();
    let mut session = worker.program.host().env("APP_TOKEN", "correct-horse-battery-staple").env("UNREAD", "1").spawn();
    session.initialize("2025-11-25");
    session.call(1, &worker.program.tool("slow"), json!({"text": "x".repeat(200_000)}));
    session.answer_to(1).assert_failure("invocation-failed", "invoke", "unknown");
    session.close();
    worker.who();
    worker.end();
}

#[test]
fn a_worker_that_does_not_end_with_its_input_is_killed_after_two_seconds() {
    let mut worker = worker();
    assert_eq!(worker.call("stubborn", &json!({})).output(), json!("stubborn"));
    let (_, ended) = worker.end();
    assert!((1500..4000).contains(&ended.took.as_millis()), "{:?}", ended.took);
}
