//! `config/tasks-read.toml`: another identity, another process, the same database.

use std::path::Path;

use serde_json::json;
use test_host::{Session, message};

use super::place::{CANCEL, Place, call};

/// The only tool, as this launch counts.
const QUERY: &str = "operation_0";

fn narrow(place: &Place, session: &str) -> Session {
    let launch = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../config/tasks-read.toml");
    place.serve(&launch, session)
}

#[test]
fn it_offers_the_query_and_nothing_else() {
    let place = Place::new();
    let mut entry = narrow(&place, &place.session("alice"));
    entry.send(&message::list(1));
    let listed = entry.answer_to(1);
    let tools = listed["result"]["tools"].as_array().unwrap();
    let titles: Vec<_> = tools.iter().map(|tool| tool["title"].as_str().unwrap()).collect();
    assert_eq!(titles, ["tasks.query"]);
    let unknown = call(&mut entry, "nothing", &json!({})).assert_error(-32602).clone();
    for name in ["operation_1", "tasks.submit", "tasks_submit"] {
        assert_eq!(call(&mut entry, name, &json!({"reportId": "s", "rows": []})).assert_error(-32602), &unknown);
    }
    entry.close();
}

#[test]
fn it_sees_the_jobs_of_its_own_identity_beside_the_wider_one() {
    let place = Place::new();
    let id = place.submit(json!({}));
    let mut wide = place.entry(&place.session("alice"));
    let mut alice = narrow(&place, &place.session("alice"));
    let mut auditor = narrow(&place, &place.session("auditor"));
    assert_eq!(call(&mut alice, QUERY, &json!({"jobId": id})).output()["state"], "queued");
    assert_eq!(call(&mut auditor, QUERY, &json!({"jobId": id})).output(), json!(null));
    assert_eq!(call(&mut wide, CANCEL, &json!({"jobId": id})).output(), "cancelled");
    assert_eq!(call(&mut alice, QUERY, &json!({"jobId": id})).output()["state"], "cancelled");
    for entry in [wide, alice, auditor] {
        entry.close();
    }
}
