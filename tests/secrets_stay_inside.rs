//! Canary secrets in the context, the environment, a database URL, panic texts and a child's standard error appear
//! nowhere: not on standard output or error, in prompts, logs, audit or `check`.
#![expect(clippy::expect_used, reason = "a test that cannot do its part fails")]

use std::os::unix::fs::PermissionsExt;

use serde_json::json;
use test_host::Fixture;

/// As variables of the entry; the first is its context.
const CANARIES: [(&str, &str); 4] = [
    ("EVIDENCE", "canary-context-4711"),
    ("PLAIN_URL", "postgres://app:canary-database-4712@db/orders"),
    ("SERVICE_PASSWORD", "canary-password-4713"),
    ("DECLARED", "canary-declared-4714"),
];

fn fixture() -> Fixture {
    let fixture = Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["spill", "remove", "guarded", "echo"]).private().line(
        "[audit]\nfile = \"audit.jsonl\"\n[redaction]\nsecrets = [{ env = \"DECLARED\" }, { env = \"PLAIN_URL\" }]\n[binding.context]\ntenant = { env = \"EVIDENCE\" }\n[binding.confirm]\nask = \"program\"\ncommand = [\"./asker\"]",
    );
    let path = fixture.folder().join("asker");
    let told = CANARIES.map(|(_, canary)| canary).join(" ");
    std::fs::write(&path, format!("#!/bin/sh\ncat >prompt\necho '{told}' >&2\necho yes\n")).expect("our own folder");
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).expect("our own file");
    CANARIES.iter().fold(fixture, |fixture, (name, canary)| fixture.env(name, canary))
}

#[track_caller]
fn assert_clean(what: &str, text: &str) {
    for hidden in ["canary-context", "canary-database", "canary-password", "canary-declared"] {
        assert!(!text.contains(hidden), "{what} tells {hidden}:\n{text}");
    }
}

#[test]
fn no_canary_leaves_the_process() {
    let fixture = fixture().env("OPGATE_LOG", "trace");
    let mut session = fixture.initialized();
    session.call(1, "operation_0", json!({}));
    session.answer_to(1).assert_failure("invocation-failed", "invoke", "unknown");
    // An agent that has learned them by other ways does not get them repeated either.
    let learned = CANARIES.map(|(_, canary)| canary).join(" ");
    session.call(2, "operation_1", json!({"id": learned, "password": learned}));
    let _ = session.answer_to(2);
    session.call(3, "operation_2", json!({}));
    session.answer_to(3).assert_failure("approval-required", "approve", "not-started");
    session.call(4, "operation_3", json!({"text": learned}));
    let _ = session.answer_to(4);
    session.call(5, "operation_3", json!({"text": 1, "more": learned}));
    let _ = session.answer_to(5);
    session.close_input();
    let ended = session.wait();
    ended.assert_code(0);
    assert_eq!(fixture.effects().iter().filter(|effect| *effect == "spill").count(), 1);
    assert!(
        ended.stderr.contains("operation: [REDACTED]") && ended.stderr.contains("child: [REDACTED]"),
        "{}",
        ended.stderr
    );
    assert_clean("standard output", &String::from_utf8_lossy(&ended.stdout));
    assert_clean("standard error", &ended.stderr);
    for file in ["audit.jsonl", "prompt"] {
        let text = std::fs::read_to_string(fixture.folder().join(file)).expect("written");
        assert!(!text.is_empty());
        assert_clean(file, &text);
    }
}

#[test]
fn no_canary_is_shown_by_commands() {
    let fixture = fixture();
    for arguments in [&["check"][..], &["check", "--json"], &["list"], &["list", "--json"]] {
        let ended = fixture.command(arguments[0]).args(&arguments[1..]).text_output().run();
        ended.assert_code(0);
        assert_clean("a command", &format!("{}{}", ended.text(), ended.stderr));
    }
    // A launch that is refused names what it needs, and nothing else.
    let refused = fixture.line("[binding.approve]\nask = \"program\"\ncommand = [\"./asker\"]\nenv = [\"MISSING\"]");
    let ended = refused.host().run();
    ended.assert_refused(&["MISSING"]);
    assert_clean("a refusal", &ended.stderr);
}
