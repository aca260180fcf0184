//! `try`: starts this entry as a host would, with a real client, and shows what a host would see.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use clap::ArgMatches;
use rmcp::model::{CallToolRequestParams, CallToolResult, JsonObject, Tool};
use rmcp::service::RunningService;
use rmcp::{RoleClient, ServiceExt};
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::Value;
use tokio::process::Child;
use tokio::signal::unix::{SignalKind, signal};

use super::call::parse;
use super::exit::Exit;
use super::frames::Frames;
use super::start::{self, print};
use super::usage;
use crate::ask::terminal::desk::pending;
use crate::ask::visible::line;
use crate::catalog::canonical;
use crate::environment::Environment;

/// How long a call that was given up may take to end.
const GRACE: Duration = Duration::from_secs(5);
/// How long an entry may take to end once what it ran is gone.
const LAST_MOMENTS: Duration = Duration::from_secs(3);
/// How often questions are looked for.
const LOOK: Duration = Duration::from_millis(300);

type Client = RunningService<RoleClient, ()>;

/// What is shown, or why nothing is.
type Shown = Result<(String, Exit), (String, Exit)>;

pub(super) fn run(arguments: &ArgMatches) -> Exit {
    let tool = arguments.get_one::<String>("TOOL");
    let input = arguments.get_one::<String>("ARGUMENTS").map_or("{}", String::as_str);
    let as_json = arguments.get_flag("json");
    let input = match object(input) {
        Ok(input) => input,
        Err(problem) => return fail(Exit::Usage, &format!("the arguments cannot be used: {problem}")),
    };
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return fail(Exit::Failed, &error.to_string()),
    };
    finish(runtime.block_on(attempt(arguments, tool.map(String::as_str), input, as_json)))
}

async fn attempt(arguments: &ArgMatches, tool: Option<&str>, input: JsonObject, as_json: bool) -> Shown {
    let mut signals = Signals::watch().map_err(|error| (error.to_string(), Exit::Failed))?;
    let mut entry =
        spawn(usage::launch(arguments)).map_err(|error| (format!("the entry did not start: {error}"), Exit::Failed))?;
    let greeted = greet(&mut entry, arguments.get_flag("frames"));
    let client = match signals.unless_one_comes(greeted).await {
        Some(greeted) => greeted?,
        None => return Err(abandon(&mut entry, &mut signals).await),
    };
    let id = entry.id();
    let work = async {
        let shown = match tool {
            None => list(&client, as_json).await,
            Some(tool) => call(&client, id, tool, input, as_json).await,
        };
        // Closing its input ends the entry.
        let closed = client.cancel().await;
        let shown = shown?;
        closed.map_err(|error| (error.to_string(), Exit::Failed))?;
        Ok(shown)
    };
    // What is given up is dropped, and the entry's input is closed with it.
    let shown = signals.unless_one_comes(work).await;
    match shown {
        Some(shown) => {
            let ended = signals.unless_one_comes(entry.wait()).await;
            match ended {
                Some(ended) => ended.map_err(|error| (error.to_string(), Exit::Failed)).and(shown),
                None => Err(abandon(&mut entry, &mut signals).await),
            }
        }
        None => Err(abandon(&mut entry, &mut signals).await),
    }
}

/// Waits for the entry that was given up, and then ends it and what it runs: nothing may be left behind.
async fn abandon(entry: &mut Child, signals: &mut Signals) -> (String, Exit) {
    say(&format!("a signal came; what runs has {} s to end, unless another signal comes", GRACE.as_secs()));
    let in_time = tokio::time::timeout(GRACE, signals.unless_one_comes(entry.wait())).await;
    if let Ok(Some(_)) = in_time {
        return signalled();
    }
    if let Some(id) = entry.id() {
        end_programs(id);
    }
    if tokio::time::timeout(LAST_MOMENTS, entry.wait()).await.is_err() {
        // It ends anyhow: there is nothing else to do about it.
        let _ = entry.kill().await;
    }
    ("the entry did not end and was killed; look at the state".to_owned(), Exit::Failed)
}

/// Ends the programs that an entry runs, each of which leads a group of its own.
fn end_programs(entry: u32) {
    let tasks = std::fs::read_dir(format!("/proc/{entry}/task")).into_iter().flatten().flatten();
    let children = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
    for children in children {
        for id in children.split_whitespace().filter_map(|id| Pid::from_raw(id.parse().ok()?)) {
            // One that has ended by now is what is wanted.
            let _ = kill_process_group(id, Signal::KILL);
        }
    }
}

/// The arguments as they were written: the client parses less strictly than the entry does.
fn object(text: &str) -> Result<JsonObject, String> {
    let arguments = parse(text)?;
    let unholdable = arguments.unholdable;
    match arguments.parse() {
        Ok(Value::Object(object)) if !unholdable => Ok(object),
        _ => Err("they hold a number that nothing can hold".to_owned()),
    }
}

/// What asks this process to end.
struct Signals([tokio::signal::unix::Signal; 3]);

impl Signals {
    fn watch() -> std::io::Result<Self> {
        let watch = |kind| signal(kind);
        Ok(Self([watch(SignalKind::interrupt())?, watch(SignalKind::terminate())?, watch(SignalKind::hangup())?]))
    }

    /// What comes of `work`; nothing if a signal comes first, and then the work is given up.
    async fn unless_one_comes<T>(&mut self, work: impl Future<Output = T>) -> Option<T> {
        let [interrupt, terminate, hangup] = &mut self.0;
        tokio::select! {
            done = work => Some(done),
            _ = interrupt.recv() => None,
            _ = terminate.recv() => None,
            _ = hangup.recv() => None,
        }
    }
}

fn signalled() -> (String, Exit) {
    ("a signal came".to_owned(), Exit::Failed)
}

/// Starts `serve` with the streams that a host gives it.
fn spawn(launch: &Path) -> std::io::Result<Child> {
    let mut serve = tokio::process::Command::new(std::env::current_exe()?);
    serve.arg("serve").arg(launch).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()
}

/// Shakes hands.
async fn greet(entry: &mut Child, frames: bool) -> Result<Client, (String, Exit)> {
    let (Some(input), Some(output)) = (entry.stdin.take(), entry.stdout.take()) else {
        return Err(("the entry has no streams".to_owned(), Exit::Failed));
    };
    let output = Frames::new(output, frames.then_some("<-"));
    let input = Frames::new(input, frames.then_some("->"));
    match ().serve((output, input)).await {
        Ok(client) => Ok(client),
        Err(_) => match entry.wait().await.map_err(|error| (error.to_string(), Exit::Failed))?.code() {
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
    let text = if as_json { canonical(&tools) + "\n" } else { listing(&tools) };
    Ok((text, Exit::Ok))
}

/// Says each question that the entry asks in a terminal, as long as this is awaited.
async fn tell_questions(entry: Option<u32>) -> std::convert::Infallible {
    let mut told: Vec<String> = Vec::new();
    loop {
        tokio::time::sleep(LOOK).await;
        let look = tokio::task::spawn_blocking(|| pending(&Environment::read()).0);
        for question in look.await.unwrap_or_default() {
            if Some(question.process) == entry && !told.contains(&question.id) {
                let (binary, id) = (usage::binary_name(), line(&question.id));
                let text = "waiting for an answer: see the question with";
                say(&format!("{text} `{binary} pending` in another terminal, then `{binary} allow {id}`"));
                told.push(question.id);
            }
        }
    }
}

async fn call(client: &Client, entry: Option<u32>, wanted: &str, input: JsonObject, as_json: bool) -> Shown {
    let tools = tools(client).await?;
    let Some(tool) = tools.iter().find(|tool| tool.name == wanted || tool.title.as_deref() == Some(wanted)) else {
        let names: Vec<&str> = tools.iter().map(|tool| tool.title.as_deref().unwrap_or(&tool.name)).collect();
        return Err((format!("no tool {wanted:?}\n  tools: {}", names.join(", ")), Exit::Usage));
    };
    let request = CallToolRequestParams::new(tool.name.to_string()).with_arguments(input);
    let answer = tokio::select! {
        answer = client.call_tool(request) => answer,
        never = tell_questions(entry) => match never {},
    };
    let answer = answer.map_err(|error| (error.to_string(), Exit::Failed))?;
    let text = text_of(&answer);
    let exit = match answer.is_error {
        Some(true) if is_about_input(&text) => Exit::Usage,
        Some(true) => Exit::Failed,
        _ => Exit::Ok,
    };
    let shown = if as_json { canonical(&answer) } else { text };
    Ok((shown + "\n", exit))
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
        let _ = writeln!(text, "    input: {}", canonical(&tool.input_schema));
    }
    text
}

#[expect(clippy::disallowed_methods, reason = "this process is the client: no frames are written to its output")]
fn finish(shown: Shown) -> Exit {
    match shown {
        Ok((text, exit)) => match print(std::io::stdout(), &text) {
            Ok(()) => exit,
            Err(error) => fail(Exit::Failed, &format!("the result could not be written: {error}")),
        },
        Err((problem, exit)) if problem.is_empty() => exit,
        Err((problem, exit)) => fail(exit, &problem),
    }
}

/// Ends with a line on standard error.
fn fail(exit: Exit, problem: &str) -> Exit {
    say(problem);
    exit
}

fn say(text: &str) {
    start::say(&rustix::stdio::stderr(), &format!("opgate: {text}"));
}
