use serde_json::{Value, json};

use super::Asked;
use crate::frame::Checker;
use crate::message;

/// What is said of an answer to a request, in a session that began with a handshake of that revision.
fn verdict(revision: Option<&str>, request: &Value, answer: &Value) -> Result<(), String> {
    let mut asked = Asked::default();
    if let Some(revision) = revision {
        asked.sent(message::lines([message::initialize(0, revision)]).as_bytes());
        let result =
            json!({"protocolVersion": revision, "capabilities": {}, "serverInfo": {"name": "a", "version": "1"}});
        check(&mut asked, &json!({"jsonrpc": "2.0", "id": 0, "result": result}))?;
    }
    asked.sent(message::lines([request.clone()]).as_bytes());
    check(&mut asked, answer)
}

fn check(asked: &mut Asked, answer: &Value) -> Result<(), String> {
    let (frames, violation) = Checker::new(true).feed(format!("{answer}\n").as_bytes());
    assert!(violation.is_none(), "{answer}");
    asked.check(&frames[0])
}

fn result(result: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "result": result})
}

fn error(code: i64, data: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "error": {"code": code, "message": "x", "data": data}})
}

#[test]
fn an_answer_is_that_of_its_request_and_revision() {
    let called = json!({"content": [{"type": "text", "text": "1"}]});
    let call = message::call(1, "a", &json!({}));
    let stateless = message::stateless(1, "tools/call", json!({"name": "a"}));
    let server = json!({"io.modelcontextprotocol/serverInfo": {"name": "a", "version": "1"}});
    let complete = json!({"resultType": "complete", "_meta": server, "content": []});
    for revision in message::HANDSHAKE {
        assert_eq!(verdict(Some(revision), &call, &result(&called)), Ok(()));
        assert_eq!(verdict(Some(revision), &message::ping(1), &result(&json!({}))), Ok(()));
        assert_eq!(verdict(Some(revision), &message::list(1), &error(-32602, &json!(null))), Ok(()));
        for wrong in [result(&json!({})), result(&json!({"content": 1})), result(&complete), error(-32022, &json!({}))]
        {
            assert!(verdict(Some(revision), &call, &wrong).is_err(), "{revision}: {wrong}");
        }
    }
    assert_eq!(verdict(None, &stateless, &result(&complete)), Ok(()));
    for wrong in [
        result(&called),
        result(&json!({"resultType": "complete", "content": []})),
        result(&json!({"resultType": "complete", "_meta": server})),
        error(-32022, &json!({})),
        error(-32000, &json!({})),
    ] {
        assert!(verdict(None, &stateless, &wrong).is_err(), "{wrong}");
    }
    let structured = json!({"content": [], "structuredContent": {}});
    assert!(verdict(Some("2025-03-26"), &call, &result(&structured)).is_err());
    assert_eq!(verdict(Some("2025-06-18"), &call, &result(&structured)), Ok(()));
    assert!(verdict(Some("2025-11-25"), &message::request(1, "no/such", json!({})), &result(&json!({}))).is_err());
}

#[test]
fn only_an_error_whose_id_could_not_be_read_is_exempt() {
    let ping = message::ping(1);
    for revision in message::HANDSHAKE {
        for id in [json!({}), json!({"id": null})] {
            let mut unread = json!({"jsonrpc": "2.0", "error": {"code": -32700, "message": "x"}});
            unread.as_object_mut().expect("members").extend(id.as_object().expect("members").clone());
            assert_eq!(verdict(Some(revision), &ping, &unread), Ok(()));
        }
    }
    assert!(
        verdict(Some("2025-03-26"), &ping, &json!([error(-32700, &json!(1)), result(&json!({"_meta": 5}))])).is_err()
    );
}

#[test]
fn nobody_is_asked_without_a_handshake_or_anything_but_what_the_revision_has() {
    let question = json!({"jsonrpc": "2.0", "id": "q", "method": "elicitation/create",
        "params": {"message": "x", "requestedSchema": {"type": "object", "properties": {}}}});
    let ping = message::ping(1);
    assert_eq!(verdict(Some("2025-06-18"), &ping, &question), Ok(()));
    assert!(verdict(Some("2025-03-26"), &ping, &question).is_err());
    assert!(verdict(None, &ping, &question).is_err());
}
