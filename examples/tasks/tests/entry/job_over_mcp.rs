//! A job's whole life, seen by a host.

use serde_json::{Value, json};
use tasks::job::State;
use test_host::Signal;

use super::place::{CANCEL, DEADLINE, Place, QUERY, RETRY, SUBMIT, call};

#[test]
fn a_job_is_submitted_and_queried_until_it_is_done() {
    let place = Place::new();
    let mut entry = place.entry(&place.session("alice"));
    let id = call(&mut entry, SUBMIT, &json!({"reportId": "r", "rows": [1, 2.5]})).output();
    let queued = call(&mut entry, QUERY, &json!({"jobId": id})).output();
    assert_eq!(
        (&queued["state"], &queued["attempts"], &queued["maxAttempts"]),
        (&json!("queued"), &json!(0), &json!(3))
    );
    place.command(["worker", "--until-idle"]).deadline(DEADLINE).run().assert_code(0);
    let done = call(&mut entry, QUERY, &json!({"jobId": id})).output();
    let members: Vec<_> = done.as_object().unwrap().keys().map(String::as_str).collect();
    let expected = [
        "attempts",
        "cancelRequested",
        "finishedAt",
        "jobId",
        "lastError",
        "maxAttempts",
        "reportId",
        "runAt",
        "startedAt",
        "state",
        "submittedAt",
    ];
    assert_eq!(members, expected);
    assert_eq!((&done["state"], &done["attempts"], &done["lastError"]), (&json!("succeeded"), &json!(1), &Value::Null));
    assert_eq!(place.report(), Some((3.5, 2)));
    entry.close();
}

#[test]
fn a_job_is_cancelled_before_and_while_it_runs() {
    let place = Place::new();
    let mut entry = place.entry(&place.session("alice"));
    let waiting =
        call(&mut entry, SUBMIT, &json!({"reportId": "r", "rows": [], "runAt": "2999-01-01T00:00:00Z"})).output();
    assert_eq!(call(&mut entry, CANCEL, &json!({"jobId": waiting})).output(), "cancelled");
    assert_eq!(call(&mut entry, CANCEL, &json!({"jobId": waiting})).output(), "terminal");

    let running = call(&mut entry, SUBMIT, &json!({"reportId": "r", "rows": [], "durationMs": 600_000})).output();
    let mut worker = place.worker(30_000);
    place.wait_for(running.as_str().unwrap(), State::Running);
    assert_eq!(call(&mut entry, CANCEL, &json!({"jobId": running})).output(), "requested");
    place.wait_for(running.as_str().unwrap(), State::Cancelled);
    let job = call(&mut entry, QUERY, &json!({"jobId": running})).output();
    assert_eq!((&job["state"], &job["cancelRequested"]), (&json!("cancelled"), &json!(true)));
    assert_eq!(call(&mut entry, RETRY, &json!({"jobId": running})).output(), false);
    worker.signal(Signal::TERM);
    worker.wait().assert_code(0);
    entry.close();
}

#[test]
fn a_failed_job_is_retried_once_for_each_failure() {
    let place = Place::new();
    let mut entry = place.entry(&place.session("alice"));
    // Too large a sum fails at once, whatever the attempt.
    let id = call(&mut entry, SUBMIT, &json!({"reportId": "r", "rows": [1.7e308, 1.7e308]})).output();
    assert_eq!(call(&mut entry, RETRY, &json!({"jobId": id})).output(), false);
    place.command(["worker", "--until-idle"]).run().assert_code(0);
    assert_eq!(call(&mut entry, RETRY, &json!({"jobId": id})).output(), true);
    assert_eq!(call(&mut entry, RETRY, &json!({"jobId": id})).output(), false);
    let job = call(&mut entry, QUERY, &json!({"jobId": id})).output();
    assert_eq!((&job["state"], &job["maxAttempts"]), (&json!("queued"), &json!(2)));
    entry.close();
}
