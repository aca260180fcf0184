//! What may be submitted, and how often.

use serde_json::{Value, json};

use super::place::{CANCEL, Place, QUERY, RETRY, SUBMIT, call};

#[test]
fn what_is_out_of_bounds_is_invalid_input() {
    let place = Place::new();
    let mut entry = place.entry(&place.session("alice"));
    let long = "x".repeat(201);
    for (member, value) in [
        ("reportId", json!("")),
        ("reportId", json!(long)),
        ("reportId", json!(7)),
        ("reportId", json!("a\0")),
        ("deduplicationKey", json!("a\0")),
        ("rows", json!("1,2")),
        ("rows", json!([1, "2"])),
        ("rows", json!([null])),
        ("rows", json!(vec![0; 10_001])),
        ("failUntilAttempt", json!(-1)),
        ("durationMs", json!(1.5)),
        ("durationMs", json!(600_001)),
        ("runAt", json!("tomorrow")),
        ("runAt", json!("2030-01-01T09:00:00")),
        ("deduplicationKey", json!("")),
        ("deduplicationKey", json!(long)),
    ] {
        let mut arguments = json!({"reportId": "r", "rows": [1]});
        arguments[member] = value;
        call(&mut entry, SUBMIT, &arguments).assert_failure("invalid-input", "input", "not-started");
    }
    entry.close();
}

#[test]
fn an_id_that_no_database_could_hold_is_invalid_input() {
    let place = Place::new();
    let mut entry = place.entry(&place.session("alice"));
    for tool in [QUERY, CANCEL, RETRY] {
        let refused = call(&mut entry, tool, &json!({"jobId": "job_\0"}));
        refused.assert_failure("invalid-input", "input", "not-started");
    }
    entry.close();
}

#[test]
fn optional_members_may_be_null_and_whole_floats_are_integers() {
    let place = Place::new();
    let mut entry = place.entry(&place.session("alice"));
    let arguments = json!({
        "reportId": "r", "rows": [1, -2.5, 1e300], "failUntilAttempt": 1.0, "durationMs": null,
        "runAt": "2030-01-01T09:00:00.5+01:00", "deduplicationKey": null,
    });
    let id = call(&mut entry, SUBMIT, &arguments).output();
    let job = call(&mut entry, QUERY, &json!({"jobId": id})).output();
    assert_eq!(job["runAt"], "2030-01-01T08:00:00.5Z");
    entry.close();
}

#[test]
fn a_repeated_submission_under_a_key_is_the_same_job() {
    let place = Place::new();
    let mut entry = place.entry(&place.session("alice"));
    let mut arguments = json!({"reportId": "r", "rows": [1], "deduplicationKey": "k"});
    let first = call(&mut entry, SUBMIT, &arguments).output();
    assert_eq!(call(&mut entry, SUBMIT, &arguments).output(), first);
    arguments["rows"] = json!([2]);
    call(&mut entry, SUBMIT, &arguments).assert_failure("deduplication-key-reused", "invoke", "not-started");
    arguments["deduplicationKey"] = Value::Null;
    assert_ne!(call(&mut entry, SUBMIT, &arguments).output(), first);
    entry.close();
}

#[test]
fn the_session_comes_back_masked_even_as_a_report_id() {
    let place = Place::new();
    let session = place.session("alice");
    let mut entry = place.entry(&session);
    let id = call(&mut entry, SUBMIT, &json!({"reportId": session, "rows": []})).output();
    let job = call(&mut entry, QUERY, &json!({"jobId": id})).output();
    assert_eq!(job["reportId"], "[REDACTED]");
    let ended = entry.close();
    assert!(!String::from_utf8(ended.stdout).unwrap().contains(&session));
    assert!(!ended.stderr.contains(&session));
}
