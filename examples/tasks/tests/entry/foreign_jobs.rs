//! A foreign job and an unknown one give the same bytes.

use serde_json::json;

use super::place::{CANCEL, Place, QUERY, RETRY, SUBMIT, call};

#[test]
fn a_foreign_job_is_answered_byte_for_byte_like_an_unknown_one() {
    let place = Place::new();
    let id = place.submit(json!({}));
    let mut bob = place.entry(&place.session("bob"));
    for tool in [QUERY, CANCEL, RETRY] {
        let foreign = call(&mut bob, tool, &json!({"jobId": id}));
        let unknown = call(&mut bob, tool, &json!({"jobId": "job_00000000000000000000000000000000"}));
        assert_eq!(foreign["result"].to_string(), unknown["result"].to_string());
    }
    assert_eq!(place.job(&id).attempts, 0);
    bob.close();
}

#[test]
fn a_foreign_report_id_is_denied_without_a_word_about_it() {
    let place = Place::new();
    place.submit(json!({"reportId": "of alice"}));
    let mut bob = place.entry(&place.session("bob"));
    let denied = call(&mut bob, SUBMIT, &json!({"reportId": "of alice", "rows": []}));
    let diagnostic = denied.assert_failure("denied", "invoke", "not-started");
    let message = diagnostic["message"].as_str().unwrap();
    for word in ["exist", "alice", "owner"] {
        assert!(!message.contains(word), "{message}");
    }
    bob.close();
}
