//! What is promised of SQLite's files alone.

use crate::sqlite::place::{example, program};

#[test]
fn the_commands_of_the_readme_work_one_after_the_other() {
    let folder = tempfile::tempdir().unwrap();
    let command = |words: &str| {
        let command = program([]).args(words.split(' ')).current_dir(folder.path());
        command.env("NOTES_DATABASE", "sqlite:var/notes.db")
    };
    for _ in 0..2 {
        let migrated = command("migrate").run();
        migrated.assert_code(0);
        assert_eq!((migrated.text(), migrated.stderr.as_str()), ("", "the database is ready\n"));
    }
    let issued = command("issue-session --user ann --audience list,read,remove --expires 30d").run();
    let of_host = issued.assert_code(0).text().strip_suffix('\n').unwrap();
    assert_eq!((of_host.len(), &of_host[..3]), (67, "ns_"));
    assert!(issued.stderr.starts_with("session_"), "{}", issued.stderr);
    assert!(issued.stderr.contains(": for list, read, remove, until 2"), "{}", issued.stderr);

    let launch = example();
    let launch = launch.to_str().unwrap();
    let checked = command(&format!("check {launch}")).env("NOTES_MCP_SESSION", of_host).run();
    assert!(checked.assert_code(0).text().contains("notes-operations.remove"));
    let issued = command("issue-session --user ann --audience create,list,read,update,remove --expires 8h").run();
    let of_people = issued.assert_code(0).text().trim_end();
    let create = format!(r#"call {launch} notes-operations create --input {{"title":"Shopping","body":"milk"}}"#);
    command(&create).env("NOTES_SESSION", of_people).run().assert_code(0);
    let tried = command(&format!("try {launch} notes-operations.list {{}}")).env("NOTES_MCP_SESSION", of_host).run();
    assert!(tried.assert_code(0).text().contains("Shopping"), "{}", tried.text());
}

#[test]
fn a_missing_variable_or_database_is_named_with_what_to_do() {
    let commands = ["migrate", "revoke-session --user ann", "issue-session --user ann --audience list --expires 1h"];
    for words in commands {
        let refused = program([]).args(words.split(' ')).run();
        refused.assert_code(1);
        assert!(refused.stderr.contains("NOTES_DATABASE is not set: set it to the database"), "{}", refused.stderr);
    }
    let folder = tempfile::tempdir().unwrap();
    for words in &commands[1..] {
        let refused = program([]).args(words.split(' ')).env("NOTES_DATABASE", folder.path().join("x.db")).run();
        refused.assert_code(1);
        assert!(refused.stderr.contains("run the `migrate` command first"), "{}", refused.stderr);
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}
