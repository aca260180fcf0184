//! All must do the same work: the same bytes for the same arguments, and wrong arguments refused.

use serde_json::{Value, json};

use crate::Res;
use crate::cpus::Cpus;
use crate::measure::BIG;
use crate::peers::{LOOP, Peer, Peers};
use crate::program;
use crate::session::{Session, Tool};

pub(crate) fn compare(peers: &Peers, cpus: &Cpus) -> Res<()> {
    let of = |peer: &Peer| {
        let mut session = Session::start(peer, cpus)?;
        let texts = texts(&mut session)?;
        session.end().map(|_| texts)
    };
    let expected = of(peers.named(LOOP).ok_or_else(|| format!("{LOOP} is missing"))?)?;
    for peer in peers.present().filter(|peer| !peer.is_raw()) {
        let texts = of(peer).map_err(|e| format!("{}: {e}", peer.name))?;
        if let Some((text, other)) = texts.iter().zip(&expected).find(|(text, other)| text != other) {
            return Err(format!("{} answers {text:.200} where {LOOP} answers {other:.200}", peer.name));
        }
    }
    match peers.program() {
        Some(program) => behind(program, cpus, &expected[1]).map_err(|e| format!("{}: {e}", program.name)),
        None => Ok(()),
    }
}

/// What a program returns comes out of opgate as the same bytes.
fn behind(program: &Peer, cpus: &Cpus, expected: &str) -> Res<()> {
    let mut session = Session::start(program, cpus)?;
    for tool in [program::FRESH, program::WORKER] {
        let request = session.tool(tool, &json!({"bytes": BIG}));
        let text = text(&session.ask(&request)?)?;
        if text != expected {
            return Err(format!("answers {text:.200}"));
        }
    }
    session.end().map(drop)
}

fn texts(session: &mut Session) -> Res<[String; 3]> {
    let right = [
        (Tool::Echo, json!({"text": "a\"b é\u{1F600}", "n": 5})),
        (Tool::Big, json!({"bytes": BIG})),
        (Tool::Sleep, json!({"ms": 1})),
    ];
    for (tool, arguments) in [(Tool::Echo, json!({"text": 1, "n": "x"})), (Tool::Big, json!({"bytes": -1}))] {
        let request = session.tool(tool, &arguments);
        let answer = session.ask(&request)?;
        if answer.get("error").is_none() && answer["result"]["isError"] != json!(true) {
            return Err(format!("{arguments} was not refused: {answer:.200}"));
        }
    }
    let mut texts = [const { String::new() }; 3];
    for ((tool, arguments), into) in right.into_iter().zip(&mut texts) {
        let request = session.tool(tool, &arguments);
        *into = text(&session.ask(&request)?)?;
    }
    Ok(texts)
}

fn text(answer: &Value) -> Res<String> {
    let result = &answer["result"];
    match (result["content"].as_array().map(Vec::as_slice), result["isError"].as_bool()) {
        (Some([content]), None | Some(false)) => content["text"].as_str().map(String::from),
        _ => None,
    }
    .ok_or_else(|| format!("not one text: {answer:.200}"))
}
