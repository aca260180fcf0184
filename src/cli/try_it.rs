//! `try`: starts this entry as a host would, with a real client, and shows what a host would see.

use std::cell::Cell;
use std::fmt::Write as _;
use std::path::Path;
use std::pin::pin;
use std::process::Stdio;

use clap::ArgMatches;
use redact_json::Budget;
use rmcp::model::{CallToolRequestParams, CallToolResult, JsonObject, Tool};
use rmcp::service::RunningService;
use rmcp::{RoleClient, ServiceExt};
use rustix::process::{Pid, Signal, kill_process};
use serde::Serialize;
use serde_json::Value;
use tokio::process::Child;
use tokio::signal::unix::{SignalKind, signal};

use super::call::parse;
use super::exit::Exit;
use super::frames::Frames;
use super::start::print;
use super::usage;
use crate::redaction::nothing;

type Client = RunningService<RoleClient, ()>;

/// What is shown, or why nothing is.
type Shown = Result<(String, Exit), (String, Exit)>;

pub(super) fn run(arguments: &ArgMatches) -> Exit {
    let tool = arguments.get_one::<String>("TOOL");
    let input = arguments.get_one::<String>("ARGUMENTS").map_or("{}", String::as_str);
    let as_json = arguments.get_flag("json");
    let input = match object(input) {
        Ok(input) => input,
        Err(problem) => return say(Exit::Usage, &format!("opgate: the arguments cannot be used: {problem}")),
    };
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return say(Exit::Failed, &format!("opgate: {error}")),
    };
    let running = Cell::new(None);
    let shown = runtime.block_on(passing_signals_on(&running, async {
        let (mut entry, client) = start(usage::launch(arguments), arguments.get_flag("frames"), &running).await?;
        let shown = match tool {
            None => list(&client, as_json).await,
            Some(tool) => call(&client, tool, input, as_json).await,
        };
        // Closing its input ends the entry.
        let closed = client.cancel().await;
        let ended = entry.wait().await;
        running.set(None);
        let shown = shown?;
        closed.map_err(|error| (error.to_string(), Exit::Failed))?;
        ended.map_err(|error| (error.to_string(), Exit::Failed))?;
        Ok(shown)
    }));
    finish(shown)
}

/// The arguments as they were written: the client parses less strictly than the entry does.
fn object(text: &str) -> Result<JsonObject, String> {
    let arguments = parse(text)?;
    match arguments.parse() {
        Ok(Value::Object(object)) if !arguments.unholdable => Ok(object),
        _ => Err("they hold a number that nothing can hold".to_owned()),
    }
}

/// Asks the entry to end when a signal comes, and waits for what becomes of its call as it does: at most for its
/// `drain_seconds`.
async fn passing_signals_on(entry: &Cell<Option<Pid>>, work: impl Future<Output = Shown>) -> Shown {
    let signals = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()].map(signal);
    let [Ok(mut interrupt), Ok(mut terminate), Ok(mut hangup)] = signals else { return work.await };
    let mut work = pin!(work);
    loop {
        tokio::select! {
            shown = &mut work => return shown,
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hangup.recv() => {}
        }
        if let Some(entry) = entry.get() {
            // One that has just ended needs none.
            let _ = kill_process(entry, Signal::TERM);
        }
    }
}

/// Starts `serve` with the streams that a host gives it, and shakes hands.
async fn start(launch: &Path, frames: bool, running: &Cell<Option<Pid>>) -> Result<(Child, Client), (String, Exit)> {
    let failed = |error: std::io::Error| (format!("the entry did not start: {error}"), Exit::Failed);
    let program = std::env::current_exe().map_err(failed)?;
    let mut entry = tokio::process::Command::new(program)
        .arg("serve")
        .arg(launch)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    running.set(entry.id().and_then(|id| Pid::from_raw(id.cast_signed())));
    let (Some(input), Some(output)) = (entry.stdin.take(), entry.stdout.take()) else {
        return Err(("the entry has no streams".to_owned(), Exit::Failed));
    };
    let output = Frames::new(output, frames.then_some("<-"));
    let input = Frames::new(input, frames.then_some("->"));
    match ().serve((output, input)).await {
        Ok(client) => Ok((entry, client)),
        Err(_) => match entry.wait().await.map_err(failed)?.code() {
            // The entry has said why itself.
            Some(status) if status == Exit::Launch as i32 => Err((String::new(), Exit::Launch)),
            _ => Err(("the entry ended before it answered".to_owned(), Exit::Failed)),
        },
    }
}

async fn tools(client: &Client) -> Result<Vec<Tool>, (String, Exit)> {
    client.list_all_tools().await.map_err(|error| (error.to_string(), Exit::Failed))
}

async fn list(client: &Client, as_json: bool) -> Shown {
    let tools = tools(client).await?;
    let text = if as_json { json(&tools) + "\n" } else { listing(&tools) };
    Ok((text, Exit::Ok))
}

async fn call(client: &Client, wanted: &str, input: JsonObject, as_json: bool) -> Shown {
    let tools = tools(client).await?;
    let Some(tool) = tools.iter().find(|tool| tool.name == wanted || tool.title.as_deref() == Some(wanted)) else {
        let names: Vec<&str> = tools.iter().map(|tool| tool.title.as_deref().unwrap_or(&tool.name)).collect();
        return Err((format!("no tool {wanted:?}\n  tools: {}", names.join(", ")), Exit::Usage));
    };
    let request = CallToolRequestParams::new(tool.name.to_string()).with_arguments(input);
    let answer = client.call_tool(request).await.map_err(|error| (error.to_string(), Exit::Failed))?;
    let text = text_of(&answer);
    let exit = match answer.is_error {
        Some(true) if is_about_input(&text) => Exit::Usage,
        Some(true) => Exit::Failed,
        _ => Exit::Ok,
    };
    let shown = if as_json { json(&answer) } else { text };
    Ok((shown + "\n", exit))
}

/// What the client received, as canonical JSON; the entry has redacted it.
fn json<T: Serialize>(received: &T) -> String {
    redact_json::to_string(received, nothing(), Budget::bytes(usize::MAX)).unwrap_or_default()
}

fn text_of(answer: &CallToolResult) -> String {
    let texts = answer.content.iter().filter_map(|block| block.as_text().map(|text| text.text.as_str()));
    texts.collect::<Vec<_>>().join("\n")
}

fn is_about_input(diagnostic: &str) -> bool {
    serde_json::from_str::<Value>(diagnostic).is_ok_and(|diagnostic| diagnostic["phase"] == "input")
}

fn listing(tools: &[Tool]) -> String {
    let mut text = String::new();
    for tool in tools {
        let title = tool.title.as_deref().unwrap_or_default();
        let description = tool.description.as_deref().unwrap_or_default();
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{}  {title}\n    {}", tool.name, description.replace('\n', "\n    "));
        let _ = writeln!(text, "    input: {}", json(&tool.input_schema));
    }
    text
}

#[expect(clippy::disallowed_methods, reason = "this process is the client: no frames are written to its output")]
fn finish(shown: Shown) -> Exit {
    match shown {
        Ok((text, exit)) => match print(std::io::stdout(), &text) {
            Ok(()) => exit,
            Err(error) => say(Exit::Failed, &format!("opgate: the result could not be written: {error}")),
        },
        Err((problem, exit)) if problem.is_empty() => exit,
        Err((problem, exit)) => say(exit, &format!("opgate: {problem}")),
    }
}

fn say(exit: Exit, line: &str) -> Exit {
    // Nobody may be reading it.
    let _ = std::io::Write::write_all(&mut std::io::stderr(), format!("{line}\n").as_bytes());
    exit
}
