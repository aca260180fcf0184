//! Requests of all five revisions in any order on one process: what one request declared never crosses into another, nor does
//! what a handshake agreed to. A failure shrinks and prints the script to replay.
//!
//! Source: specification 2026-07-28, pages `basic` (Statelessness) and `basic/versioning` (both eras on one process).
#![expect(clippy::expect_used, reason = "helpers outside test functions")]

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};
use test_host::{Fixture, Session, message};

/// What one request says of itself, and what is asked.
#[derive(Clone, Debug)]
enum Step {
    /// A handshake of that revision, by a client that shows forms or does not.
    Handshake {
        revision: &'static str,
        forms: bool,
    },
    Ask(Era, What),
}

#[derive(Clone, Copy, Debug)]
enum Era {
    /// Whatever the handshake agreed to.
    Agreed,
    Stateless {
        forms: bool,
    },
    /// A stateless request of a revision that nobody has.
    Unknown,
    /// A stateless request that does not say what its client can do.
    Incomplete,
}

#[derive(Clone, Copy, Debug)]
enum What {
    Ping,
    Discover,
    List,
    Echo,
    /// A call that has to be confirmed by the client.
    Remove,
    Unknown,
}

/// What is sent in one write: perhaps a handshake, then requests of any era.
fn steps() -> impl Strategy<Value = Vec<Step>> {
    let revision = prop::sample::select(&message::HANDSHAKE[..]);
    let era = prop_oneof![
        4 => Just(Era::Agreed),
        4 => any::<bool>().prop_map(|forms| Era::Stateless { forms }),
        1 => Just(Era::Unknown),
        1 => Just(Era::Incomplete),
    ];
    let what =
        prop::sample::select(&[What::Ping, What::Discover, What::List, What::Echo, What::Remove, What::Unknown][..]);
    let handshake = (revision, any::<bool>()).prop_map(|(revision, forms)| Step::Handshake { revision, forms });
    let asked = (era, what).prop_map(|(era, what)| Step::Ask(era, what));
    (prop::option::of(handshake), prop::collection::vec(asked, 1..8))
        .prop_map(|(handshake, asked)| handshake.into_iter().chain(asked).collect())
}

/// All that one process may remember of what came before.
#[derive(Clone, Copy, Default)]
struct Agreed {
    revision: Option<&'static str>,
    forms: bool,
}

fn capabilities(forms: bool) -> Value {
    if forms { json!({"elicitation": {}}) } else { json!({}) }
}

fn request(fixture: &Fixture, id: usize, era: Era, what: What) -> Value {
    let (method, params) = match what {
        What::Ping => ("ping", json!({})),
        What::Discover => ("server/discover", json!({})),
        What::List => ("tools/list", json!({})),
        What::Echo => ("tools/call", json!({"name": fixture.tool("echo"), "arguments": {"text": "a"}})),
        What::Remove => ("tools/call", json!({"name": fixture.tool("remove"), "arguments": {"id": "a"}})),
        What::Unknown => ("no/such", json!({})),
    };
    let mut request = message::stateless(id, method, params);
    let meta = &mut request["params"]["_meta"];
    match era {
        Era::Agreed => *meta = json!({}),
        Era::Stateless { forms } => meta["io.modelcontextprotocol/clientCapabilities"] = capabilities(forms),
        Era::Unknown => meta["io.modelcontextprotocol/protocolVersion"] = json!("2099-01-01"),
        Era::Incomplete => meta["io.modelcontextprotocol/clientCapabilities"] = json!(null),
    }
    request
}

/// The code of the error that a request must get from this process, by what it says of itself and what was agreed to.
fn refusal(era: Era, what: What, agreed: Agreed) -> Option<i64> {
    let is_new = agreed.revision.is_none();
    match (era, what) {
        (Era::Unknown, _) => Some(-32022),
        (Era::Incomplete, _) => Some(-32602),
        (Era::Agreed, What::Discover | What::List | What::Echo | What::Remove) if is_new => Some(-32602),
        (Era::Agreed, What::Discover) | (Era::Stateless { .. }, What::Ping) | (_, What::Unknown) => Some(-32601),
        (Era::Stateless { forms: false }, What::Remove) => Some(-32021),
        _ => None,
    }
}

/// The answers to so many requests, by id, in whatever order they come. Whoever is asked says no.
fn answers(session: &mut Session, count: usize) -> BTreeMap<u64, Value> {
    let mut answers = BTreeMap::new();
    while answers.len() < count {
        let message = session.receive().message;
        if message["method"] == "elicitation/create" {
            let mut answer = json!({"jsonrpc": "2.0", "result": {"action": "decline"}});
            answer["id"] = message["id"].clone();
            session.send(&answer);
        } else {
            let id = message["id"].as_u64().expect("the id of a request");
            assert!(answers.insert(id, message).is_none(), "two answers to {id}");
        }
    }
    answers
}

/// Whether an answer follows from what its own request said and what was agreed to before it. Of several calls that are
/// sent at once, all but the first may be busy.
fn follows(answer: &Value, era: Era, what: What, agreed: Agreed, may_be_busy: bool) {
    let shown = || format!("{era:?} {what:?} after {:?}: {answer}", agreed.revision);
    assert_eq!(answer["error"]["code"].as_i64(), refusal(era, what, agreed), "{}", shown());
    let result = &answer["result"];
    if result.is_null() {
        return;
    }
    // The test host validates each answer with the schema of the revision it was asked in.
    let text = result["content"][0]["text"].as_str().unwrap_or_default();
    let is_busy = text.contains("adapter-busy");
    assert!(may_be_busy || !is_busy, "{}", shown());
    let is_stateless = matches!(era, Era::Stateless { .. });
    let kind = match what {
        _ if !is_stateless => Value::Null,
        What::Remove if !is_busy => json!("input_required"),
        _ => json!("complete"),
    };
    assert_eq!(result.get("resultType").unwrap_or(&Value::Null), &kind, "{}", shown());
    if matches!(what, What::List) {
        let revision = if is_stateless { message::STATELESS } else { agreed.revision.unwrap_or_default() };
        let tool = &result["tools"][0];
        assert_eq!(tool.get("annotations").is_some(), revision >= "2025-03-26", "{}", shown());
        assert_eq!(tool.get("title").is_some(), revision >= "2025-06-18", "{}", shown());
    }
    if matches!((era, what), (Era::Agreed, What::Remove)) && !is_busy {
        assert!(text.contains("confirmation-required"), "{}", shown());
        let asked = agreed.forms && agreed.revision.is_some_and(|revision| revision >= "2025-06-18");
        assert_eq!(text.contains("who said no"), asked, "{}", shown());
    }
}

/// Sends the steps of one burst in one write, and looks at all answers.
fn burst(fixture: &Fixture, session: &mut Session, first: usize, steps: &[Step], agreed: &mut Agreed) {
    let mut lines = String::new();
    let mut expected = Vec::new();
    for (id, step) in (first..).zip(steps) {
        let message = match step {
            Step::Handshake { revision, forms } => {
                let mut hello = message::initialize(id, revision);
                hello["params"]["capabilities"] = capabilities(*forms);
                *agreed = Agreed { revision: Some(revision), forms: *forms };
                hello
            }
            Step::Ask(era, what) => request(fixture, id, *era, *what),
        };
        lines.push_str(&message::lines([message]));
        expected.push((id as u64, step, *agreed));
    }
    session.send_bytes(lines);
    let answers = answers(session, steps.len());
    let mut calls = 0;
    for (id, step, agreed) in expected {
        match step {
            Step::Handshake { revision, .. } => assert_eq!(answers[&id]["result"]["protocolVersion"], *revision),
            Step::Ask(era, what) => {
                follows(&answers[&id], *era, *what, agreed, calls > 0);
                calls += usize::from(matches!(what, What::Echo | What::Remove));
            }
        }
    }
}

fn run(fixture: &Fixture, script: &[Vec<Step>]) {
    let mut session = fixture.host().spawn();
    let mut agreed = Agreed::default();
    let mut first = 0;
    for steps in script {
        burst(fixture, &mut session, first, steps, &mut agreed);
        first += steps.len();
    }
    session.close_input();
    let ended = session.wait();
    ended.assert_code(0);
    assert!(ended.frames.is_empty(), "{:?}", ended.frames);
    assert!(!fixture.effects().iter().any(|effect| effect.starts_with("remove")), "nobody said yes");
}

#[test]
fn nothing_crosses_from_one_request_into_another() {
    let fixture =
        Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["echo", "remove"]).line("[binding.confirm]\nask = \"client\"");
    let script = prop::collection::vec(steps(), 1..12);
    let config = Config { cases: 200, max_shrink_iters: 300, failure_persistence: None, ..Config::default() };
    TestRunner::new(config)
        .run(&script, |script| {
            run(&fixture, &script);
            Ok(())
        })
        .unwrap_or_else(|error| panic!("{error}"));
}
