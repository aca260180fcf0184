//! Real clients start the Tasks entry themselves and work with its four tools; and are asked by the fixture.
//!
//! `tests/clients/install` fetches them from npm and `PyPI`; it is quick when that was done before.
#![expect(clippy::expect_used, reason = "a test that cannot go on has failed")]

use std::path::Path;

use test_host::{Fixture, Host, clients};

const STEPS: [&str; 9] = [
    "connected",
    "listed 4 tools",
    "submitted a report",
    "queried the job",
    "cancelled the job",
    "retried the job: refused, as it did not fail",
    "an unknown member is refused",
    "an unknown tool is refused",
    "closed",
];

/// Lets a client work with an entry on a new database.
fn work_with(client: &str) {
    let tasks = Path::new(env!("CARGO_BIN_EXE_opgate")).with_file_name("tasks");
    assert!(tasks.exists(), "{} is missing: cargo build --workspace", tasks.display());
    let folder = tempfile::tempdir().expect("a temporary folder");
    let database = folder.path().join("tasks.db");
    let command = |words: &[&str]| {
        let host = Host::new(&tasks).args(words).env("TASK_DATABASE", &database).text_output();
        let ended = host.run();
        ended.assert_code(0);
        ended.text().trim_end().to_owned()
    };
    command(&["migrate"]);
    let session = command(&["issue-session", "--owner", "alice"]);

    let launch = Path::new(env!("CARGO_MANIFEST_DIR")).join("config/tasks.toml");
    let ended = clients::host(env!("CARGO_BIN_EXE_opgate"), client)
        .arg(&tasks)
        .arg("serve")
        .arg(launch)
        .env("TASK_DATABASE", &database)
        .env("TASK_SESSION", session)
        .run();
    ended.assert_code(0);
    let steps: Vec<&str> = ended.text().lines().collect();
    assert_eq!(steps.len(), STEPS.len(), "{steps:?}");
    for (step, expected) in steps.iter().zip(STEPS) {
        assert!(step.starts_with(expected), "{steps:?}");
    }
}

/// Lets a client be asked about the fixture's `remove`.
fn be_asked(client: &str) {
    let fixture =
        Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["remove"]).line("[binding.confirm]\nask = \"client\"");
    let ended = clients::host(env!("CARGO_BIN_EXE_opgate"), client)
        .arg(fixture.program())
        .arg("serve")
        .arg(fixture.launch_file())
        .env("FIXTURE_LOG", fixture.folder().join("effects"))
        .run();
    ended.assert_code(0);
    let steps: Vec<&str> = ended.text().lines().collect();
    assert_eq!(steps, ["declined: refused", "confirmed: removed", "cannot be asked: refused"]);
    assert_eq!(fixture.effects().iter().filter(|effect| *effect == "remove thing").count(), 1);
}

#[test]
fn the_typescript_sdk_is_asked_by_an_elicitation() {
    be_asked("sdk-asks");
}

#[test]
fn the_typescript_client_in_legacy_mode_is_asked_by_an_elicitation() {
    be_asked("client-legacy-asks");
}

#[test]
fn the_typescript_client_is_asked_by_input_required() {
    be_asked("client-modern-asks");
}

#[test]
fn the_python_client_is_asked_by_input_required() {
    be_asked("python-auto-asks");
}

#[test]
fn the_python_client_in_legacy_mode_is_asked_by_an_elicitation() {
    be_asked("python-legacy-asks");
}

#[test]
fn fastmcp_is_asked_by_input_required() {
    be_asked("fastmcp-auto-asks");
}

#[test]
fn fastmcp_in_legacy_mode_is_asked_by_an_elicitation() {
    be_asked("fastmcp-legacy-asks");
}

#[test]
fn the_typescript_sdk() {
    work_with("typescript-tasks");
}

#[test]
fn the_python_client_as_it_comes() {
    work_with("python-tasks");
}

#[test]
fn the_python_client_in_legacy_mode() {
    work_with("python-legacy-tasks");
}
