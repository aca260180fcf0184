//! Calls of mixed kinds, some million of them, and what opgate holds after the first and in the end.

use std::time::Instant;

use serde_json::{Value, json};

use crate::Res;
use crate::cpus::Cpus;
use crate::peers::Peer;
use crate::session::{Outcome, Request, Session, Tool, request};

/// Calls after which nothing may grow any more.
const FIRST: u64 = 100_000;
/// How many times the memory held after the first calls may be held in the end.
const GROWTH: f64 = 1.05;

/// Requests that are written at once, and what each must come to; `None`: it is cancelled right behind and has no answer.
type Step = Vec<(Request, Option<Outcome>)>;

struct Held {
    calls: u64,
    memory: f64,
    descriptors: usize,
}

impl Held {
    fn after(calls: u64, session: &Session) -> Res<Self> {
        Ok(Self { calls, memory: session.usage.memory()?, descriptors: session.usage.descriptors()? })
    }

    fn is_no_more_than(&self, first: &Self) -> bool {
        self.memory <= first.memory * GROWTH && self.descriptors <= first.descriptors
    }
}

/// Whether nothing grew; prints what was held.
pub(crate) fn run(peer: &Peer, cpus: &Cpus, calls: u64) -> Res<bool> {
    let mut session = Session::start(peer, cpus)?;
    let steps = steps(&session);
    let (began, mut done, mut held) = (Instant::now(), 0, Vec::new());
    for until in [FIRST.min(calls / 2), calls] {
        while done < until {
            for step in &steps {
                done += take(&mut session, step)?;
            }
        }
        held.push(Held::after(done, &session)?);
    }
    let seconds = began.elapsed().as_secs_f64();
    let ended = session.end()?;
    println!("| calls | memory, MiB | descriptors |\n| ---: | ---: | ---: |");
    for held in &held {
        println!("| {} | {:.2} | {} |", held.calls, held.memory, held.descriptors);
    }
    let grown = held[1].memory / held[0].memory;
    let met = held[1].is_no_more_than(&held[0]) && ended.success();
    let met_text = if met { "met" } else { "**not met**" };
    println!("\n{done} calls in {seconds:.0} s, memory {grown:.3} times (at most {GROWTH}), {ended}: {met_text}");
    Ok(met)
}

/// One round of all kinds.
fn steps(session: &Session) -> Vec<Step> {
    let done = |request| (request, Some(Outcome::Done));
    let failed = |request| (request, Some(Outcome::Failed));
    let echo = || session.tool(Tool::Echo, &json!({"text": "hello, world", "n": 42}));
    let big = |bytes: u32| session.tool(Tool::Big, &json!({ "bytes": bytes }));
    let ask = |method, params: &Value| done(request(method, params));
    let ping = || ask("ping", &json!({}));
    let wrong = session.tool(Tool::Echo, &json!({"text": 7, "n": "x", "more": [1, 2, 3]}));
    let unknown = request("tools/call", &json!({"name": "no_such_tool", "arguments": {}}));
    vec![
        vec![done(echo())],
        vec![done(echo()), ping(), ping(), ping()],
        vec![done(big(4096))],
        vec![failed(wrong)],
        vec![(unknown, Some(Outcome::Error))],
        vec![done(echo()), ask("tools/list", &json!({}))],
        vec![(echo(), None), ping()],
        vec![(session.tool(Tool::Sleep, &json!({"ms": 0})), None), ping()],
        vec![done(echo()), failed(echo())],
        vec![done(session.tool(Tool::Sleep, &json!({"ms": 0})))],
        vec![done(big(16_384)), ping()],
        vec![(request("no/such/method", &json!({})), Some(Outcome::Error)), done(echo())],
    ]
}

/// Takes one step, and returns its calls.
fn take(session: &mut Session, step: &Step) -> Res<u64> {
    let mut bytes = Vec::new();
    let (mut expected, mut cancelled) = (Vec::new(), None);
    for (request, outcome) in step {
        let id = session.append(request, &mut bytes);
        match outcome {
            Some(outcome) => expected.push((id, *outcome)),
            None => {
                let cancel =
                    json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}});
                bytes.extend_from_slice(format!("{cancel}\n").as_bytes());
                cancelled = Some(request);
            }
        }
    }
    session.write(&bytes)?;
    while !expected.is_empty() {
        let answer = session.answer()?;
        let (id, outcome) = (answer.id(), answer.outcome());
        match expected.iter().position(|one| *one == (id, outcome)) {
            Some(at) => drop(expected.swap_remove(at)),
            None => return Err(format!("{expected:?} expected, not {}", answer.text())),
        }
    }
    // What was cancelled has no answer that tells when the next call may come: until then it is told that one is running.
    let mut more = 0;
    while let Some(request) = cancelled {
        let answer = session.ask(request)?;
        more += 1;
        if answer["result"]["isError"] == json!(false) {
            break;
        }
    }
    Ok(step.len() as u64 + more)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_twentieth_of_memory_may_be_more_and_no_descriptor() {
        let held = |memory, descriptors| Held { calls: 0, memory, descriptors };
        let first = held(20.0, 23);
        assert!(held(21.0, 23).is_no_more_than(&first) && held(19.0, 22).is_no_more_than(&first));
        assert!(!held(21.1, 23).is_no_more_than(&first) && !held(20.0, 24).is_no_more_than(&first));
    }
}
