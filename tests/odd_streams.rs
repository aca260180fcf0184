//! Streams that few hosts give: one socket for both directions, no input, outputs that are closed.

use serde_json::{Value, json};
use test_host::{Fixture, Host, message};

fn fixture() -> Fixture {
    Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["wait", "echo"])
}

/// The entry behind a shell script, in which `"$@"` starts it.
fn behind(fixture: &Fixture, script: &str) -> Host {
    let entry = [fixture.program().as_os_str().to_owned(), "serve".into(), fixture.launch_file().into()];
    Host::new("/bin/sh").args(["-c", script, "sh"]).args(entry)
}

/// A whole conversation: handshake, ping and a call.
fn conversation(fixture: &Fixture) -> String {
    message::lines([
        message::initialize(0, "2025-11-25"),
        message::notification("notifications/initialized", Value::Null),
        message::ping(1),
        message::call(2, &fixture.tool("wait"), &json!({"ms": 300})),
    ])
}

#[test]
fn no_input_at_all() {
    let fixture = fixture();
    for redirection in ["</dev/null", "<&-"] {
        let ended = behind(&fixture, &format!("exec \"$@\" {redirection}")).run();
        ended.assert_code(0);
        assert_eq!(ended.stdout, b"", "{redirection}");
    }
}

#[test]
fn closed_outputs() {
    let fixture = fixture();
    for redirection in ["2>&-", "2>/dev/null", ">/dev/null", ">/dev/null 2>&1"] {
        let mut session = behind(&fixture, &format!("exec \"$@\" {redirection}")).spawn();
        session.send_bytes(conversation(&fixture));
        session.close_input();
        let ended = session.wait();
        ended.assert_code(0);
        let seen = ended.frames.len();
        assert_eq!(seen, if redirection.starts_with('2') { 3 } else { 0 }, "{redirection}");
    }
}

#[test]
fn one_socket_for_both_directions() {
    let fixture = fixture();
    let mut session = fixture.host().one_socket().spawn();
    session.initialize("2025-11-25");
    session.call(1, &fixture.tool("wait"), json!({"ms": 500}));
    // Only one of its directions ends: what is owed is still written to the other.
    session.close_input();
    let ended = session.wait();
    ended.assert_code(0);
    assert_eq!(ended.answer_to(1).output(), json!("waited"));
}
