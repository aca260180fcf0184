//! What is measured of one peer in one session, in which order.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::Res;
use crate::cpus::Cpus;
use crate::numbers::{median, quantile};
use crate::peers::Peer;
use crate::session::{Request, Session, Tool, request};

pub(crate) type Metrics = BTreeMap<&'static str, f64>;

/// What `big` is asked for.
pub(crate) const BIG: usize = 921_600;
const ARGUMENTS: usize = 200 * 1024;
const PINGS: usize = 15;
/// Small calls before memory is read.
const FIRST: usize = 10_000;

/// How much is done.
pub(crate) struct Plan {
    /// Starts that are measured.
    starts: usize,
    /// Small calls before those that are measured: a just-in-time compiler is busy for long.
    warm: usize,
    /// Small calls that are measured, and batches.
    calls: usize,
    /// Large calls.
    pub(crate) large: usize,
    /// Slow peers stop after that time in each part.
    patience: Duration,
}

impl Plan {
    pub(crate) const FULL: Self =
        Self { starts: 5, warm: 20_000, calls: 10_000, large: 15, patience: Duration::from_secs(3) };
    pub(crate) const QUICK: Self =
        Self { starts: 1, warm: 500, calls: 500, large: 3, patience: Duration::from_secs(1) };
}

/// Measures one peer; what a second CPU does not change only where `all` is wanted.
pub(crate) fn peer(peer: &Peer, cpus: &Cpus, plan: &Plan, all: bool) -> Res<Metrics> {
    let mut metrics = Metrics::new();
    if all {
        metrics.insert("start", start(peer, cpus, plan)?);
    }
    let mut session = Session::start(peer, cpus)?;
    small(&mut session, plan, all, &mut metrics)?;
    if !peer.is_raw() {
        batches(&mut session, plan, &mut metrics)?;
        if all {
            large(&mut session, plan, &mut metrics)?;
        }
    }
    session.end()?;
    Ok(metrics)
}

fn start(peer: &Peer, cpus: &Cpus, plan: &Plan) -> Res<f64> {
    let mut times = Vec::new();
    for _ in 0..plan.starts {
        let session = Session::start(peer, cpus)?;
        times.push(session.start.as_secs_f64() * 1e3);
        session.end()?;
    }
    Ok(median(&times))
}

fn small(session: &mut Session, plan: &Plan, all: bool, metrics: &mut Metrics) -> Res<()> {
    let echo = echo(session);
    if all {
        repeat(session, &[&echo], FIRST, Duration::MAX)?;
        metrics.insert("memory_small", session.usage.memory()?);
    }
    repeat(session, &[&echo], plan.warm, plan.patience)?;
    let (cpu, switches) = (session.usage.cpu()?, session.usage.switches()?);
    let times = repeat(session, &[&echo], plan.calls, plan.patience)?;
    let (cpu, switches) = (session.usage.cpu()? - cpu, session.usage.switches()? - switches);
    let count = times.len() as f64;
    metrics.extend([("call", median(&times)), ("call_p99", quantile(&times, 0.99))]);
    metrics.extend([("cpu", cpu / count), ("switches", switches / count)]);
    Ok(())
}

/// One call and pings, all written at once: every peer can answer that with one call running.
fn batches(session: &mut Session, plan: &Plan, metrics: &mut Metrics) -> Res<()> {
    let (echo, ping) = (echo(session), request("ping", &json!({})));
    let mut batch = vec![&echo];
    batch.resize(1 + PINGS, &ping);
    repeat(session, &batch, plan.calls / 10, plan.patience)?;
    metrics.insert("batch", median(&repeat(session, &batch, plan.calls / 5, plan.patience)?));
    Ok(())
}

fn large(session: &mut Session, plan: &Plan, metrics: &mut Metrics) -> Res<()> {
    let big = session.tool(Tool::Big, &json!({"bytes": BIG}));
    let arguments = session.tool(Tool::Echo, &json!({"text": "x".repeat(ARGUMENTS), "n": 42}));
    for (request, key) in [(big, "big"), (arguments, "arguments")] {
        repeat(session, &[&request], 2, Duration::MAX)?;
        metrics.insert(key, median(&repeat(session, &[&request], plan.large, Duration::MAX)?) / 1e3);
        if key == "big" {
            metrics.insert("memory_big", session.usage.memory()?);
        }
    }
    Ok(())
}

fn echo(session: &Session) -> Request {
    session.tool(Tool::Echo, &json!({"text": "hello, world", "n": 42}))
}

/// The times of so many calls in µs, or of as many as patience has room for.
fn repeat(session: &mut Session, requests: &[&Request], count: usize, patience: Duration) -> Res<Vec<f64>> {
    let began = Instant::now();
    let mut times = Vec::with_capacity(count);
    while times.len() < count && began.elapsed() < patience {
        times.push(session.call(requests)?);
    }
    Ok(times)
}
