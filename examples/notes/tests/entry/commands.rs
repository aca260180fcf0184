//! The application's own commands, as a person meets them.

use notes::session::{Denied, Method};
use secrecy::SecretString;

use crate::place::{Place, example, program, user};

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
fn an_issued_session_speaks_for_its_user_until_it_is_revoked() {
    let place = Place::new();
    let issue = |words: &str| {
        let issued = place.command(["issue-session"]).args(words.split(' ')).run();
        let id = issued.assert_code(0).stderr.split(':').next().unwrap().to_owned();
        (SecretString::from(issued.text().trim_end()), id)
    };
    let (session, id) = issue("--user ann --audience read --audience list,read --expires 2d");
    let day = std::time::Duration::from_hours(24);
    let speaks = |method, days: u32| {
        let later = jiff::Timestamp::now() + day * days;
        place.block_on(place.store.authenticate(&session, method, later))
    };
    assert_eq!(speaks(Method::Read, 1).unwrap(), user("ann"));
    assert_eq!(speaks(Method::List, 1).unwrap(), user("ann"));
    assert!(matches!(speaks(Method::Remove, 1), Err(Denied::OtherAudience)));
    assert!(matches!(speaks(Method::Read, 3), Err(Denied::Expired)));
    let revoked = place.command(["revoke-session", "--id", &id]).run();
    assert_eq!(revoked.assert_code(0).stderr, "1 revoked\n");
    assert!(matches!(speaks(Method::Read, 1), Err(Denied::Revoked)));
}

#[test]
fn revoking_nothing_is_no_success() {
    let place = Place::new();
    place.session("ann");
    for words in [["--id", "session_x"], ["--user", "anne"]] {
        let ended = place.command(["revoke-session"]).args(words).run();
        ended.assert_code(1);
        assert_eq!(ended.stderr, "notes revoke-session: there is no such session; nothing was revoked\n");
    }
}

#[test]
fn an_expiry_that_is_over_issues_nothing() {
    let place = Place::new();
    for expires in ["0h", "2020-01-01T00:00:00Z"] {
        let ended = place.command(["issue-session", "--user", "ann", "--audience", "list", "--expires", expires]).run();
        ended.assert_code(1);
        assert_eq!(ended.text(), "");
        assert!(ended.stderr.contains("--expires is not in the future"), "{}", ended.stderr);
    }
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

#[test]
fn a_bad_command_line_is_answered_with_usage() {
    let place = Place::new();
    for words in [
        "issue-session",
        "issue-session --user ann --audience list",
        "issue-session --user ann --expires 1h",
        "issue-session --user ann --audience list --expires soon",
        "issue-session --user ann --audience list,everything --expires 1h",
        "issue-session --user ann --audience  --expires 1h",
        "revoke-session",
        "revoke-session --id x --user ann",
    ] {
        let refused = place.command([]).args(words.split(' ')).run();
        refused.assert_code(2);
        assert!(refused.stderr.contains("--help"), "{}", refused.stderr);
    }
}
