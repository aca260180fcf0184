//! Parameters are objects with named members: nothing is taken by its position in a list.
//!
//! Source: specification page `server/tools`, section Error Handling: a request that is none of its schema is a protocol error.

use serde_json::{Value, json};
use test_host::{Fixture, message};

#[test]
fn lists_in_the_place_of_objects_are_invalid_params() {
    let fixture = Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["echo"]);
    let mut session = fixture.initialized();
    let tool = fixture.tool("echo");
    let by_position = |meta: Value| json!({"name": tool, "arguments": {"text": "a"}, "_meta": meta});
    let requests: [(&str, Value); 8] = [
        ("tools/list", json!([])),
        ("tools/call", json!([])),
        ("tools/call", json!([tool, {"text": "a"}])),
        ("initialize", json!(["2025-11-25"])),
        ("tools/call", by_position(json!([]))),
        ("tools/call", by_position(json!(["2026-07-28", {}]))),
        ("tools/call", by_position(json!(5))),
        ("tools/call", by_position(json!(null))),
    ];
    for (method, params) in requests {
        let mut request = message::request(7, method, json!({}));
        request["params"] = params;
        session.send(&request);
        let answer = session.receive();
        assert_eq!(answer["id"], 7, "{request}");
        assert_eq!(answer["error"]["code"], -32602, "{request}: {answer}");
    }
    assert_eq!(fixture.effects(), ["constructor"], "nothing ran");
}

#[test]
fn a_method_that_there_is_none_of_is_not_found_whatever_its_parameters() {
    let fixture = Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["echo"]);
    for handshake in [false, true] {
        let mut session = fixture.host().spawn();
        if handshake {
            session.initialize("2025-11-25");
        }
        for params in [json!({}), json!([]), json!({"_meta": 5}), json!({"_meta": []})] {
            session.send(&message::request(7, "resources/list", params.clone()));
            session.receive().assert_error(-32601);
        }
    }
}
