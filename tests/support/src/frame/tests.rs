use serde_json::json;

use super::Checker;

const PONG: &str = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;

fn reason(output: &[u8]) -> String {
    let mut checker = Checker::new(false);
    let (_, violation) = checker.feed(output);
    violation.or_else(|| checker.end()).expect("a violation").reason
}

#[test]
fn frames_are_found_in_whatever_pieces_they_arrive() {
    let output = format!("{PONG}\n{PONG}\n");
    for size in 1..output.len() {
        let mut checker = Checker::new(false);
        let mut frames = Vec::new();
        for piece in output.as_bytes().chunks(size) {
            let (found, violation) = checker.feed(piece);
            assert!(violation.is_none());
            frames.extend(found);
        }
        assert!(checker.end().is_none());
        assert_eq!(frames.len(), 2);
        assert_eq!(frames[1].bytes, PONG.as_bytes());
        assert_eq!(frames[1]["id"], json!(1));
    }
}

#[test]
fn every_kind_of_message_passes() {
    for line in [
        PONG,
        r#"{"jsonrpc":"2.0","id":"a","error":{"code":-32601,"message":"x"}}"#,
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}"#,
        r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"x"}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{}}"#,
    ] {
        let (frames, violation) = Checker::new(false).feed(format!("{line}\n").as_bytes());
        assert!(violation.is_none(), "{line}");
        assert_eq!(frames.len(), 1, "{line}");
    }
}

#[test]
fn everything_else_is_named_with_its_bytes() {
    for (output, expected) in [
        (&b"hello\n"[..], "not JSON"),
        (b"\n", "not JSON"),
        (b"\xff\n", "not UTF-8"),
        (b"[]\n", "not a JSON-RPC message"),
        (b"1\n", "not a JSON-RPC message"),
        (b"{}\n", "not JSON-RPC 2.0"),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\r\n", "a carriage return"),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}", "a line without LF"),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1.5,\"result\":{}}\n", "an id that is none"),
        (b"{\"jsonrpc\":\"2.0\",\"result\":{}}\n", "neither"),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{},\"error\":{}}\n", "neither"),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":1}}\n", "neither"),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1}\n", "neither"),
    ] {
        let found = reason(output);
        assert!(found.starts_with(expected), "{}: {found}", output.escape_ascii());
    }
}

#[test]
fn frames_before_a_stray_line_are_still_given() {
    let (frames, violation) = Checker::new(false).feed(format!("{PONG}\nhello\n").as_bytes());
    assert_eq!(frames.len(), 1);
    assert_eq!(violation.expect("a violation").bytes, b"hello");
}

#[test]
fn an_array_is_a_frame_only_where_batches_are_allowed() {
    let line = format!("[{PONG},{PONG}]\n");
    assert!(Checker::new(true).feed(line.as_bytes()).1.is_none());
    assert!(Checker::new(false).feed(line.as_bytes()).1.is_some());
    assert!(Checker::new(true).feed(b"[]\n").1.is_some());
    assert!(Checker::new(true).feed(b"[1]\n").1.is_some());
}
