//! One server: started, asked, ended.

use std::io::Write;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use memchr::memmem;
use serde_json::{Value, json};

use crate::Res;
use crate::cpus::Cpus;
use crate::lines::Lines;
use crate::peers::Peer;
use crate::usage::Usage;
use crate::watch;

/// The operations in the order in which every peer lists them.
#[derive(Clone, Copy)]
pub(crate) enum Tool {
    Echo,
    Big,
    Sleep,
}

/// A request but for its id.
pub(crate) struct Request(String);

pub(crate) fn request(method: &str, params: &Value) -> Request {
    Request(format!(r#","method":"{method}","params":{params}}}"#))
}

pub(crate) struct Session {
    child: Child,
    input: Option<ChildStdin>,
    output: Lines<ChildStdout>,
    last_id: u64,
    /// Kept between calls.
    bytes: Vec<u8>,
    raw: bool,
    tools: Vec<String>,
    pub(crate) usage: Usage,
    /// From the spawn to the answer of `tools/list`.
    pub(crate) start: Duration,
}

impl Session {
    pub(crate) fn start(peer: &Peer, cpus: &Cpus) -> Res<Self> {
        let mut command = Command::new(&peer.command[0]);
        command.args(&peer.command[1..]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let spawned = Instant::now();
        let mut child = cpus.spawn(&mut command)?;
        let pid = i32::try_from(child.id()).map_err(|e| e.to_string())?;
        watch::begin(pid);
        let output = Lines::new(child.stdout.take().ok_or("no output")?);
        let (input, usage) = (child.stdin.take(), Usage::of(pid)?);
        let (raw, start) = (peer.is_raw(), Duration::ZERO);
        let mut session =
            Self { child, input, output, last_id: 0, bytes: Vec::new(), raw, tools: Vec::new(), usage, start };
        session.shake_hands()?;
        session.start = spawned.elapsed();
        Ok(session)
    }

    fn shake_hands(&mut self) -> Res<()> {
        if self.raw {
            return self.call(&[&Request(String::new())]).map(drop);
        }
        let client = json!({"name": "stdio-load", "version": "0.1.0"});
        let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
        self.ask(&request("initialize", &hello))?;
        self.write(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n")?;
        let list = self.ask(&request("tools/list", &json!({})))?;
        let tools = list["result"]["tools"].as_array().ok_or("no tools")?;
        self.tools = tools.iter().filter_map(|tool| tool["name"].as_str().map(String::from)).collect();
        Ok(())
    }

    /// A call of the operation.
    pub(crate) fn tool(&self, tool: Tool, arguments: &Value) -> Request {
        if self.raw {
            return Request(String::new());
        }
        request("tools/call", &json!({"name": self.tools[tool as usize], "arguments": arguments}))
    }

    /// Appends the request with the next id, which it returns.
    pub(crate) fn append(&mut self, request: &Request, to: &mut Vec<u8>) -> u64 {
        self.last_id += 1;
        if !self.raw {
            to.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
            to.extend_from_slice(self.last_id.to_string().as_bytes());
            to.extend_from_slice(request.0.as_bytes());
        }
        to.push(b'\n');
        self.last_id
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> Res<()> {
        self.input.as_mut().ok_or("no input")?.write_all(bytes).map_err(|e| format!("write: {e}"))
    }

    /// The next answer; notifications are passed over.
    pub(crate) fn answer(&mut self) -> Res<Answer<'_>> {
        loop {
            self.output.advance()?;
            if !Answer(self.output.line()).is_notification() {
                watch::heard();
                return Ok(Answer(self.output.line()));
            }
        }
    }

    pub(crate) fn ask(&mut self, request: &Request) -> Res<Value> {
        let mut bytes = Vec::new();
        let id = self.append(request, &mut bytes);
        self.write(&bytes)?;
        let answer: Value = serde_json::from_slice(self.answer()?.0).map_err(|e| format!("an answer: {e}"))?;
        if answer["id"] == json!(id) { Ok(answer) } else { Err(format!("an answer to another id: {answer:.400}")) }
    }

    /// Some requests in one write, and all their answers, none of which may be a failure: how long that took, in µs.
    pub(crate) fn call(&mut self, requests: &[&Request]) -> Res<f64> {
        let mut bytes = std::mem::take(&mut self.bytes);
        bytes.clear();
        for request in requests {
            self.append(request, &mut bytes);
        }
        let began = Instant::now();
        self.write(&bytes)?;
        let (mut took, mut failed) = (Duration::ZERO, None);
        for _ in requests {
            let answer = self.answer()?;
            took = began.elapsed();
            if answer.outcome() != Outcome::Done {
                failed = Some(answer.text());
            }
        }
        self.bytes = bytes;
        failed.map_or(Ok(took.as_nanos() as f64 / 1e3), |answer| Err(format!("a failure: {answer}")))
    }

    /// Closes its input and waits for its end.
    pub(crate) fn end(mut self) -> Res<ExitStatus> {
        self.input = None;
        self.child.wait().map_err(|e| format!("its end: {e}"))
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        watch::end();
        // Both do nothing to one that has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What came of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Done,
    /// A tool's result that says so.
    Failed,
    /// An error of the protocol.
    Error,
}

/// A line that a server wrote. It is read from its ends alone: a parser would cost more than many a server.
pub(crate) struct Answer<'a>(&'a [u8]);

impl Answer<'_> {
    fn head(&self) -> &[u8] {
        &self.0[..self.0.len().min(100)]
    }

    fn tail(&self) -> &[u8] {
        &self.0[self.0.len().saturating_sub(100)..]
    }

    fn is_notification(&self) -> bool {
        memmem::find(self.head(), br#""method":"notifications/"#).is_some()
    }

    pub(crate) fn outcome(&self) -> Outcome {
        if memmem::find(self.head(), br#""error":{"#).is_some() {
            Outcome::Error
        } else if memmem::find(self.tail(), br#""isError":true"#).is_some() {
            Outcome::Failed
        } else {
            Outcome::Done
        }
    }

    /// 0 where none is found.
    pub(crate) fn id(&self) -> u64 {
        let digits = |at: usize| self.head()[at + 5..].iter().take_while(|byte| byte.is_ascii_digit());
        let read = |at| digits(at).fold(0, |id, digit| id * 10 + u64::from(digit - b'0'));
        memmem::find(self.head(), br#""id":"#).map_or(0, read)
    }

    /// Its beginning, for people.
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(self.head()).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_read_from_its_ends() {
        let long = "x".repeat(1000);
        let error = br#"{"jsonrpc":"2.0","id":12,"error":{"code":-32601,"message":"no"}}"#;
        assert_eq!((Answer(error).id(), Answer(error).outcome()), (12, Outcome::Error));
        for (is_error, outcome) in [(true, Outcome::Failed), (false, Outcome::Done)] {
            let line = format!(r#"{{"jsonrpc":"2.0","id":7,"result":{{"content":["{long}"],"isError":{is_error}}}}}"#);
            let answer = Answer(line.as_bytes());
            assert_eq!((answer.id(), answer.outcome(), answer.is_notification()), (7, outcome, false));
        }
        assert!(Answer(br#"{"jsonrpc":"2.0","method":"notifications/message","params":{}}"#).is_notification());
    }
}
