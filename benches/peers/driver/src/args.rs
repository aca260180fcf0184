//! What is run, and how: the command line and what it says of each server.

use clap::Parser;
use serde_json::Value;

use crate::Res;

#[derive(Parser, Clone)]
#[command(about = "Neutral load driver for stdio MCP servers (A B A B, ratios of medians)")]
pub(crate) struct Args {
    /// NAME[@PROTO]=COMMAND; repeat. PROTO: 2025-06-18 | 2025-11-25 | 2026-07-28 | raw.
    /// COMMAND is split on whitespace (no quoting, no shell).
    #[arg(long = "server", required = true)]
    pub(crate) servers: Vec<String>,
    /// Protocol for servers that name none. 2026-07-28 is stateless: no handshake, `_meta` per request.
    #[arg(long, default_value = "2025-11-25")]
    pub(crate) proto: String,
    /// Rounds; each runs every server once, in order, alternating.
    #[arg(long, default_value_t = 5)]
    pub(crate) rounds: usize,
    /// Timed sequential calls per session.
    #[arg(long, default_value_t = 2000)]
    pub(crate) calls: usize,
    /// Untimed warm-up calls per session.
    #[arg(long, default_value_t = 500)]
    pub(crate) warmup: usize,
    /// Extra cold starts (spawn, first tools/list, close) per server and round.
    #[arg(long, default_value_t = 2)]
    pub(crate) cold: usize,
    /// [NAME:]TOOL=JSON for the small call.
    #[arg(long = "call", default_value = r#"echo={"text":"hello, world","n":42}"#)]
    pub(crate) call: Vec<String>,
    /// [NAME:]TOOL=JSON for the large response. Empty string: skip.
    #[arg(long = "big", default_value = r#"big={"bytes":921600}"#)]
    pub(crate) big: Vec<String>,
    /// [NAME:]TOOL=JSON for the large request; the string "$LARGE" is replaced by --large-bytes of text.
    #[arg(long = "large", default_value = r#"echo={"text":"$LARGE","n":42}"#)]
    pub(crate) large: Vec<String>,
    /// [NAME:]TOOL=JSON for the concurrent sleep. Empty string: skip.
    #[arg(long = "sleep", default_value = r#"sleep={"ms":20}"#)]
    pub(crate) sleep: Vec<String>,
    #[arg(long, default_value_t = 204_800)]
    pub(crate) large_bytes: usize,
    /// Calls per session for the large response and the large request.
    #[arg(long, default_value_t = 15)]
    pub(crate) large_calls: usize,
    /// Requests in flight at once in the pipelined phase (0: skip).
    #[arg(long, default_value_t = 16)]
    pub(crate) pipeline: usize,
    /// none | split (driver on CPU 0, server on CPU 1) | same (both on CPU 0).
    #[arg(long, default_value = "none")]
    pub(crate) pin: String,
    /// Name of the server that ratios are taken to (default: the first).
    #[arg(long)]
    pub(crate) baseline: Option<String>,
    /// Show the server's stderr.
    #[arg(long)]
    pub(crate) stderr: bool,
    /// Also append the JSON lines to this file.
    #[arg(long)]
    pub(crate) json: Option<String>,
    /// Seconds without progress before the driver ends a server it started.
    #[arg(long, default_value_t = 60)]
    pub(crate) stall: u64,
    /// Only these phases, comma separated: calls,pipeline,big,large,sleep.
    #[arg(long, default_value = "calls,pipeline,big,large,sleep")]
    pub(crate) phases: String,
}

#[derive(Clone)]
pub(crate) struct Spec {
    pub(crate) name: String,
    pub(crate) proto: String,
    pub(crate) cmd: Vec<String>,
    pub(crate) call: Option<(String, Value)>,
    pub(crate) big: Option<(String, Value)>,
    pub(crate) large: Option<(String, Value)>,
    pub(crate) sleep: Option<(String, Value)>,
}

pub(crate) fn pick(list: &[String], server: &str) -> Res<Option<(String, Value)>> {
    let mut best: Option<(bool, &str)> = None;
    for item in list {
        let (head, _) = item.split_once('=').unwrap_or((item, ""));
        match head.split_once(':') {
            Some((n, _)) if n == server => best = Some((true, &item[n.len() + 1..])),
            Some(_) => {}
            None if best.is_none_or(|b| !b.0) => best = Some((false, item)),
            None => {}
        }
    }
    let Some((_, text)) = best else { return Ok(None) };
    if text.is_empty() {
        return Ok(None);
    }
    let (tool, args) = text.split_once('=').ok_or(format!("bad call spec: {text}"))?;
    let args = serde_json::from_str(args).map_err(|e| format!("{text}: {e}"))?;
    Ok(Some((tool.to_string(), args)))
}

pub(crate) fn substitute(v: &mut Value, large: &str) {
    match v {
        Value::String(s) if s == "$LARGE" => *s = large.to_string(),
        Value::Array(a) => a.iter_mut().for_each(|x| substitute(x, large)),
        Value::Object(m) => m.values_mut().for_each(|x| substitute(x, large)),
        _ => {}
    }
}
