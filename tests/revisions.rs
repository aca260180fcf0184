//! Four revisions with a handshake and a stateless one, on one process.
//!
//! Source: specification pages `basic/lifecycle` (to 2025-11-25); `basic`, `basic/versioning` and `server/discover` (2026-07-28).

use std::time::Duration;

use serde_json::{Value, json};
use test_host::{Fixture, Frame, message};

fn fixture() -> Fixture {
    Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["echo", "wait"])
}

fn names(answer: &Frame) -> Vec<&str> {
    answer.tools().iter().filter_map(|tool| tool["name"].as_str()).collect()
}

#[test]
fn each_handshake_revision_is_agreed_to_and_serves_list_and_call() {
    for revision in message::HANDSHAKE {
        let fixture = fixture();
        let mut session = fixture.host().batches().spawn();
        let answer = session.initialize(revision);
        assert_eq!(answer["result"]["protocolVersion"], revision);
        assert_eq!(answer["result"]["capabilities"], json!({"tools": {}}), "and nothing else");
        assert!(answer["result"]["serverInfo"]["name"].is_string(), "{answer}");
        session.send(&message::ping(1));
        assert_eq!(session.receive().message, json!({"jsonrpc": "2.0", "id": 1, "result": {}}));
        session.send(&message::list(2));
        let list = session.receive();
        assert_eq!(names(&list), ["operation_0", "operation_1"]);
        assert_eq!(
            list["result"].as_object().map(serde_json::Map::len),
            Some(1),
            "no later revision's members: {list}"
        );
        session.call("three", &fixture.tool("echo"), json!({"text": "a"}));
        let called = session.receive();
        assert_eq!(called["id"], "three");
        assert_eq!(called.output(), json!("a"));
        assert_eq!(called["result"].get("resultType"), None);
        session.close();
    }
}

#[test]
fn an_unknown_revision_is_answered_with_the_newest_that_has_a_handshake() {
    let fixture = fixture();
    for revision in ["2023-01-01", "2026-07-28", "9999-99-99", ""] {
        let mut session = fixture.host().spawn();
        session.send(&message::initialize(1, revision));
        assert_eq!(session.receive()["result"]["protocolVersion"], "2025-11-25", "{revision:?}");
    }
}

#[test]
fn the_stateless_revision_needs_no_handshake() {
    let fixture = fixture();
    let mut session = fixture.host().spawn();
    for id in 0..2 {
        session.send(&message::stateless(id, "server/discover", json!(null)));
        let answer = session.receive();
        let result = &answer["result"];
        assert_eq!(answer["id"], id);
        assert!(
            result["supportedVersions"].as_array().is_some_and(|all| all.contains(&json!("2026-07-28"))),
            "{answer}"
        );
        assert_eq!(result["capabilities"], json!({"tools": {}}));
        assert_eq!(result["resultType"], "complete");
        assert!(result["ttlMs"].is_u64() && result["cacheScope"].is_string(), "{answer}");
        assert!(result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"].is_string(), "{answer}");
    }
    session.send(&message::stateless(3, "tools/list", json!(null)));
    let list = session.receive();
    assert_eq!(names(&list), ["operation_0", "operation_1"]);
    let hints = ["resultType", "cacheScope", "ttlMs"].map(|key| list["result"][key].clone());
    assert_eq!(hints, [json!("complete"), json!("private"), json!(0)]);
    let call = json!({"name": fixture.tool("echo"), "arguments": {"text": "a"}});
    session.send(&message::stateless(4, "tools/call", call));
    let called = session.receive();
    assert_eq!(called.output(), json!("a"));
    assert_eq!(called["result"]["resultType"], "complete");
    session.close();
}

#[test]
fn each_stateless_request_is_accepted_or_refused_on_its_own() {
    let fixture = fixture();
    let mut session = fixture.host().spawn();
    let mut request = message::stateless(1, "tools/list", json!(null));
    request["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2099-01-01");
    session.send(&request);
    let answer = session.receive();
    let error = answer.assert_error(-32022);
    assert_eq!(error["data"]["requested"], "2099-01-01");
    assert!(error["data"]["supported"].as_array().is_some_and(|all| all.contains(&json!("2026-07-28"))), "{answer}");

    // One that takes a handshake cannot be used instead, by who did without one.
    request["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2025-11-25");
    session.send(&request);
    assert_eq!(session.receive().assert_error(-32022)["data"]["supported"], json!(["2026-07-28"]));

    for method in ["ping", "initialize", "logging/setLevel", "subscriptions/listen"] {
        session.send(&message::stateless(3, method, json!(null)));
        session.receive().assert_error(-32601);
    }
    session.send(&message::stateless(4, "tools/list", json!(null)));
    assert_eq!(names(&session.receive()), ["operation_0", "operation_1"]);
}

/// Page `basic` of 2026-07-28: a request without a required member of `_meta` is malformed, whatever came before.
#[test]
fn a_stateless_request_with_incomplete_metadata_is_malformed_also_after_a_handshake() {
    let fixture = fixture();
    let mut session = fixture.host().spawn();
    for round in 0..2 {
        for (member, value) in [
            ("protocolVersion", None),
            ("protocolVersion", Some(json!(null))),
            ("protocolVersion", Some(json!(20_260_728))),
            ("clientCapabilities", None),
            ("clientCapabilities", Some(json!([]))),
            ("clientInfo", Some(json!("me"))),
            ("logLevel", Some(json!("loud"))),
        ] {
            for method in ["server/discover", "tools/list", "tools/call", "ping", "no/such"] {
                let mut request = message::stateless(1, method, json!({}));
                let meta = request["params"]["_meta"].as_object_mut().expect("an object");
                match &value {
                    Some(value) => meta.insert(format!("io.modelcontextprotocol/{member}"), value.clone()),
                    None => meta.remove(&format!("io.modelcontextprotocol/{member}")),
                };
                session.send(&request);
                let answer = session.receive();
                assert_eq!(answer["error"]["code"], -32602, "{round}: {request}: {answer}");
            }
        }
        session.initialize("2025-11-25");
    }
}

/// Page `basic/lifecycle`.
#[test]
fn a_malformed_handshake_is_none() {
    let fixture = fixture();
    let mut session = fixture.host().spawn();
    for (member, value) in [
        ("protocolVersion", json!(null)),
        ("protocolVersion", json!(20_251_125)),
        ("capabilities", json!("all")),
        ("clientInfo", json!([])),
    ] {
        let mut request = message::initialize(1, "2025-11-25");
        request["params"][member] = value;
        session.send(&request);
        session.receive().assert_error(-32602);
    }
    session.send(&message::list(2));
    session.receive().assert_error(-32602);
}

#[test]
fn the_stateless_revision_and_a_handshake_live_on_one_process() {
    let fixture = fixture();
    let mut session = fixture.host().spawn();
    session.send(&message::stateless(1, "server/discover", json!(null)));
    assert!(session.receive()["result"].is_object());
    session.send(&message::notification("notifications/roots/list_changed", Value::Null));
    session.send(&message::stateless(2, "tools/list", json!(null)));
    assert_eq!(names(&session.receive()), ["operation_0", "operation_1"]);
    let answer = session.initialize("2025-06-18");
    assert_eq!(answer["result"]["protocolVersion"], "2025-06-18");
    session.send(&message::list(3));
    assert_eq!(session.receive()["result"].get("resultType"), None);
    let call = json!({"name": fixture.tool("wait"), "arguments": {"ms": 300}});
    session.send(&message::stateless(4, "tools/call", call));
    fixture.wait_for_effect("wait");
    session.call(5, &fixture.tool("echo"), json!({"text": "a"}));
    session.receive().assert_failure("adapter-busy", "admit", "not-started");
    let called = session.receive();
    assert_eq!((&called["id"], &called["result"]["resultType"]), (&json!(4), &json!("complete")));
    session.send(&message::stateless(6, "server/discover", json!(null)));
    assert_eq!(session.receive()["result"]["resultType"], "complete");
    session.assert_quiet(Duration::from_millis(30));
}
