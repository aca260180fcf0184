//! No argument can say who asks, or that somebody agreed.

use serde_json::json;

use super::place::{CANCEL, Place, QUERY, RETRY, SUBMIT, call};

#[test]
fn forged_members_are_invalid_input_for_every_tool() {
    let place = Place::new();
    let id = place.submit(json!({}));
    let mut bob = place.entry(&place.session("bob"));
    for member in ["owner", "actor", "session", "confirmed"] {
        for tool in [SUBMIT, QUERY, CANCEL, RETRY] {
            let mut arguments =
                if tool == SUBMIT { json!({"reportId": "s", "rows": []}) } else { json!({"jobId": id}) };
            arguments[member] = json!("alice");
            call(&mut bob, tool, &arguments).assert_failure("invalid-input", "input", "not-started");
        }
    }
    let job = place.job(&id);
    assert_eq!((job.attempts, job.cancel_requested), (0, false));
    bob.close();
}
