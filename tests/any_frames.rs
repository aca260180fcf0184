//! Valid calls and every kind of bad line in any order, cut anywhere: each id that is owed an answer gets exactly one, no
//! other id gets any, and the session is alive at the end. A failure shrinks and prints the script to replay.
#![expect(clippy::expect_used, reason = "a frame that is no frame fails the test")]

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};
use test_host::{Fixture, Frame, message};

/// The launch's `max_frame_bytes`.
const LIMIT: usize = 4096;

/// One line; `ID` stands for an id that no other line has.
#[derive(Clone, Debug)]
enum Line {
    Ping,
    List,
    Call,
    UnknownTool,
    UnknownMethod,
    /// A request that is answered with one error under its own id.
    Wrong(&'static str, i64),
    /// The same, longer than a line may be, with its id at the beginning or at the end.
    TooLong {
        id_first: bool,
        excess: usize,
    },
    /// Answered with one error without an id.
    Unreadable(&'static [u8], i64),
    /// Not answered.
    Ignored(&'static [u8]),
}

const WRONG: [(&str, i64); 8] = [
    (r#"{"id":ID,"method":"ping"}"#, -32600),
    (r#"{"jsonrpc":"2.0","id":ID,"method":7}"#, -32600),
    (r#"{"jsonrpc":"2.0","id":ID,"method":"ping","params":{"x":1e999}}"#, -32600),
    (r#"{"jsonrpc":"2.0","id":ID,"method":"ping","params":{"a":1,"\u0061":2}}"#, -32700),
    (r#"{"jsonrpc":"2.0","id":ID,"method":"ping","params":["\ud800"]}"#, -32700),
    (r#"{"jsonrpc":"2.0","id":ID,"method":"ping","params":[NaN]}"#, -32700),
    (r#"{"jsonrpc":"2.0","id":ID,"method":"tools/call","params":{"name":"operation_0","arguments":null}}"#, -32602),
    (r#"{"jsonrpc":"2.0","method":"tools/list","params":{"cursor":""},"id":ID}"#, -32602),
];

const UNREADABLE: [(&[u8], i64); 12] = [
    (b"garbage", -32700),
    (b"\xff\xfe{}", -32700),
    (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"", -32700),
    (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":1,\"method\":\"ping\"}", -32700),
    (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{},\"result\":{}}", -32700),
    (b"{\"a\":\"\xc3\x28\"}", -32700),
    (b"17", -32600),
    (b"{}", -32600),
    (b"[]", -32600),
    (b"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]", -32600),
    (b"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}", -32600),
    (b"{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}", -32600),
];

const IGNORED: [&[u8]; 7] = [
    b"",
    b" \t ",
    b"\r",
    b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/whatever\"}",
    b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}",
    b"{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":1,\"message\":\"x\"}}",
    b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":\"nobody\"}}",
];

fn line() -> impl Strategy<Value = Line> {
    prop_oneof![
        4 => Just(Line::Ping),
        1 => Just(Line::List),
        4 => Just(Line::Call),
        1 => Just(Line::UnknownTool),
        1 => Just(Line::UnknownMethod),
        4 => prop::sample::select(&WRONG[..]).prop_map(|(text, code)| Line::Wrong(text, code)),
        2 => (any::<bool>(), 0..10_000_usize).prop_map(|(id_first, excess)| Line::TooLong { id_first, excess }),
        4 => prop::sample::select(&UNREADABLE[..]).prop_map(|(bytes, code)| Line::Unreadable(bytes, code)),
        3 => prop::sample::select(&IGNORED[..]).prop_map(Line::Ignored),
    ]
}

/// What a script is owed: an error code for each id (`None` for a result), and how many errors without an id.
#[derive(Debug, Default, PartialEq)]
struct Owed {
    by_id: BTreeMap<String, Option<i64>>,
    without_id: BTreeMap<i64, usize>,
}

impl Owed {
    fn note(&mut self, id: &Value, code: Option<i64>) {
        assert_eq!(self.by_id.insert(id.to_string(), code), None, "two answers to {id}");
    }
}

/// The bytes of a line whose id is `id`.
fn bytes(line: &Line, id: &Value, owed: &mut Owed) -> Vec<u8> {
    match line {
        Line::Ping => {
            owed.note(id, None);
            message::ping(id.clone()).to_string().into_bytes()
        }
        Line::List => {
            owed.note(id, None);
            message::list(id.clone()).to_string().into_bytes()
        }
        Line::Call => {
            owed.note(id, None);
            message::call(id.clone(), "operation_0", &json!({"text": "x"})).to_string().into_bytes()
        }
        Line::UnknownTool => {
            owed.note(id, Some(-32602));
            message::call(id.clone(), "operation_9", &json!({})).to_string().into_bytes()
        }
        Line::UnknownMethod => {
            owed.note(id, Some(-32601));
            message::request(id.clone(), "no/such", json!({})).to_string().into_bytes()
        }
        Line::Wrong(text, code) => {
            owed.note(id, Some(*code));
            text.replace("ID", &id.to_string()).into_bytes()
        }
        Line::TooLong { id_first, excess } => {
            owed.note(id, Some(-32600));
            let padding = "x".repeat(LIMIT + excess);
            if *id_first {
                format!(r#"{{"id":{id},"method":"ping","params":{{"id":0,"x":"{padding}"}}}}"#).into_bytes()
            } else {
                format!(r#"{{"params":{{"id":0,"x":"{padding}"}},"method":"ping","id":{id}}}"#).into_bytes()
            }
        }
        Line::Unreadable(bytes, code) => {
            *owed.without_id.entry(*code).or_default() += 1;
            bytes.to_vec()
        }
        Line::Ignored(bytes) => bytes.to_vec(),
    }
}

/// What the frames are.
fn answered(frames: &[Frame]) -> Owed {
    let mut answered = Owed::default();
    for frame in frames {
        let code = frame.message.get("error").map(|error| error["code"].as_i64().expect("a code"));
        match (frame.message.get("id"), code) {
            (Some(id), code) => answered.note(id, code),
            (None, Some(code)) => *answered.without_id.entry(code).or_default() += 1,
            (None, None) => panic!("nobody asked for {frame}"),
        }
    }
    answered
}

/// Runs one script in a session of its own.
fn run(fixture: &Fixture, script: &[(Line, bool)], chunks: &[usize]) {
    let mut owed = Owed::default();
    let mut input = Vec::new();
    for (number, (line, is_text)) in script.iter().enumerate() {
        let id = if *is_text { json!(format!("id {number}")) } else { json!(number) };
        input.extend(bytes(line, &id, &mut owed));
        input.extend(if *is_text { &b"\n"[..] } else { b"\r\n" });
    }
    let mut session = fixture.initialized();
    let mut rest = &input[..];
    for size in chunks.iter().cycle() {
        let (piece, next) = rest.split_at((*size).min(rest.len()));
        session.send_bytes(piece);
        rest = next;
        if rest.is_empty() {
            break;
        }
    }
    session.send(&message::ping("the end"));
    owed.note(&json!("the end"), None);
    session.close_input();
    let ended = session.wait();
    ended.assert_code(0);
    assert_eq!(answered(&ended.frames), owed);
}

#[test]
fn every_owed_answer_comes_once_and_nothing_else() {
    let fixture = Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["echo"]);
    let fixture = fixture.launch(&format!("allow = [\"fixture.echo\"]\n[limits]\nmax_frame_bytes = {LIMIT}\n"));
    let script = prop::collection::vec((line(), any::<bool>()), 1..60);
    let chunks = prop::collection::vec(prop_oneof![1..16_usize, 1..4096_usize, 1..65_536_usize], 1..8);
    let config = Config { cases: 1500, max_shrink_iters: 300, failure_persistence: None, ..Config::default() };
    TestRunner::new(config)
        .run(&(script, chunks), |(script, chunks)| {
            run(&fixture, &script, &chunks);
            Ok(())
        })
        .unwrap_or_else(|error| panic!("{error}"));
}
