//! What is promised of SQLite's files alone.

use crate::sqlite::place::{DEADLINE, program};

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
fn a_missing_database_is_not_made_by_a_worker() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tasks.db");
    let refused = program(["worker", "--until-idle"]).env("TASK_DATABASE", &path).run();
    refused.assert_code(1);
    assert_eq!(refused.stderr, "tasks worker: the database does not exist: run the `migrate` command first\n");
    assert!(!path.exists());
}
