//! Requests of all five revisions in any order on one process: what one request declared never crosses into another, nor does
//! what a handshake agreed to. A failure shrinks and prints the script to replay.
//!
//! Source: specification 2026-07-28, pages `basic` (Statelessness) and `basic/versioning` (both eras on one process).

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

fn step() -> impl Strategy<Value = Step> {
    let revision = prop::sample::select(&message::HANDSHAKE[..]);
    let era = prop_oneof![
        4 => Just(Era::Agreed),
        4 => any::<bool>().prop_map(|forms| Era::Stateless { forms }),
        1 => Just(Era::Unknown),
        1 => Just(Era::Incomplete),
    ];
    let what =
        prop::sample::select(&[What::Ping, What::Discover, What::List, What::Echo, What::Remove, What::Unknown][..]);
    prop_oneof![
        1 => (revision, any::<bool>()).prop_map(|(revision, forms)| Step::Handshake { revision, forms }),
        5 => (era, what).prop_map(|(era, what)| Step::Ask(era, what)),
    ]
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
    let Era::Stateless { .. } = era else {
        let mut request = message::stateless(id, method, params);
        let meta = &mut request["params"]["_meta"];
        match era {
            Era::Unknown => meta["io.modelcontextprotocol/protocolVersion"] = json!("2099-01-01"),
            Era::Incomplete => meta["io.modelcontextprotocol/clientCapabilities"] = json!(null),
            _ => *meta = json!({}),
        }
        return request;
    };
    let mut request = message::stateless(id, method, params);
    if matches!(era, Era::Stateless { forms: true }) {
        request["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] = capabilities(true);
    }
    request
}

/// The code of the error that a request must get from this process, by what it says of itself and what was agreed to.
fn refusal(era: Era, what: What, agreed: Agreed) -> Option<i64> {
    match (era, what) {
        (Era::Unknown, _) => Some(-32022),
        (Era::Incomplete, _) => Some(-32602),
        (Era::Agreed, What::Ping) => None,
        (Era::Agreed, What::Discover | What::List | What::Echo | What::Remove) if agreed.revision.is_none() => {
            Some(-32602)
        }
        (Era::Agreed, What::Discover) => Some(-32601),
        (Era::Stateless { .. }, What::Ping) | (_, What::Unknown) => Some(-32601),
        (Era::Stateless { forms: false }, What::Remove) => Some(-32021),
        _ => None,
    }
}

/// One question of the process to the client of the handshake, which says no.
fn decline(session: &mut Session) -> Value {
    let question = session.receive();
    assert_eq!(question["method"], "elicitation/create", "{question}");
    let mut answer = json!({"jsonrpc": "2.0", "result": {"action": "decline"}});
    answer["id"] = question["id"].clone();
    session.send(&answer);
    session.receive().message
}

fn ask(fixture: &Fixture, session: &mut Session, id: usize, era: Era, what: What, agreed: Agreed) {
    session.send(&request(fixture, id, era, what));
    let is_stateless = matches!(era, Era::Stateless { .. });
    let asks = matches!((era, what), (Era::Agreed, What::Remove))
        && agreed.forms
        && agreed.revision.is_some_and(|revision| revision >= "2025-06-18");
    let answer = if asks { decline(session) } else { session.receive().message };
    let shown = || format!("{era:?} {what:?} after {:?}: {answer}", agreed.revision);
    assert_eq!(answer["id"], id, "{}", shown());
    assert_eq!(answer["error"]["code"].as_i64(), refusal(era, what, agreed), "{}", shown());
    let result = &answer["result"];
    if result.is_null() {
        return;
    }
    // The test host validates each answer with the schema of the revision it was asked in.
    let kind = if !is_stateless {
        Value::Null
    } else if matches!(what, What::Remove) {
        json!("input_required")
    } else {
        json!("complete")
    };
    assert_eq!(result.get("resultType").unwrap_or(&Value::Null), &kind, "{}", shown());
    if matches!(what, What::List) {
        let revision = if is_stateless { message::STATELESS } else { agreed.revision.unwrap_or_default() };
        let tool = &result["tools"][0];
        assert_eq!(tool.get("annotations").is_some(), revision >= "2025-03-26", "{}", shown());
        assert_eq!(tool.get("title").is_some(), revision >= "2025-06-18", "{}", shown());
    }
    if matches!((era, what), (Era::Agreed, What::Remove)) {
        assert!(result["content"][0]["text"].to_string().contains("confirmation-required"), "{}", shown());
    }
}

fn run(fixture: &Fixture, script: &[Step]) {
    let mut session = fixture.host().spawn();
    let mut agreed = Agreed::default();
    for (id, step) in script.iter().enumerate() {
        match step {
            Step::Handshake { revision, forms } => {
                let mut hello = message::initialize(id, revision);
                hello["params"]["capabilities"] = capabilities(*forms);
                session.send(&hello);
                assert_eq!(session.receive()["result"]["protocolVersion"], *revision);
                agreed = Agreed { revision: Some(revision), forms: *forms };
            }
            Step::Ask(era, what) => ask(fixture, &mut session, id, *era, *what, agreed),
        }
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
    let script = prop::collection::vec(step(), 1..60);
    let config = Config { cases: 200, max_shrink_iters: 300, failure_persistence: None, ..Config::default() };
    TestRunner::new(config)
        .run(&script, |script| {
            run(&fixture, &script);
            Ok(())
        })
        .unwrap_or_else(|error| panic!("{error}"));
}
