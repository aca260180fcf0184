//! What a call of a process application costs beside the least it can cost, in one run: `cargo bench --bench programs`.
//!
//! Fresh: a loop that starts the same compiled program, writes its input and reads its answer. Worker: the call of a native
//! operation, and a loop that writes a line to the same program and reads one. Fails where a bound is broken.
#![expect(clippy::expect_used, clippy::print_stdout, reason = "a measurement that cannot be made has failed")]
#![expect(clippy::disallowed_methods, reason = "it measures programs that it starts")]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use opgate::{Application, Failure, Operation};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Answers what it reads: all of its input at once, or each line.
const ECHO: &str = r#"
#include <stdio.h>
#include <string.h>
#include <unistd.h>
static char text[1 << 20], out[1 << 21];
int main(int argc, char **argv) {
    if (argc > 1) {
        while (fgets(text, sizeof text, stdin)) {
            char *call = strstr(text, "\"call\":\"") + 8, *input = strstr(text, "\"input\":") + 8;
            int n = snprintf(out, sizeof out, "{\"call\":\"%.32s\",\"output\":%.*s}\n", call, (int)(strlen(input) - 2), input);
            write(1, out, n);
        }
        return 0;
    }
    long size = 0, count;
    while ((count = read(0, text + size, sizeof text - size)) > 0) size += count;
    text[size] = 0;
    char *input = strstr(text, "\"input\":") + 8;
    int n = snprintf(out, sizeof out, "{\"output\":%.*s}", (int)(strlen(input) - 1), input);
    write(1, out, n);
    return 0;
}
"#;
const APPLICATION: &str = r#"name = "echo"
[plugins.fresh]
command = ["./echo"]
[plugins.worker]
command = ["./echo", "worker"]
mode = "worker"
[[operations]]
plugin = "fresh"
method = "echo"
input = { type = "object", additionalProperties = true }
[[operations]]
plugin = "worker"
method = "echo"
input = { type = "object", additionalProperties = true }
"#;
const INPUT: &str = r#"{"n":7,"text":"what an agent asks for, about as long as most of it"}"#;
const CALL: &str = "0123456789abcdef0123456789abcdef";
/// Calls of each kind.
const CALLS: usize = 600;

/// The most that a call may cost beside the least.
const FRESH_BOUND: f64 = 1.15;
const WORKER_BOUND: f64 = 2.0;

struct Native;

#[derive(Serialize, Deserialize, JsonSchema)]
struct Echo {
    n: i64,
    text: String,
}

impl Application for Native {
    type Running = ();
    type Context = ();

    fn operations(&self) -> Vec<Operation<Self>> {
        vec![Operation::new("native", "echo", async |(): &(), input: Echo| Ok::<_, Failure>(input))]
    }

    async fn start(&self) -> Result<(), Failure> {
        Ok(())
    }
}

/// An entry, with its ends.
struct Entry {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    line: String,
}

impl Entry {
    fn start(program: &Path, launch: &Path) -> Self {
        let mut command = Command::new(program);
        command.arg("serve").arg(launch).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut child = command.spawn().expect("started");
        let (input, output) = (child.stdin.take().expect("piped"), child.stdout.take().expect("piped"));
        let mut entry = Self { child, input, output: BufReader::new(output), line: String::new() };
        entry.ask(r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}"#);
        entry
    }

    fn ask(&mut self, frame: &str) -> &str {
        self.line.clear();
        writeln!(self.input, "{frame}").expect("taken");
        self.output.read_line(&mut self.line).expect("answered");
        &self.line
    }

    fn call(&mut self, tool: &str) {
        let frame = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{tool}","arguments":{INPUT}}}}}"#
        );
        let answer = self.ask(&frame);
        assert!(answer.contains("\"isError\":false") && answer.contains("an agent asks"), "{answer}");
    }

    fn end(self) {
        drop(self.input);
        let mut child = self.child;
        assert!(child.wait().expect("ended").success());
    }
}

fn request(plugin: &str) -> String {
    format!(r#"{{"opgate":1,"call":"{CALL}","plugin":"{plugin}","method":"echo","input":{INPUT}}}"#)
}

/// The least that a fresh call can cost.
fn spawn_write_read(program: &Path) {
    let mut child = Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("started");
    child.stdin.take().expect("piped").write_all(request("fresh").as_bytes()).expect("taken");
    let mut answer = String::new();
    child.stdout.take().expect("piped").read_to_string(&mut answer).expect("answered");
    assert!(child.wait().expect("ended").success() && answer.contains("an agent asks"), "{answer}");
}

/// A worker without opgate.
struct Line {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Line {
    fn start(program: &Path) -> Self {
        let mut command = Command::new(program);
        let mut child = command.arg("worker").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("started");
        let (input, output) = (child.stdin.take().expect("piped"), child.stdout.take().expect("piped"));
        Self { child, input, output: BufReader::new(output) }
    }

    fn write_read(&mut self) {
        let mut answer = String::new();
        self.input.write_all((request("worker") + "\n").as_bytes()).expect("taken");
        self.output.read_line(&mut answer).expect("answered");
        assert!(answer.contains("an agent asks"), "{answer}");
    }

    fn end(self) {
        drop(self.input);
        let mut child = self.child;
        child.wait().expect("ended");
    }
}

fn time(call: impl FnOnce()) -> Duration {
    let began = Instant::now();
    call();
    began.elapsed()
}

/// The lowest decile, in µs: what a call costs where nothing else gets in its way.
fn decile(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times[times.len() / 10].as_secs_f64() * 1e6
}

fn main() -> ExitCode {
    if std::env::args().any(|argument| argument == "serve") {
        return opgate::run(|| Ok::<_, Failure>(Native));
    }
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    fs::write(at("echo.c"), ECHO).expect("written");
    let compiled = Command::new("cc").args(["-O2", "-w", "-o"]).args([at("echo"), at("echo.c")]).status();
    assert!(compiled.expect("cc").success());
    fs::write(at("application.toml"), APPLICATION).expect("written");
    fs::write(at("launch.toml"), "application = \"application.toml\"\nallow = [\"fresh.echo\", \"worker.echo\"]\n")
        .expect("written");
    fs::write(at("native.toml"), "allow = [\"native.echo\"]\n").expect("written");

    let this: PathBuf = std::env::current_exe().expect("this program");
    let mut described = Entry::start(Path::new(env!("CARGO_BIN_EXE_opgate")), &at("launch.toml"));
    let mut native = Entry::start(&this, &at("native.toml"));
    let mut line = Line::start(&at("echo"));
    let mut times: [Vec<Duration>; 5] = Default::default();
    // One of each in turns, so that what else the machine does meets all of them, and none finds its caches warmer.
    for _ in 0..CALLS {
        times[0].push(time(|| spawn_write_read(&at("echo"))));
        times[1].push(time(|| described.call("operation_0")));
        times[2].push(time(|| native.call("operation_0")));
        times[3].push(time(|| line.write_read()));
        times[4].push(time(|| described.call("operation_1")));
    }
    described.end();
    native.end();
    line.end();
    let [least, fresh, native, own, worker] = times.map(decile);
    let worker_least = WORKER_BOUND.mul_add(native, own);
    println!("lowest decile of {CALLS} calls, in µs");
    println!(
        "fresh   a spawn-write-read loop {least:.0}, a call {fresh:.0}: {:.3} times (at most {FRESH_BOUND})",
        fresh / least
    );
    println!(
        "worker  a native call {native:.0}, a write-read loop {own:.0}, a call {worker:.0} (at most {worker_least:.0})"
    );
    if fresh / least <= FRESH_BOUND && worker <= worker_least { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
