//! The test host itself, with small shell commands as entries: what it accepts, and that it sees what it must.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use test_host::{Errors, Host, Signal, message};

const PONG: &str = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;

fn shell(script: &str) -> Host {
    Host::new("/bin/sh").args(["-c", script])
}

/// The message of the panic that `act` must end in.
fn panics<T>(act: impl FnOnce() -> T) -> String {
    let Err(panic) = catch_unwind(AssertUnwindSafe(act)) else {
        panic!("no panic");
    };
    panic.downcast_ref::<String>().cloned().or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string)).unwrap()
}

fn pong(id: u32) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": {}})
}

#[test]
fn frames_are_echoed_over_pipes_and_over_sockets() {
    for host in [Host::new("cat"), Host::new("cat").socket_pair()] {
        let mut session = host.spawn();
        session.send(&message::cancel(1));
        session.send_bytes(format!("{PONG}\n"));
        assert_eq!(session.answer_to(1).bytes, PONG.as_bytes());
        assert_eq!(session.receive()["method"], "notifications/cancelled");
        session.assert_quiet(Duration::from_millis(20));
        session.close_input();
        session.wait().assert_code(0);
    }
}

#[test]
fn a_stray_byte_is_seen_whatever_the_test_does() {
    for stray in ["hello\\n", "hello", "\\n", "\\377\\n", r#"{"jsonrpc":"2.0","id":1,"result":{}}\r\n"#] {
        let script = format!("printf '%b' '{stray}'; printf ' seen' >&2");
        let told = panics(|| shell(&script).spawn().receive());
        assert!(told.contains("standard output: "), "{stray}: {told}");
        let told = panics(|| shell(&script).spawn().answer_to(1));
        assert!(told.contains("standard output: "), "{stray}: {told}");
        let told = panics(|| shell(&script).run());
        assert!(told.contains("standard output: "), "{stray}: {told}");
        let told = panics(|| {
            let mut session = shell(&format!("{script}; sleep 60")).spawn();
            session.wait_for_stderr("seen");
        });
        assert!(told.contains("standard output: "), "{stray}: {told}");
    }
}

#[test]
fn text_output_is_not_checked() {
    let ended = shell("echo hello").text_output().run();
    assert_eq!(ended.text(), "hello\n");
}

#[test]
fn each_wait_ends_at_its_deadline_and_says_what_there_was() {
    let short = Duration::from_millis(200);
    let script = format!("echo '{PONG}'; echo oops >&2; exec sleep 60");
    let mut session = shell(&script).deadline(short).spawn();
    session.wait_for_stderr("oops");
    let started = Instant::now();
    let told = panics(|| session.answer_to(2));
    assert!(told.contains("no answer to 2") && told.contains("oops"), "{told}");
    assert_eq!(session.receive()["id"], 1);
    let told = panics(|| session.receive());
    assert!(told.contains("no frame within"), "{told}");
    let told = panics(|| session.wait_for_stderr("never"));
    assert!(told.contains("lacks \"never\""), "{told}");
    let told = panics(|| session.send_bytes(vec![b' '; 1 << 20]));
    assert!(told.contains("the entry took 65536 of 1048576 bytes"), "{told}");
    let told = panics(|| session.wait());
    assert!(told.contains("still runs"), "{told}");
    assert!(started.elapsed() >= 5 * short);
    assert!(started.elapsed() < Duration::from_secs(8));
}

#[test]
fn quiet_is_broken_by_a_late_frame() {
    let mut session = shell(&format!("sleep 0.1; echo '{PONG}'; exec sleep 60")).spawn();
    let told = panics(|| session.assert_quiet(Duration::from_secs(5)));
    assert!(told.contains("nothing should arrive"), "{told}");
}

#[test]
fn a_process_that_is_left_is_named() {
    for start in [
        // In the same process group, in one of its own, and in a session of its own.
        "sleep 61 <&- >&- 2>&- &",
        "set -m; sleep 61 <&- >&- 2>&- &",
        "setsid sleep 61 <&- >&- 2>&- &",
        // With a parent that was gone before anybody looked.
        "sh -c 'setsid sleep 61 <&- >&- 2>&- & exit 0';",
    ] {
        let mut session = shell(&format!("{start} echo ready >&2; cat")).spawn();
        session.wait_for_stderr("ready");
        std::thread::sleep(Duration::from_millis(20));
        session.close_input();
        let told = panics(|| session.wait());
        assert!(told.contains("processes are left") && told.contains("sleep 61"), "{start}: {told}");
    }
}

#[test]
fn a_dropped_session_leaves_nothing() {
    let mut session = shell("sleep 62 & echo \"it is $!.\" >&2; wait").spawn();
    session.wait_for_stderr(".\n");
    let told = session.stderr();
    let pid = told.trim_start_matches("it is ").trim_end_matches(".\n");
    // A killed process has no command line, also while it waits for init to reap it.
    let command = || std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    assert_eq!(command(), b"sleep\x0062\0");
    drop(session);
    let until = Instant::now() + Duration::from_secs(2);
    while !command().is_empty() {
        assert!(Instant::now() < until, "{pid} is left");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn an_output_held_by_someone_else_is_seen() {
    let script = "setsid sh -c 'sleep 2' <&- 2>&- & exit 0";
    let told = panics(|| shell(script).run());
    assert!(told.contains("still holds standard output") || told.contains("processes are left"), "{told}");
}

#[test]
fn signals_arrive_unless_they_are_ignored() {
    let mut session = Host::new("sleep").arg("60").spawn();
    session.signal(Signal::TERM);
    let ended = session.wait();
    assert_eq!(ended.status.code(), None);
    let told = panics(|| ended.assert_code(0));
    assert!(told.contains("signal Some(15)"), "{told}");

    let mut session = Host::new("cat").ignoring("TERM").spawn();
    session.send(&pong(1));
    assert_eq!(session.receive()["id"], 1);
    session.signal(Signal::TERM);
    session.send(&pong(2));
    assert_eq!(session.receive()["id"], 2);
    session.close_input();
    session.wait().assert_code(0);
}

#[test]
fn the_entry_notices_that_its_reader_is_gone() {
    let mut session = Host::new("cat").spawn();
    session.send(&pong(1));
    assert_eq!(session.receive()["id"], 1);
    session.close_output();
    session.send(&pong(2));
    let ended = session.wait();
    assert_eq!(ended.frames.len(), 0);
    assert!(!ended.status.success());
}

#[test]
fn a_reader_that_leaves_in_the_middle_of_a_line_accuses_nobody() {
    let mut session = shell(&format!("echo '{PONG}'; printf begun; echo told >&2; exec cat")).spawn();
    session.wait_for_stderr("told");
    std::thread::sleep(Duration::from_millis(20));
    session.close_output();
    session.close_input();
    let ended = session.wait();
    ended.assert_code(0);
    assert_eq!(ended.text(), format!("{PONG}\nbegun"));
    assert_eq!(ended.frames.len(), 1);
}

#[test]
fn output_is_unread_until_the_test_reads() {
    let mut session = Host::new("cat").output_unread().spawn();
    let line = format!("{PONG}\n");
    let flood = line.repeat(400_000 / line.len());
    let taken = session.offer(flood.as_bytes(), Duration::from_millis(300));
    assert!(taken < flood.len(), "two pipes and one buffer hold less");
    session.start_reading();
    session.send_bytes(&flood.as_bytes()[taken..]);
    session.close_input();
    let ended = session.wait();
    assert_eq!(ended.stdout, flood.as_bytes());
    assert_eq!(ended.frames.len(), flood.len() / line.len());
}

#[test]
fn standard_error_is_captured_unread_or_shared() {
    let ended = shell("echo hello >&2").run();
    assert_eq!((ended.stderr.as_str(), ended.text()), ("hello\n", ""));
    let ended = shell("echo hello >&2").errors(Errors::Output).text_output().run();
    assert_eq!((ended.stderr.as_str(), ended.text()), ("", "hello\n"));
    let session = shell("head -c 1000000 /dev/zero >&2").errors(Errors::Unread).spawn();
    std::thread::sleep(Duration::from_millis(100));
    assert!(session.runs(), "it is blocked");
    drop(session);
    shell("head -c 1000000 /dev/zero >&2").errors(Errors::Null).run().assert_code(0);
}

#[test]
fn the_environment_is_that_of_a_real_host() {
    let ended = Host::new("env").env("GIVEN", "a").env("GIVEN", "b").text_output().run();
    let mut names: Vec<&str> = ended.text().lines().filter_map(|line| line.split('=').next()).collect();
    names.sort_unstable();
    assert!(ended.text().contains("GIVEN=b\n"));
    assert!(names.iter().all(|name| ["GIVEN", "HOME", "LOGNAME", "PATH", "SHELL", "TERM", "TEST_HOST_ENTRY", "USER"].contains(name)));
    assert!(!ended.text().contains("CARGO"));
    assert!(Host::new("env").inherit_env().text_output().run().text().contains("CARGO"));
}

#[test]
fn results_failures_and_errors_are_told_apart() {
    let answers = [
        json!({"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": "[7]"}], "isError": false}}),
        json!({"jsonrpc": "2.0", "id": 2, "result": {"content": [{"type": "text",
            "text": r#"{"code":"a","outcome":"unknown","phase":"input"}"#}], "isError": true}}),
        json!({"jsonrpc": "2.0", "id": 3, "error": {"code": -32602, "message": "x"}}),
        json!({"jsonrpc": "2.0", "id": 4, "result": {"content": []}}),
    ];
    let mut session = Host::new("cat").spawn();
    for answer in &answers {
        session.send(answer);
    }
    let [good, failed, error, empty] = [1, 2, 3, 4].map(|id| session.answer_to(id));
    assert_eq!(good.output(), json!([7]));
    assert_eq!(failed.assert_failure("a", "input", "unknown")["code"], "a");
    assert_eq!(error.assert_error(-32602)["message"], "x");
    panics(|| good.diagnostic());
    panics(|| failed.output());
    panics(|| failed.assert_failure("a", "input", "completed"));
    panics(|| error.assert_error(-32600));
    panics(|| error.output());
    panics(|| empty.output());
}
