//! Sessions and the address of the database appear nowhere, whatever happens.

use std::path::Path;

use notes::session::Method;
use secrecy::ExposeSecret as _;
use serde_json::json;
use test_host::{Ended, Host};

use crate::place::{CREATE, Place, READ, REMOVE, arguments, call};

/// A part of the database's address that stands nowhere else.
const ADDRESS: &str = "canary-address-4711";

/// Nothing of these stands in what a process wrote.
#[track_caller]
fn assert_silent(ended: &Ended, secrets: &[&str]) {
    let stdout = String::from_utf8_lossy(&ended.stdout);
    for secret in secrets.iter().chain(&[ADDRESS]) {
        assert!(!stdout.contains(secret), "standard output holds {secret}:\n{stdout}");
        assert!(!ended.stderr.contains(secret), "standard error holds {secret}:\n{}", ended.stderr);
    }
}

/// The database under its canary address, with everything said that can be.
fn told(host: Host, database: &Path, [mcp, cli]: [&str; 2]) -> Host {
    host.env("NOTES_DATABASE", format!("sqlite:{}", database.display()))
        .env("NOTES_MCP_SESSION", mcp)
        .env("NOTES_SESSION", cli)
        .env("OPGATE_LOG", "trace")
}

#[test]
fn no_session_and_no_database_address_is_ever_shown() {
    let place = Place::new();
    let note = place.create("ann", "a");
    let (mcp, cli) = (place.issue("ann", &Method::ALL), place.session("ann"));
    let sessions = [mcp.session.expose_secret(), cli.as_str()];
    let launch = place.launch();
    place.block_on(place.store.close());
    let database = place.folder.path().join(ADDRESS).join("notes.db");
    std::fs::create_dir(database.parent().unwrap()).unwrap();
    std::fs::rename(place.folder.path().join("notes.db"), &database).unwrap();

    for words in [&["check"][..], &["check", "--json"], &["list"], &["list", "--json"], &["try"], &["call"]] {
        let host = Host::new(env!("CARGO_BIN_EXE_notes")).text_output().arg(words[0]).arg(&launch).args(&words[1..]);
        let host = if words == ["call"] { host.args(["notes-operations", "list"]) } else { host };
        let ended = told(host, &database, sessions).run();
        assert!(!ended.assert_code(0).text().is_empty());
        assert_silent(&ended, &sessions);
    }
    for words in [&["migrate"][..], &["revoke-session", "--id", &mcp.id]] {
        let ended = told(Host::new(env!("CARGO_BIN_EXE_notes")).text_output().args(words), &database, sessions).run();
        ended.assert_code(0);
        assert_silent(&ended, &sessions);
    }

    // Now the session of the MCP side is revoked, and the database is missing, then broken.
    let mut entry = told(Host::new(env!("CARGO_BIN_EXE_notes")).arg("serve").arg(&launch), &database, sessions).spawn();
    entry.initialize("2025-11-25");
    let mut call_all = |code: &str, phase: &str| {
        for (tool, arguments) in arguments(&note) {
            let answer = call(&mut entry, tool, &arguments);
            if phase == "setup" || tool != REMOVE {
                answer.assert_failure(code, phase, "not-started");
            }
        }
    };
    call_all("session-denied", "invoke");
    std::fs::rename(&database, database.with_extension("away")).unwrap();
    call_all("initialization-failed", "setup");
    std::fs::write(&database, "this is no database, and longer than a hundred bytes ".repeat(9)).unwrap();
    call_all("initialization-failed", "setup");
    entry.close_input();
    let ended = entry.wait();
    assert!(
        ended.stderr.contains("session-denied") && ended.stderr.contains("the session was revoked"),
        "{}",
        ended.stderr
    );
    assert_silent(&ended, &sessions);

    let broken = Host::new(env!("CARGO_BIN_EXE_notes")).text_output();
    let ended = told(
        broken.args(["issue-session", "--user", "ann", "--audience", "list", "--expires", "1h"]),
        &database,
        sessions,
    )
    .run();
    ended.assert_code(1);
    assert_silent(&ended, &sessions);
}

#[test]
fn what_was_written_into_a_note_is_masked_when_it_is_read() {
    let place = Place::new();
    let session = place.session("ann");
    let address = place.folder.path().join("notes.db");
    let mut entry = place.entry(&session);
    for secret in [session.as_str(), address.to_str().unwrap()] {
        let written = json!({"title": "t", "body": format!("use {secret} now")});
        let id = call(&mut entry, CREATE, &written).output()["noteId"].clone();
        assert_eq!(call(&mut entry, READ, &json!({"noteId": id})).output()["body"], "use [REDACTED] now");
    }
    entry.close_input();
    assert_silent(&entry.wait(), &[&session, address.to_str().unwrap()]);
}

#[test]
fn a_launch_that_is_refused_does_not_show_them_either() {
    let place = Place::new();
    let session = place.session("ann");
    let launch = place.folder.path().join("wrong.toml");
    let text = std::fs::read_to_string(place.launch()).unwrap();
    for wrong in [
        text.replace("evidence =", "evidenc ="),
        text.replace("evidence = {", "other = 1\nevidence = {"),
        format!("{text}\nx = "),
    ] {
        std::fs::write(&launch, wrong).unwrap();
        let host = Host::new(env!("CARGO_BIN_EXE_notes")).arg("serve").arg(&launch);
        let ended = told(host, &Path::new("/").join(ADDRESS), [&session, &session]).run();
        assert_silent(ended.assert_refused(&["wrong.toml"]), &[&session]);
    }
    let host = Host::new(env!("CARGO_BIN_EXE_notes")).arg("serve").arg(place.launch());
    let ended =
        told(host, Path::new("x"), [&session, &session]).env("NOTES_DATABASE", format!("mysql://{ADDRESS}")).run();
    assert_silent(ended.assert_refused(&["NOTES_DATABASE names an unknown kind of database"]), &[&session]);
}
