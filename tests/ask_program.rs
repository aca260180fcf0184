//! `ask = "program"`: exit 0 and exactly `yes` mean yes, everything else means no; the program sees the prompt and what
//! the launch file names for it, and has ended, with all that it started, when its answer counts.
#![expect(clippy::expect_used, reason = "a test that cannot do its part fails")]

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use test_host::{Fixture, Session, Signal, message};

const CANARY: &str = "canary-of-the-context-4711";

/// A fixture that asks a shell script, which runs in the folder of the launch file.
fn fixture(script: &str, more: &str) -> Fixture {
    let fixture = Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["remove", "guarded", "echo"]).private().line(
        "[redaction]\nkeys = [\"password\"]\n[binding.context]\ntenant = { env = \"EVIDENCE\" }\n[binding.confirm]\nask = \"program\"\ncommand = [\"./asker\", \"an argument\"]",
    );
    let path = fixture.folder().join("asker");
    std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).expect("a file in our own folder");
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).expect("our own file");
    fixture.line(more).env("EVIDENCE", CANARY)
}

fn remove(session: &mut Session, id: i64) {
    session.call(id, "operation_0", json!({"id": "A-7", "password": "hunter2-is-short"}));
}

/// What the script wrote to a file of its folder, once it has.
fn wrote(fixture: &Fixture, name: &str) -> String {
    let until = Instant::now() + Duration::from_secs(10);
    loop {
        match std::fs::read_to_string(fixture.folder().join(name)) {
            Ok(text) if text.ends_with('\n') => return text,
            _ => assert!(Instant::now() < until, "the script wrote no {name}"),
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn only_exactly_yes_and_status_0_mean_yes() {
    for (script, expected) in [
        ("echo yes", 1),
        ("printf yes", 1),
        ("printf 'yes\\r\\n'", 1),
        ("cat >/dev/null; echo yes; exit 0", 1),
        ("echo yes; exit 1", 0),
        ("echo yes; kill -9 $$", 0),
        ("exit 0", 0),
        ("echo", 0),
        ("echo no", 0),
        ("echo YES", 0),
        ("echo Yes", 0),
        ("echo y", 0),
        ("echo ' yes'", 0),
        ("echo 'yes '", 0),
        ("echo yes yes", 0),
        ("echo yes; echo yes", 0),
        ("printf 'yes\\n\\n'", 0),
        ("printf 'yes\\0'", 0),
        ("echo yes >&2", 0),
        ("echo '{\"approved\":true}'", 0),
        ("head -c 10000000 /dev/zero", 0),
        ("yes", 0),
    ] {
        let fixture = fixture(script, "");
        let mut session = fixture.initialized();
        remove(&mut session, 1);
        let answer = session.answer_to(1);
        assert_eq!(fixture.count("remove "), expected, "{script}: {answer}");
        if expected == 0 {
            answer.assert_failure("confirmation-required", "confirm", "not-started");
        }
        session.close();
    }
}

#[test]
fn nobody_is_said_to_have_said_no_where_the_program_broke() {
    for (script, said_no, log) in [
        ("echo no", true, ""),
        ("exit 7", false, "ended with exit status: 7 and said neither yes nor no"),
        ("echo yes; exit 1", false, "ended with exit status: 1"),
        ("echo YES", false, "ended with exit status: 0 and said neither"),
        ("kill -9 $$", false, "ended with signal: 9"),
    ] {
        let fixture = fixture(script, "");
        let mut session = fixture.initialized();
        remove(&mut session, 1);
        let diagnostic = session.answer_to(1).diagnostic();
        let message = diagnostic["message"].as_str().expect("a message");
        assert_eq!(message.contains("said no"), said_no, "{script}: {message}");
        assert_eq!(message.contains("asking failed"), !said_no, "{script}: {message}");
        session.close_input();
        let ended = session.wait();
        ended.assert_code(0);
        assert!(ended.stderr.contains(log), "{script}: {}", ended.stderr);
        assert_eq!(ended.stderr.is_empty(), said_no, "{script}: {}", ended.stderr);
    }
}

#[test]
fn a_program_that_went_away_or_cannot_run_means_no() {
    let fixture = fixture("echo yes", "");
    let mut session = fixture.initialized();
    std::fs::remove_file(fixture.folder().join("asker")).expect("our own file");
    remove(&mut session, 1);
    session.answer_to(1).assert_failure("confirmation-required", "confirm", "not-started");
    assert_eq!(fixture.count("remove "), 0);
    session.close();
}

#[test]
fn it_sees_the_prompt_and_what_is_named_for_it_alone() {
    let script = "cat >prompt; { env; echo \"argument=$1\"; pwd; echo group=$(ps -o pgid= -p $$) me=$$; } >seen; ls -l /proc/self/fd >open; echo yes";
    let fixture = fixture(script, "env = [\"DISPLAY\", { name = \"WAYLAND_DISPLAY\", optional = true }]");
    let fixture = fixture.env("DISPLAY", ":7").env("OTHER", "not for the program");
    let mut session = fixture.initialized();
    remove(&mut session, 1);
    assert_eq!(session.answer_to(1).output(), json!("A-7"));
    let prompt: Value = serde_json::from_str(&wrote(&fixture, "prompt")).expect("JSON");
    for (member, value) in [
        ("part", json!("confirm")),
        ("operation", json!("fixture.remove")),
        ("effect", json!("write")),
        ("identity", json!("tester")),
        ("partial", json!(false)),
    ] {
        assert_eq!(prompt[member], value, "{prompt}");
    }
    let text = prompt["text"].as_str().expect("a text");
    assert!(text.contains("\"id\": \"A-7\"") && text.contains("[masked: 16 bytes"), "{text}");
    let seen = wrote(&fixture, "seen");
    assert!(seen.contains("DISPLAY=:7\n") && seen.contains("argument=an argument\n"), "{seen}");
    assert!(seen.contains(&format!("\n{}\n", fixture.folder().display())), "the launch file's folder: {seen}");
    for kept in ["EVIDENCE", CANARY, "OTHER", "FIXTURE_", "hunter2"] {
        assert!(!seen.contains(kept) && !prompt.to_string().contains(kept), "{kept}: {seen}\n{prompt}");
    }
    let group = seen.lines().find(|line| line.starts_with("group=")).expect("a line");
    let numbers: Vec<_> = group.split(['=', ' ']).filter(|part| part.parse::<u32>().is_ok()).collect();
    assert!(numbers.len() == 2 && numbers[0] == numbers[1], "a group of its own: {group}");
    let open = wrote(&fixture, "open");
    // What this test's own parent leaves open reaches every process below it.
    let inherited = open.lines().filter_map(|line| line.rsplit_once(" -> ")).filter(|(left, target)| {
        let number = left.rsplit(' ').next().unwrap_or_default();
        let outer = std::fs::read_link(format!("/proc/self/fd/{number}")).is_ok_and(|outer| outer == Path::new(target));
        !outer && !matches!(number, "0" | "1" | "2") && !target.starts_with("/proc/")
    });
    assert_eq!(inherited.count(), 0, "{open}");
    session.close();
}

#[test]
fn a_variable_that_it_needs_and_that_is_unset_refuses_the_launch() {
    let fixture = fixture("echo yes", "env = [\"DISPLAY\"]");
    fixture.host().run().assert_refused(&["binding.confirm.env[0]: the environment variable DISPLAY is not set"]);
}

/// Leaves a grandchild, and does not answer; ignores being asked to end.
const STUBBORN: &str = "trap '' TERM\nsleep 600 &\necho $! >children\n(trap '' TERM; sleep 601; sleep 602) &\necho $! >>children\necho started >started\nwait; sleep 603";

/// The processes that a script wrote down have ended. Once their parent is gone nothing else tells whose they were.
#[track_caller]
fn assert_ended(fixture: &Fixture) {
    let until = Instant::now() + Duration::from_secs(2);
    for child in wrote(fixture, "children").lines() {
        let running = || {
            let status = std::fs::read_to_string(format!("/proc/{child}/stat")).unwrap_or_default();
            !status.is_empty() && !status.contains(") Z ")
        };
        while running() {
            assert!(Instant::now() < until, "process {child} is left");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

#[test]
fn its_whole_group_is_ended_on_time_out() {
    let fixture = fixture(STUBBORN, "timeout_seconds = 1");
    let mut session = fixture.initialized();
    remove(&mut session, 1);
    let diagnostic = session.answer_to(1).assert_failure("confirmation-required", "confirm", "not-started");
    assert!(diagnostic["message"].as_str().unwrap_or_default().contains("in time"), "{diagnostic}");
    assert_ended(&fixture);
    session.close();
    assert_eq!(fixture.count("remove "), 0);
}

#[test]
fn its_whole_group_is_ended_with_the_call() {
    for how in ["cancel", "end of input", "signal"] {
        let fixture = fixture(STUBBORN, "");
        let mut session = fixture.initialized();
        remove(&mut session, 1);
        wrote(&fixture, "started");
        match how {
            "cancel" => {
                session.send(&message::notification("notifications/cancelled", json!({"requestId": 1})));
                fixture.wait_for_effect("stop");
                session.close_input();
            }
            "signal" => session.signal(Signal::TERM),
            _ => session.close_input(),
        }
        if how != "cancel" {
            session.answer_to(1).assert_failure("confirmation-required", "confirm", "not-started");
        }
        let ended = session.wait();
        ended.assert_code(0);
        assert!(ended.took < Duration::from_secs(3), "{how}: {:?}", ended.took);
        assert_ended(&fixture);
        assert_eq!(fixture.count("remove "), 0, "{how}");
    }
}

#[test]
fn what_it_leaves_behind_ends_when_it_has_answered() {
    let fixture =
        fixture("sleep 600 >/dev/null 2>&1 &\necho $! >children\nsleep 601 &\necho $! >>children\necho yes", "");
    let mut session = fixture.initialized();
    remove(&mut session, 1);
    assert_eq!(session.answer_to(1).output(), json!("A-7"));
    assert_ended(&fixture);
    session.close();
}

#[test]
fn everything_else_is_served_while_it_thinks() {
    let fixture = fixture("echo started >started; sleep 600", "timeout_seconds = 2");
    let mut session = fixture.initialized();
    remove(&mut session, 1);
    wrote(&fixture, "started");
    session.send(&json!({"jsonrpc": "2.0", "id": 2, "method": "ping"}));
    let _ = session.answer_to(2);
    session.call(3, "operation_2", json!({"text": "a"}));
    session.answer_to(3).assert_failure("adapter-busy", "admit", "not-started");
    let _ = session.answer_to(1);
    session.close();
}

#[test]
fn its_standard_error_is_relayed_and_masked() {
    let fixture = fixture(&format!("echo 'the asker says {CANARY} and more' >&2; echo yes"), "");
    let mut session = fixture.initialized();
    remove(&mut session, 1);
    assert_eq!(session.answer_to(1).output(), json!("A-7"));
    session.close_input();
    let ended = session.wait();
    assert!(ended.stderr.contains("the asker says [REDACTED] and more"), "{}", ended.stderr);
}

#[test]
fn a_program_that_makes_its_standard_error_non_blocking_changes_nobody_elses() {
    let script = "python3 -c 'import fcntl; fcntl.fcntl(2, 4, fcntl.fcntl(2, 3) | 0o4000)'; echo yes";
    let fixture = fixture(script, "");
    let mut session = fixture.initialized();
    remove(&mut session, 1);
    assert_eq!(session.answer_to(1).output(), json!("A-7"));
    let info = std::fs::read_to_string(format!("/proc/{}/fdinfo/2", session.id())).expect("its own standard error");
    let flags = info.lines().find_map(|line| line.strip_prefix("flags:")).expect("flags").trim();
    assert_eq!(u32::from_str_radix(flags, 8).expect("octal") & 0o4000, 0, "{info}");
    session.close();
}

#[test]
fn a_prompt_larger_than_a_pipe_reaches_a_slow_reader() {
    let fixture = fixture("sleep 0.3; cat >prompt; echo yes", "");
    let mut session = fixture.initialized();
    session.call(1, "operation_0", json!({"id": "ä\u{202E}".repeat(600)}));
    let _ = session.answer_to(1);
    assert_eq!(fixture.count("remove "), 1);
    assert!(wrote(&fixture, "prompt").contains("202E"));
    session.close();
}
