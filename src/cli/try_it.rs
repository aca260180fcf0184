//! `try`: starts this entry as a host would, with a real client, and shows what a host would see.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use clap::ArgMatches;
use rmcp::ServiceExt;
use rmcp::model::{CallToolRequestParams, JsonObject, Tool};
use rmcp::transport::TokioChildProcess;

use super::exit::Exit;
use super::usage;

pub(super) fn run(arguments: &ArgMatches) -> Exit {
    let launch = usage::launch(arguments).to_owned();
    let tool = arguments.get_one::<String>("TOOL").cloned();
    let input = arguments.get_one::<String>("ARGUMENTS").cloned().unwrap_or_default();
    let as_json = arguments.get_flag("json");
    let input: JsonObject = match serde_json::from_str(&input) {
        Ok(input) => input,
        Err(_) => return say(Exit::Usage, "opgate: the tool's arguments are no JSON object"),
    };
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return say(Exit::Failed, &format!("opgate: {error}")),
    };
    match runtime.block_on(attempt(&launch, tool, input, as_json)) {
        Ok((text, exit)) => {
            print(&text);
            exit
        }
        Err(problem) => say(Exit::Failed, &format!("opgate: {problem}\n  `check` says whether the launch is refused")),
    }
}

async fn attempt(
    launch: &Path,
    tool: Option<String>,
    input: JsonObject,
    as_json: bool,
) -> Result<(String, Exit), String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = tokio::process::Command::new(program);
    command.arg("serve").arg(launch);
    let process = TokioChildProcess::new(command).map_err(|error| format!("the entry did not start: {error}"))?;
    let client =
        ().serve(process).await.map_err(|_| "the entry ended before it answered; its message is above".to_owned())?;
    let tools = client.list_all_tools().await.map_err(|error| error.to_string())?;
    let outcome = match tool {
        None if as_json => Ok((serde_json::to_string(&tools).unwrap_or_default() + "\n", Exit::Ok)),
        None => Ok((listing(&tools), Exit::Ok)),
        Some(wanted) => {
            let found = tools.iter().find(|tool| *tool.name == *wanted || tool.title.as_ref() == Some(&wanted));
            let name = found.map_or(wanted, |tool| tool.name.to_string());
            let answer = client.call_tool(CallToolRequestParams::new(name).with_arguments(input)).await;
            answer.map_err(|error| error.to_string()).map(|answer| {
                let failed = answer.is_error == Some(true);
                let text: Vec<String> = if as_json {
                    vec![serde_json::to_string(&answer).unwrap_or_default()]
                } else {
                    answer.content.iter().filter_map(|block| block.as_text().map(|text| text.text.clone())).collect()
                };
                (text.join("\n") + "\n", if failed { Exit::Failed } else { Exit::Ok })
            })
        }
    };
    client.cancel().await.map_err(|error| error.to_string())?;
    outcome
}

fn listing(tools: &[Tool]) -> String {
    let mut text = String::new();
    for tool in tools {
        let title = tool.title.as_deref().unwrap_or_default();
        let description = tool.description.as_deref().unwrap_or_default();
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{}  {title}\n    {}", tool.name, description.replace('\n', "\n    "));
        let schema = serde_json::to_string(&tool.input_schema).unwrap_or_default();
        let _ = writeln!(text, "    input: {schema}");
    }
    text
}

#[expect(clippy::disallowed_methods, reason = "no frames are written by this process: it is the client")]
fn print(text: &str) {
    // A reader that has gone away is no error.
    let _ = std::io::stdout().write_all(text.as_bytes());
}

fn say(exit: Exit, line: &str) -> Exit {
    let _ = writeln!(std::io::stderr(), "{line}");
    exit
}
