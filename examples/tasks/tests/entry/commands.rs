//! The application's own commands, as a person meets them.

use jiff::Timestamp;
use secrecy::SecretString;

use super::place::{Place, alice, program};

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
fn a_revoked_session_speaks_for_nobody_and_a_slip_in_the_name_is_no_success() {
    let place = Place::new();
    let session = SecretString::from(place.session("alice"));
    let revoke = |owner| place.command(["revoke-sessions", "--owner", owner]).run();
    let refused = revoke("alicia");
    refused.assert_code(1);
    assert!(refused.stderr.contains("has no session; nothing was revoked"), "{}", refused.stderr);
    let owner = || place.block_on(place.store.authenticate(&session, Timestamp::now())).unwrap();
    assert_eq!(owner(), Some(alice()));

    let revoked = revoke("alice");
    revoked.assert_code(0);
    assert!(revoked.stderr.contains("1 revoked"), "{}", revoked.stderr);
    assert_eq!(owner(), None);
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
fn a_bad_command_line_is_answered_with_usage() {
    let place = Place::new();
    for words in [&["worker", "--frobnicate"][..], &["issue-session"], &["issue-session", "--owner", ""]] {
        let refused = place.command([]).args(words).run();
        refused.assert_code(2);
        assert!(refused.stderr.contains("--help"), "{}", refused.stderr);
    }
}
