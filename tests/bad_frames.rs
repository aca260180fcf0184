//! Whatever comes in as a line, the session survives it, and the answer is one error, or none.
//!
//! Source: JSON-RPC 2.0, section 5; specification page `basic`, sections Messages and Error Responses.

use serde_json::{Value, json};
use test_host::{Fixture, Session, message};

fn fixture() -> Fixture {
    Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["echo"])
}

/// The answer to a line: the error's code, and its id if it has one.
#[track_caller]
fn assert_answer(session: &mut Session, line: &[u8], code: i64, id: Option<&Value>) {
    let shown = line[..line.len().min(200)].escape_ascii().to_string();
    session.send_bytes([line, b"\n"].concat());
    session.send(&message::ping("alive"));
    let answer = session.receive();
    assert_ne!(answer["id"], "alive", "no answer to {shown}");
    assert_eq!(answer["error"]["code"], code, "{shown}: {answer}");
    assert_eq!(answer.message.get("id"), id, "{shown}: {answer}");
    let next = session.receive();
    assert_eq!(next["id"], "alive", "{shown}: a second answer: {next}");
}

#[track_caller]
fn assert_ignored(session: &mut Session, line: &[u8]) {
    session.send_bytes([line, b"\n"].concat());
    session.send(&message::ping("alive"));
    let answer = session.receive();
    assert_eq!(answer["id"], "alive", "{}: {answer}", line.escape_ascii());
}

fn nested(depth: usize) -> Vec<u8> {
    // The frame and its params are two of them.
    let (open, close) = ("[".repeat(depth - 2), "]".repeat(depth - 2));
    format!(r#"{{"jsonrpc":"2.0","id":5,"method":"ping","params":{{"x":{open}{close}}}}}"#).into_bytes()
}

#[test]
fn what_is_not_json_is_a_parse_error() {
    let fixture = fixture();
    let mut session = fixture.initialized();
    let cases: [(&[u8], Option<Value>); 13] = [
        (b"garbage", None),
        (b"\xff\xfe", None),
        (b"{", None),
        (b"{}{}", None),
        (b"\"\\ud800\"", None),
        (b"[1,]", None),
        (b"NaN", None),
        (b"\x00", None),
        (b"{\"jsonrpc\":\"2.0\",\"id\":5,\"id\":5,\"method\":\"ping\"}", None),
        (b"{\"jsonrpc\":\"2.0\",\"id\":5,\"id\":6,\"method\":\"ping\"}", None),
        (b"{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"ping\",\"params\":{\"a\":1,\"\\u0061\":2}}", Some(json!(5))),
        (b"{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"ping\",\"params\":{\"a\":\"\\udc00\"}}", Some(json!(5))),
        (
            b"{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"ping\",\"params\":{\"a\":\"\\ud800\\ud800\"}}",
            Some(json!("x")),
        ),
    ];
    for (line, id) in cases {
        assert_answer(&mut session, line, -32700, id.as_ref());
    }
    assert_answer(&mut session, &nested(129), -32700, Some(&json!(5)));
    session.send_bytes([&nested(128)[..], b"\n"].concat());
    assert_eq!(session.receive()["id"], 5, "a nesting of 128 is allowed");
}

#[test]
fn what_is_no_message_is_an_invalid_request() {
    let fixture = fixture();
    let mut session = fixture.initialized();
    let long = format!(r#"{{"jsonrpc":"2.0","id":"{}","method":"ping"}}"#, "x".repeat(257));
    let cases: [(&str, Option<Value>); 20] = [
        ("1", None),
        ("null", None),
        ("\"ping\"", None),
        ("[]", None),
        ("{}", None),
        (r#"[{"jsonrpc":"2.0","id":5,"method":"ping"}]"#, None),
        (r#"{"id":99,"method":"ping"}"#, Some(json!(99))),
        (r#"{"jsonrpc":"1.0","id":99,"method":"ping"}"#, Some(json!(99))),
        (r#"{"jsonrpc":2.0,"id":99,"method":"ping"}"#, Some(json!(99))),
        (r#"{"jsonrpc":"2.0","id":99,"method":7}"#, Some(json!(99))),
        (r#"{"jsonrpc":"2.0","id":99}"#, None),
        (r#"{"jsonrpc":"2.0","id":99,"method":"ping","params":7}"#, Some(json!(99))),
        (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, None),
        (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, None),
        (r#"{"jsonrpc":"2.0","id":true,"method":"ping"}"#, None),
        (r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, None),
        (r#"{"jsonrpc":"2.0","id":18446744073709551616,"method":"ping"}"#, None),
        (r#"{"jsonrpc":"2.0","id":5,"method":"ping","params":{"x":1e400}}"#, Some(json!(5))),
        (r#"{"jsonrpc":"2.0","id":5,"method":"ping","params":{"x":18446744073709551616}}"#, Some(json!(5))),
        (&long, None),
    ];
    for (line, id) in cases {
        assert_answer(&mut session, line.as_bytes(), -32600, id.as_ref());
    }
    let longest = "x".repeat(256);
    session.send(&message::ping(longest.as_str()));
    assert_eq!(session.receive()["id"], longest);
}

#[test]
fn an_unknown_method_is_named_by_its_code() {
    let fixture = fixture();
    let mut session = fixture.initialized();
    for method in ["no/such/method", "", "tools/List", "resources/list", "prompts/list", "logging/setLevel"] {
        assert_answer(
            &mut session,
            message::request(8, method, json!({})).to_string().as_bytes(),
            -32601,
            Some(&json!(8)),
        );
    }
}

#[test]
fn a_line_over_the_limit_is_discarded_and_nothing_in_it_is_executed() {
    let fixture = fixture();
    let mut session = fixture.initialized();
    let call = message::call(1, &fixture.tool("echo"), &json!({"text": "a"})).to_string();
    for size in [1_048_577, 5_000_000] {
        // A frame that would be a call, were it not followed by so many spaces.
        let padding = " ".repeat(size - call.len());
        let line = format!("{call}{padding}\n{}\n", message::ping(2));
        session.send_bytes(line);
        let answer = session.receive();
        assert_eq!(answer.assert_error(-32600)["data"]["code"], "frame-too-large", "{answer}");
        assert_eq!(session.receive()["id"], 2);
    }
    assert_eq!(fixture.effects(), ["constructor"]);
    // One byte less, without its line ending, is a frame.
    session.send_bytes(format!("{call}{}\r\n", " ".repeat(1_048_576 - call.len())));
    assert_eq!(session.receive().output(), json!("a"));
}

#[test]
fn what_nobody_waits_for_is_ignored_also_before_the_handshake() {
    let fixture = fixture();
    let mut session = fixture.host().spawn();
    let lines: [&[u8]; 8] = [
        br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        br#"{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}"#,
        br#"{"jsonrpc":"2.0","method":"no/such/notification","params":{}}"#,
        br#"{"jsonrpc":"2.0","id":3,"result":{}}"#,
        br#"{"jsonrpc":"2.0","id":3,"error":{"code":1,"message":"x"}}"#,
        br#"{"jsonrpc":"2.0","id":3,"result":{},"error":{"code":1,"message":"x"}}"#,
        b"",
        b"  \t ",
    ];
    for round in 0..2 {
        for line in lines {
            assert_ignored(&mut session, line);
        }
        if round == 0 {
            session.initialize("2025-11-25");
        }
    }
}

#[test]
fn a_byte_order_mark_line_endings_and_pieces_do_not_matter() {
    let fixture = fixture();
    let mut session = fixture.host().spawn();
    session.send_bytes(format!("\u{feff}{}\r\n", message::initialize(1, "2025-11-25")));
    assert!(session.receive()["result"].is_object());
    session.send_bytes(format!("\r\n\n{}\r\n", message::ping(2)));
    assert_eq!(session.receive()["id"], 2);
    let line = format!("{}\n", message::call(3, &fixture.tool("echo"), &json!({"text": "ä🦀\u{e9}"})));
    for size in [1, 2, 7] {
        for piece in line.as_bytes().chunks(size) {
            session.send_bytes(piece);
        }
        assert_eq!(session.receive().output(), json!("ä🦀\u{e9}"));
    }
}

#[test]
fn an_invalid_byte_inside_a_call_executes_nothing() {
    let fixture = fixture();
    let mut session = fixture.initialized();
    let call = message::call(1, &fixture.tool("echo"), &json!({"text": "X"})).to_string().into_bytes();
    let place = call.iter().position(|byte| *byte == b'X').expect("the text");
    let line = [&call[..place], b"\xc3\x28", &call[place + 1..]].concat();
    session.send_bytes([&line[..], b"\n"].concat());
    session.receive().assert_error(-32700);
    assert_eq!(fixture.effects(), ["constructor"]);
}

#[test]
fn before_2025_11_25_an_unknown_id_is_null_and_before_any_revision_it_is_left_out() {
    let fixture = fixture();
    let mut session = fixture.host().spawn();
    assert_answer(&mut session, b"garbage", -32700, None);
    session.initialize("2025-06-18");
    assert_answer(&mut session, b"garbage", -32700, Some(&json!(null)));
    // An id never comes from another frame.
    session.send(&message::ping(7));
    assert_eq!(session.receive()["id"], 7);
    assert_answer(&mut session, b"garbage", -32700, Some(&json!(null)));
}

#[test]
fn bad_frames_disturb_no_running_call() {
    let fixture = Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["wait"]);
    let mut session = fixture.initialized();
    session.call(1, &fixture.tool("wait"), json!({"ms": 500}));
    assert_answer(&mut session, b"garbage", -32700, None);
    assert_answer(&mut session, b"[]", -32600, None);
    assert_answer(&mut session, br#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":1,"a":1}}"#, -32700, None);
    assert_eq!(session.receive().output(), json!("waited"));
}
