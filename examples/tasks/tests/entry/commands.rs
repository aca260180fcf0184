//! The application's own commands, as a person meets them.

use jiff::Timestamp;
use secrecy::SecretString;

use crate::place::{DEADLINE, Place, alice, program};

#[test]
fn the_commands_of_the_readme_work_one_after_the_other() {
    let folder = tempfile::tempdir().unwrap();
    let launch = folder.path().join("tasks.toml");
    std::fs::write(&launch, r#"allow = ["tasks.submit", "tasks.query"]"#).unwrap();
    let command = |words: &str| {
        let command = program([]).args(words.split(' ')).deadline(DEADLINE).current_dir(folder.path());
        command.env("TASK_DATABASE", "sqlite:var/tasks.db")
    };
    for _ in 0..2 {
        let migrated = command("migrate").run();
        migrated.assert_code(0);
        assert_eq!((migrated.text(), migrated.stderr.as_str()), ("", "var/tasks.db is ready\n"));
    }
    let issued = command("issue-session --owner alice").run();
    issued.assert_code(0);
    let session = issued.text().strip_suffix('\n').unwrap();
    assert_eq!((session.len(), &session[..3], issued.stderr.as_str()), (67, "ts_", ""));

    let as_alice = |words: &str| command(words).env("TASK_SESSION", session);
    let checked = as_alice("check tasks.toml").run();
    assert!(checked.assert_code(0).text().contains("tasks.submit"));
    let submitted = as_alice(r#"call tasks.toml tasks submit --input {"reportId":"r","rows":[1,2.5]}"#).run();
    assert!(submitted.assert_code(0).text().starts_with("\"job_"));
    command("worker --until-idle").run().assert_code(0);
    let report = as_alice(r#"call tasks.toml tasks report --input {"reportId":"r"}"#).run();
    assert_eq!(report.assert_code(0).text(), "{\"count\":2,\"sum\":3.5}\n");
}

#[test]
fn an_issued_session_speaks_for_its_owner() {
    let place = Place::new();
    let issued = place.command(["issue-session", "--owner", "alice", "--days", "2"]).run();
    let session = SecretString::from(issued.assert_code(0).text().trim_end());
    let day = std::time::Duration::from_hours(24);
    let owner_after = |days: u32| {
        let later = Timestamp::now() + day * days;
        place.block_on(place.store.authenticate(&session, later)).unwrap()
    };
    assert_eq!(owner_after(1), Some(alice()));
    assert_eq!(owner_after(3), None);
}

#[test]
fn a_missing_variable_is_named_with_what_to_set() {
    for words in [&["migrate"][..], &["worker"], &["issue-session", "--owner", "alice"]] {
        let refused = program([]).args(words).run();
        refused.assert_code(1);
        assert!(refused.stderr.contains("TASK_DATABASE is not set: set it to the database"), "{}", refused.stderr);
        assert_eq!(refused.text(), "");
    }
}

#[test]
fn a_missing_database_is_not_made_by_a_worker() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tasks.db");
    let refused = program(["worker", "--until-idle"]).env("TASK_DATABASE", &path).run();
    refused.assert_code(1);
    assert_eq!(refused.stderr, "tasks worker: the database does not exist: run the `migrate` command first\n");
    assert!(!path.exists());
}

#[test]
fn a_bad_command_line_is_answered_with_usage() {
    let place = Place::new();
    for words in [&["worker", "--frobnicate"][..], &["issue-session"], &["issue-session", "--owner", ""]] {
        let refused = place.command([]).args(words).run();
        refused.assert_code(2);
        assert!(refused.stderr.contains("--help"), "{}", refused.stderr);
    }
}
