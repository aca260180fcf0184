//! Each real client, in each era it has, goes through a session: list, call, a tool error, a busy answer, a cancellation and
//! a clean close.
//!
//! `tests/clients/run CLIENT` shows one of them alone.
#![expect(clippy::expect_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::path::Path;

use test_host::{Fixture, clients};

const SESSION: [&str; 6] = ["listed 2 tools", "called", "a tool error", "a busy answer", "a cancellation", "closed"];

/// What a client printed; what it sent, and the exit statuses of the entries that it started.
struct Seen {
    steps: Vec<String>,
    sent: String,
    ended: Vec<String>,
}

fn session(client: &str) -> Seen {
    let fixture = Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["echo", "wait"]);
    let folder = fixture.folder();
    let ended = clients::host(env!("CARGO_BIN_EXE_opgate"), client)
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients/watched"))
        .arg(folder)
        .arg(fixture.program())
        .arg("serve")
        .arg(fixture.launch_file())
        .run();
    ended.assert_code(0);
    let noted = |name: &str| fs::read_to_string(folder.join(name)).expect("a note of the watched entry");
    let lines = |text: &str| text.lines().map(str::to_owned).collect();
    Seen { steps: lines(ended.text()), sent: noted("sent"), ended: lines(&noted("ended")) }
}

/// A client's session in that revision.
fn goes_through(client: &str, revision: &str) {
    let seen = session(client);
    assert_eq!(seen.steps[0], format!("connected in {revision}"));
    assert_eq!(seen.steps[1..], SESSION);
    let cancels = seen.sent.matches("\"notifications/cancelled\"").count();
    assert_eq!(cancels, 1, "{}", seen.sent);
    // Some clients start an entry to ask for its revisions and another one to work with.
    assert!(seen.ended.iter().all(|status| status == "0"), "{:?}", seen.ended);
}

#[test]
fn typescript_sdk() {
    goes_through("sdk", "2025-11-25");
}

#[test]
fn typescript_client_legacy() {
    goes_through("client-legacy", "2025-11-25");
}

#[test]
fn typescript_client_auto() {
    goes_through("client-auto", "2026-07-28");
}

#[test]
fn typescript_client_modern() {
    goes_through("client-modern", "2026-07-28");
}

#[test]
fn python_legacy() {
    goes_through("python-legacy", "2025-11-25");
}

#[test]
fn python_auto() {
    goes_through("python-auto", "2026-07-28");
}

#[test]
fn python_modern() {
    goes_through("python-modern", "2026-07-28");
}

#[test]
fn fastmcp_legacy() {
    goes_through("fastmcp-legacy", "2025-11-25");
}

#[test]
fn fastmcp_auto() {
    goes_through("fastmcp-auto", "2026-07-28");
}

#[test]
fn fastmcp_modern() {
    goes_through("fastmcp-modern", "2026-07-28");
}

/// The Inspector's command line has no cancellation: a person interrupts it, and the entry's answer finds no reader.
fn is_interrupted(era: &str) {
    let seen = session(&format!("inspector-{era}"));
    let expected = SESSION.map(|step| if step == "a cancellation" { "an interruption" } else { step });
    assert_eq!(seen.steps, expected);
    assert_eq!(seen.ended, ["0", "0", "0", "0", "1"]);
}

#[test]
fn inspector_legacy() {
    is_interrupted("legacy");
}

#[test]
fn inspector_auto() {
    is_interrupted("auto");
}

#[test]
fn inspector_modern() {
    is_interrupted("modern");
}
