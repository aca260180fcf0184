//! The application's own commands, as a person meets them.

use notes::session::{Denied, Method};
use secrecy::SecretString;

use super::place::{Place, user};

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
