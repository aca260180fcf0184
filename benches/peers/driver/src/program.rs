//! What opgate costs beyond a program of a process application: the large result through opgate, less the same program driven
//! bare.

use std::io::{Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

use serde_json::json;

use crate::Res;
use crate::cpus::Cpus;
use crate::lines::Lines;
use crate::measure::{BIG, Metrics, Plan};
use crate::numbers::median;
use crate::peers::Peer;
use crate::session::{Session, Tool};

/// The program on PATH that the process application names.
const PROGRAM: &str = "peer-program";

/// Its operations, by their places in the list.
pub(crate) const FRESH: Tool = Tool::Echo;
pub(crate) const WORKER: Tool = Tool::Big;

/// The medians of each way, one of each in turns, and their differences in ms.
pub(crate) fn beyond(peer: &Peer, cpus: &Cpus, plan: &Plan) -> Res<Metrics> {
    let mut session = Session::start(peer, cpus)?;
    let [fresh, worker] = [FRESH, WORKER].map(|tool| session.tool(tool, &json!({"bytes": BIG})));
    let mut bare = Worker::start(cpus)?;
    let mut times: [Vec<f64>; 4] = Default::default();
    for _ in 0..plan.large + 2 {
        times[0].push(session.call(&[&fresh])?);
        times[1].push(bare_fresh(cpus)?);
        times[2].push(session.call(&[&worker])?);
        times[3].push(bare.call()?);
    }
    bare.end()?;
    session.end()?;
    let [fresh, bare_fresh, worker, bare_worker] = times.map(|times| median(&times[2..]) / 1e3);
    Ok(Metrics::from([("fresh", fresh - bare_fresh), ("worker", worker - bare_worker)]))
}

fn request() -> String {
    let input = json!({"bytes": BIG});
    format!(
        r#"{{"opgate":1,"call":"0123456789abcdef0123456789abcdef","plugin":"fresh","method":"big","input":{input}}}"#
    )
}

fn spawn(cpus: &Cpus, arguments: &[&str]) -> Res<Child> {
    let mut command = Command::new(PROGRAM);
    cpus.spawn(command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()))
}

/// The least that one process a call can cost, in µs.
fn bare_fresh(cpus: &Cpus) -> Res<f64> {
    let began = Instant::now();
    let mut child = spawn(cpus, &[])?;
    child.stdin.take().ok_or("no input")?.write_all(request().as_bytes()).map_err(|e| format!("write: {e}"))?;
    let mut answer = Vec::with_capacity(2 * BIG);
    child.stdout.take().ok_or("no output")?.read_to_end(&mut answer).map_err(|e| format!("read: {e}"))?;
    child.wait().map_err(|e| format!("its end: {e}"))?;
    let took = began.elapsed().as_nanos() as f64 / 1e3;
    if answer.len() > BIG / 2 { Ok(took) } else { Err("the program answers too little".into()) }
}

/// A worker without opgate; it ends when its input does.
struct Worker {
    child: Child,
    input: ChildStdin,
    output: Lines<ChildStdout>,
}

impl Worker {
    fn start(cpus: &Cpus) -> Res<Self> {
        let mut child = spawn(cpus, &["worker"])?;
        let input = child.stdin.take().ok_or("no input")?;
        let output = Lines::new(child.stdout.take().ok_or("no output")?);
        Ok(Self { child, input, output })
    }

    /// The least that a line each way can cost, in µs.
    fn call(&mut self) -> Res<f64> {
        let began = Instant::now();
        self.input.write_all((request() + "\n").as_bytes()).map_err(|e| format!("write: {e}"))?;
        self.output.advance()?;
        let took = began.elapsed().as_nanos() as f64 / 1e3;
        if self.output.line().len() > BIG / 2 { Ok(took) } else { Err("the worker answers too little".into()) }
    }

    fn end(self) -> Res<()> {
        let Self { mut child, input, .. } = self;
        drop(input);
        child.wait().map(drop).map_err(|e| format!("its end: {e}"))
    }
}
