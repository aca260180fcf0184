//! A session that is unknown, expired, revoked or for another audience is denied in every operation, and nothing is
//! done.

use jiff::{Timestamp, ToSpan as _};
use notes::session::Method;
use secrecy::ExposeSecret as _;
use serde_json::json;

use super::place::{CREATE, LIST, Place, READ, REMOVE, UPDATE, arguments, call, call_allowed, user};

#[test]
fn an_unknown_an_expired_and_a_revoked_session_are_denied_everywhere() {
    let place = Place::new();
    let note = place.create("ann", "a");
    let now = Timestamp::now();
    let expired = place.issue_until("ann", &Method::ALL, now - 1.second(), now - 1.hour());
    let revoked = place.issue("ann", &Method::ALL);
    place.command(["revoke-session", "--id", &revoked.id]).run().assert_code(0);
    let sessions = [
        format!("ns_{}", "0".repeat(64)),
        expired.session.expose_secret().to_owned(),
        revoked.session.expose_secret().to_owned(),
    ];
    let mut answers = Vec::new();
    for session in sessions {
        let mut entry = place.entry(&session);
        for (tool, arguments) in arguments(&note) {
            // A yes of the person does not help.
            let answer = call_allowed(&place, &mut entry, tool, &arguments);
            answer.assert_failure("session-denied", "invoke", "not-started");
            answers.push(answer["result"].to_string());
        }
        entry.close();
    }
    // Nobody is told which of the three it is.
    assert_eq!(answers[..5], answers[5..10]);
    assert_eq!(answers[..5], answers[10..]);
    assert_eq!(place.note("ann", &note.note_id).unwrap().summary, note);
    assert_eq!(place.block_on(place.store.list(&user("ann"), None)).unwrap().notes, [note]);
}

#[test]
fn a_session_is_denied_for_operations_outside_its_audience() {
    let place = Place::new();
    for (method, own_tool) in Method::ALL.into_iter().zip([CREATE, LIST, READ, UPDATE, REMOVE]) {
        let note = place.create("ann", "a");
        let mut entry = place.entry(place.issue("ann", &[method]).session.expose_secret());
        for (tool, arguments) in arguments(&note) {
            let answer = call_allowed(&place, &mut entry, tool, &arguments);
            if tool == own_tool {
                assert!(answer["result"]["isError"] != true, "{answer}");
            } else {
                answer.assert_failure("operation-denied", "invoke", "not-started");
            }
        }
        entry.close();
        let version = place.note("ann", &note.note_id).map(|note| note.summary.version);
        let expected = match method {
            Method::Remove => None,
            Method::Update => Some(2),
            _ => Some(1),
        };
        assert_eq!(version, expected, "{method:?}");
    }
}

#[test]
fn a_session_that_is_revoked_ends_with_the_next_call() {
    let place = Place::new();
    place.create("ann", "a");
    let mut entry = place.entry(&place.session("ann"));
    assert_eq!(call(&mut entry, LIST, &json!({})).output()["notes"][0]["title"], "a");
    let revoked = place.command(["revoke-session", "--user", "ann"]).run();
    assert_eq!(revoked.assert_code(0).stderr, "1 revoked\n");
    call(&mut entry, LIST, &json!({})).assert_failure("session-denied", "invoke", "not-started");
    entry.close();
}
