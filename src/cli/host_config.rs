//! `host-config`: what to paste into a host. Absolute paths, and the names of variables, never their values.

use std::path::Path;

use clap::ArgMatches;
use clap::builder::PossibleValue;
use serde_json::{Map, Value, json};

use super::exit::Exit;
use super::start::{Caller, start};
use super::usage;
use crate::application::Application;
use crate::entry::Entry;
use crate::launch::NamedVariable;

/// A host whose configuration is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Host {
    ClaudeDesktop,
    ClaudeCode,
    Cursor,
    Vscode,
    Codex,
}

impl clap::ValueEnum for Host {
    fn value_variants<'a>() -> &'a [Self] {
        &[Self::ClaudeDesktop, Self::ClaudeCode, Self::Cursor, Self::Vscode, Self::Codex]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(match self {
            Self::ClaudeDesktop => "claude-desktop",
            Self::ClaudeCode => "claude-code",
            Self::Cursor => "cursor",
            Self::Vscode => "vscode",
            Self::Codex => "codex",
        }))
    }
}

pub(super) fn run<A: Application>(entry: Entry<A>, arguments: &ArgMatches) -> Exit {
    let path = usage::launch(arguments);
    let started = match start(entry, path, Caller::Onlooker) {
        Ok(started) => started,
        Err(exit) => return exit,
    };
    let Some(host) = arguments.get_one::<Host>("host").copied() else { return Exit::Usage };
    let program = std::env::current_exe().and_then(std::fs::canonicalize);
    let (program, launch) = match (program, std::fs::canonicalize(path)) {
        (Ok(program), Ok(launch)) => (program, launch),
        (Err(error), _) | (_, Err(error)) => return started.fail(Exit::Failed, &format!("opgate: {error}")),
    };
    let (Some(program), Some(launch_text)) = (program.to_str(), launch.to_str()) else {
        return started.fail(Exit::Failed, "opgate: a path that is not UTF-8 text has no place in a configuration");
    };
    let given = arguments.get_one::<String>("name").cloned();
    let server = Server {
        name: given.unwrap_or_else(|| name_of(started.launch.name.as_deref(), &launch)),
        program: program.to_owned(),
        launch: launch_text.to_owned(),
        variables: started.variables.iter().filter(|variable| variable.mcp && !variable.optional).cloned().collect(),
    };
    let (text, note) = server.configuration(host);
    let relay = started.relay.clone();
    relay.say(&format!("opgate: {note}"));
    // An unset one would be an empty text, a question, or no start at all.
    let left_out = started.variables.iter().filter(|variable| variable.mcp && variable.optional);
    let left_out: Vec<&str> = left_out.map(|variable| variable.name.as_str()).collect();
    if !left_out.is_empty() {
        relay.say(&format!("opgate: left out, as they are optional: {}; add those you set", left_out.join(", ")));
    }
    started.finish(&text)
}

/// The application's name or else the launch file's, as hosts take one.
fn name_of(application: Option<&str>, launch: &Path) -> String {
    let stem = || launch.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let name = application.filter(|name| !name.is_empty()).map_or_else(stem, str::to_owned);
    name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }).collect()
}

struct Server {
    name: String,
    program: String,
    launch: String,
    /// Those that MCP needs.
    variables: Vec<NamedVariable>,
}

impl Server {
    /// The text to paste, and where.
    fn configuration(&self, host: Host) -> (String, &'static str) {
        match host {
            Host::ClaudeDesktop => (
                self.under("mcpServers", |_| "the value; this host reads no variables".to_owned()),
                "paste it into claude_desktop_config.json, with the values of the variables",
            ),
            Host::ClaudeCode => (
                self.under("mcpServers", |name| format!("${{{name}}}")),
                "paste it into .mcp.json; the values come from the environment of Claude Code",
            ),
            Host::Cursor => (
                self.under("mcpServers", |name| format!("${{env:{name}}}")),
                "paste it into .cursor/mcp.json; the values come from the environment of Cursor",
            ),
            Host::Vscode => (self.vscode(), "paste it into .vscode/mcp.json; VS Code asks for the values once"),
            Host::Codex => {
                (self.codex(), "paste it into ~/.codex/config.toml; the values come from the environment of Codex")
            }
        }
    }

    fn entry(&self, value: impl Fn(&str) -> String) -> Value {
        let mut entry = json!({ "command": self.program, "args": ["serve", self.launch] });
        if !self.variables.is_empty() {
            let variables =
                self.variables.iter().map(|variable| (variable.name.clone(), Value::from(value(&variable.name))));
            entry["env"] = Value::Object(variables.collect::<Map<_, _>>());
        }
        entry
    }

    fn under(&self, key: &str, value: impl Fn(&str) -> String) -> String {
        pretty(&json!({ key: { self.name.as_str(): self.entry(value) } }))
    }

    fn vscode(&self) -> String {
        let mut entry = self.entry(|name| format!("${{input:{name}}}"));
        entry["type"] = json!("stdio");
        let mut file = json!({ "servers": { self.name.as_str(): entry } });
        if !self.variables.is_empty() {
            let ask = |NamedVariable { name, secret, .. }: &NamedVariable| json!({ "type": "promptString", "id": name, "description": name, "password": secret });
            file["inputs"] = self.variables.iter().map(ask).collect();
        }
        pretty(&file)
    }

    fn codex(&self) -> String {
        // A JSON text is a TOML one, and so is a list of them.
        let text = |text: &str| Value::from(text).to_string();
        let lines = format!(
            "[mcp_servers.{}]\ncommand = {}\nargs = [\"serve\", {}]\n",
            text(&self.name),
            text(&self.program),
            text(&self.launch)
        );
        if self.variables.is_empty() {
            return lines;
        }
        let names: Vec<String> = self.variables.iter().map(|variable| text(&variable.name)).collect();
        format!("{lines}env_vars = [{}]\n", names.join(", "))
    }
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default() + "\n"
}
