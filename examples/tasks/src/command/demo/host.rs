//! The host's side: how the program is started, and a conversation with the entry.
//!
//! Like a real host it passes the entry a handful of variables and what the configuration names,
//! and gives up on an answer after a while.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use rmcp::model::{CallToolRequestParams, Tool};
use rmcp::service::{RoleClient, RunningService};
use rmcp::{ServiceExt as _, transport::TokioChildProcess};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::Command;
use tokio::time::timeout;

use super::DemoError;
use crate::environment;

type Cause = Box<dyn Error + Send + Sync>;

const PATIENCE: Duration = Duration::from_secs(30);

/// The variables that hosts pass to every entry.
const PASSED: [&str; 4] = ["HOME", "LANG", "PATH", "USER"];

/// This program, with the environment that its entry and its worker need.
pub(super) struct Program {
    path: PathBuf,
    database: PathBuf,
    session: SecretString,
}

impl Program {
    pub(super) fn this(database: &Path, session: SecretString) -> std::io::Result<Self> {
        Ok(Self { path: std::env::current_exe()?, database: database.to_owned(), session })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.path);
        command.env_clear();
        command.envs(PASSED.iter().filter_map(|name| Some((name, std::env::var_os(name)?))));
        command.env(environment::DATABASE, &self.database);
        command.env(environment::SESSION, self.session.expose_secret());
        command.kill_on_drop(true);
        command
    }

    /// Runs one of its commands to its end and hands on each line that it writes to either stream.
    pub(super) async fn run(
        &self,
        arguments: &[&str],
        line: impl Fn(&str) -> Result<(), DemoError>,
    ) -> Result<(), Cause> {
        let mut command = self.command();
        command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        let (Some(output), Some(errors)) = (child.stdout.take(), child.stderr.take()) else {
            return Err("the program has no streams".into());
        };
        let (mut output, mut errors) = (BufReader::new(output).lines(), BufReader::new(errors).lines());
        let run = async {
            let (mut output_open, mut errors_open) = (true, true);
            while output_open || errors_open {
                let (open, next) = tokio::select! {
                    next = output.next_line(), if output_open => (&mut output_open, next?),
                    next = errors.next_line(), if errors_open => (&mut errors_open, next?),
                };
                match next {
                    Some(text) => line(&text)?,
                    None => *open = false,
                }
            }
            match child.wait().await? {
                status if status.success() => Ok(()),
                status => Err(format!("it ended with {status}").into()),
            }
        };
        timeout(PATIENCE, run).await?
    }
}

/// A launched entry.
pub(super) struct Entry {
    service: RunningService<RoleClient, ()>,
    tools: Vec<Tool>,
}

impl Entry {
    /// Starts the entry, shakes hands and lists its tools. What it says on standard error is shown.
    pub(super) async fn launch(program: &Program, launch: &Path) -> Result<Self, Cause> {
        let mut command = program.command();
        command.arg("serve").arg(launch);
        let transport = TokioChildProcess::new(command)?;
        let service = timeout(PATIENCE, ().serve(transport)).await??;
        let tools = timeout(PATIENCE, service.list_all_tools()).await??;
        Ok(Self { service, tools })
    }

    /// The tools, each as a line for people.
    pub(super) fn tools(&self) -> impl Iterator<Item = &str> {
        self.tools.iter().filter_map(|tool| tool.title.as_deref())
    }

    /// Calls the tool of that title; the text of its result.
    pub(super) async fn call(&self, title: &str, arguments: &Value) -> Result<String, Cause> {
        let tool = self.tools.iter().find(|tool| tool.title.as_deref() == Some(title));
        let tool = tool.ok_or_else(|| format!("the entry has no tool {title}"))?;
        let arguments = arguments.as_object().cloned().unwrap_or_default();
        let request = CallToolRequestParams::new(tool.name.clone()).with_arguments(arguments);
        let result = timeout(PATIENCE, self.service.call_tool(request)).await??;
        let text = result.content.first().and_then(|block| block.as_text()).map(|text| text.text.clone());
        match (text, result.is_error) {
            (Some(text), Some(false) | None) => Ok(text),
            (text, _) => Err(text.unwrap_or_default().into()),
        }
    }

    /// Closes the entry's input and waits for its end.
    pub(super) async fn close(self) -> Result<(), Cause> {
        self.service.cancel().await?;
        Ok(())
    }
}
