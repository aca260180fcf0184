//! Sessions and the address of the database appear nowhere, whatever happens.

use std::path::PathBuf;

use notes::note::Summary;
use notes::session::Method;
use secrecy::ExposeSecret as _;
use serde_json::json;
use test_host::{Desk, Ended, Host};

use super::place::{CREATE, Place, READ, REMOVE, arguments, call, call_allowed};

/// A part of the database's address that stands nowhere else.
const ADDRESS: &str = "canary-address-4711";

/// A note of ann's in a database under its canary address, and ann's two sessions.
struct Hidden {
    place: Place,
    note: Summary,
    launch: PathBuf,
    sessions: [String; 2],
    /// What names the first of them.
    id: String,
}

impl Hidden {
    fn new() -> Self {
        let place = Place::at(ADDRESS);
        let note = place.create("ann", "a");
        let issued = place.issue("ann", &Method::ALL);
        let sessions = [issued.session.expose_secret().to_owned(), place.session("ann")];
        place.block_on(place.store.close());
        let launch = place.launch();
        Self { place, note, launch, sessions, id: issued.id }
    }

    /// The program with everything set, and everything logged.
    fn program(&self) -> Host {
        Host::new(env!("CARGO_BIN_EXE_notes"))
            .env("NOTES_DATABASE", self.place.database.address())
            .env("NOTES_MCP_SESSION", &self.sessions[0])
            .env("NOTES_SESSION", &self.sessions[1])
            .env("TMPDIR", self.place.folder.path())
            .env("OPGATE_LOG", "trace")
    }

    fn command(&self, words: &[&str]) -> Ended {
        self.program().args(words).text_output().run()
    }

    #[track_caller]
    fn assert_silent(&self, ended: &Ended) {
        assert_silent(ended, &[&self.sessions[0], &self.sessions[1], ADDRESS]);
    }
}

/// None of these stands in what a process wrote.
#[track_caller]
fn assert_silent(ended: &Ended, secrets: &[&str]) {
    let stdout = String::from_utf8_lossy(&ended.stdout);
    for secret in secrets {
        assert!(!stdout.contains(secret), "standard output holds {secret}:\n{stdout}");
        assert!(!ended.stderr.contains(secret), "standard error holds {secret}:\n{}", ended.stderr);
    }
}

#[test]
fn no_command_shows_them() {
    let hidden = Hidden::new();
    let launch = hidden.launch.to_str().unwrap();
    for words in [
        &["check", launch][..],
        &["check", launch, "--json"],
        &["list", launch],
        &["list", launch, "--json"],
        &["try", launch],
        &["try", launch, "notes-operations.list", "{}"],
        &["call", launch, "notes-operations", "list"],
    ] {
        let ended = hidden.command(words);
        assert!(!ended.assert_code(0).text().is_empty());
        hidden.assert_silent(&ended);
    }
    for words in [&["migrate"][..], &["revoke-session", "--id", &hidden.id]] {
        let ended = hidden.command(words);
        hidden.assert_silent(ended.assert_code(0));
    }
}

#[test]
fn no_prompt_shows_them() {
    let hidden = Hidden::new();
    let mut entry = hidden.program().arg("serve").arg(&hidden.launch).spawn();
    entry.initialize("2025-11-25");
    let removal =
        arguments(&hidden.note).into_iter().find_map(|(tool, arguments)| (tool == REMOVE).then_some(arguments));
    entry.call(1, REMOVE, removal.unwrap());
    let desk = Desk::new(hidden.program());
    let prompt = desk.wait_for_prompt(&entry);
    let mut ended =
        [&["pending"][..], &["pending", "--json"]].map(|words| hidden.command(words)).into_iter().collect::<Vec<_>>();
    ended.push(desk.answer("allow", &prompt));
    assert_eq!(entry.answer_to(1).output(), json!(null));
    entry.close_input();
    ended.push(entry.wait());
    for ended in &ended {
        hidden.assert_silent(ended.assert_code(0));
    }
}

#[test]
fn no_failure_shows_them() {
    let hidden = Hidden::new();
    hidden.command(&["revoke-session", "--id", &hidden.id]).assert_code(0);
    let mut entry = hidden.program().arg("serve").arg(&hidden.launch).spawn();
    entry.initialize("2025-11-25");
    let mut call_all = |code: &str, phase: &str| {
        for (tool, arguments) in arguments(&hidden.note) {
            let answer = if phase == "setup" {
                call(&mut entry, tool, &arguments)
            } else {
                call_allowed(&hidden.place, &mut entry, tool, &arguments)
            };
            answer.assert_failure(code, phase, "not-started");
        }
    };
    call_all("session-denied", "invoke");
    hidden.place.database.take_away();
    call_all("initialization-failed", "setup");
    hidden.place.database.bring_back();
    hidden.place.database.spoil();
    call_all("initialization-failed", "setup");
    entry.close_input();
    let ended = entry.wait();
    assert!(ended.stderr.contains("the session was revoked"), "{}", ended.stderr);
    hidden.assert_silent(&ended);

    let ended = hidden.command(&["issue-session", "--user", "ann", "--audience", "list", "--expires", "1h"]);
    hidden.assert_silent(ended.assert_code(1));
}

#[test]
fn no_refused_launch_shows_them() {
    let hidden = Hidden::new();
    let launch = hidden.place.folder.path().join("wrong.toml");
    let text = std::fs::read_to_string(&hidden.launch).unwrap();
    for wrong in [
        text.replace("evidence =", "evidenc ="),
        text.replace("evidence = {", "other = 1\nevidence = {"),
        format!("{text}\nx = "),
    ] {
        std::fs::write(&launch, wrong).unwrap();
        let ended = hidden.program().arg("serve").arg(&launch).run();
        hidden.assert_silent(ended.assert_refused(&["wrong.toml"]));
    }
    let other = hidden.program().arg("serve").arg(&hidden.launch).env("NOTES_DATABASE", format!("mysql://{ADDRESS}"));
    hidden.assert_silent(other.run().assert_refused(&["NOTES_DATABASE names an unknown kind of database"]));
}

#[test]
fn what_was_written_into_a_note_is_masked_when_it_is_read() {
    let place = Place::new();
    let session = place.session("ann");
    let address = place.database.address();
    let mut entry = place.entry(&session);
    for secret in [session.as_str(), &address] {
        let written = json!({"title": "t", "body": format!("use {secret} now")});
        let id = call(&mut entry, CREATE, &written).output()["noteId"].clone();
        assert_eq!(call(&mut entry, READ, &json!({"noteId": id})).output()["body"], "use [REDACTED] now");
    }
    entry.close_input();
    assert_silent(&entry.wait(), &[&session, &address]);
}
