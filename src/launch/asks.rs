//! `[binding.confirm]` and `[binding.approve]`: who answers, and for how long they are waited for.

use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};

use super::command::is_program;
use super::refusal::Refusal;
use super::section::Section;
use super::variables::Variable;
use crate::binding::Part;

/// Below the minute after which many hosts give up on a call.
const TIMEOUT: Duration = Duration::from_secs(50);
/// A question that is open for a day is forgotten.
const LONGEST: usize = 86_400;

#[derive(Clone, Debug)]
pub(crate) struct Asks {
    pub(crate) way: Way,
    pub(crate) timeout: Duration,
    /// The question may be asked although the arguments are too long to be shown whole.
    pub(crate) allow_partial: bool,
    /// Where `ask` stands, and the table.
    pub(crate) place: Refusal,
    pub(super) table: Refusal,
}

/// The words of `ask`.
#[derive(Clone, Copy)]
enum Asked {
    Terminal,
    Program,
    Client,
}

const ASKED: [(&str, Asked); 3] =
    [("terminal", Asked::Terminal), ("program", Asked::Program), ("client", Asked::Client)];

#[derive(Clone, Debug)]
pub(crate) enum Way {
    Terminal,
    Program(AskingProgram),
    Client,
}

/// The program of `ask = "program"`, as the file names it.
#[derive(Clone, Debug)]
pub(crate) struct AskingProgram {
    pub(crate) program: PathBuf,
    pub(crate) arguments: Vec<String>,
    pub(crate) variables: Vec<Variable>,
    /// The folder of the launch file.
    pub(crate) folder: PathBuf,
}

impl Asks {
    pub(super) fn read(section: Section<'_, '_>, part: Part) -> Result<Self, Refusal> {
        let asked = section
            .choice("ask", &ASKED)?
            .ok_or_else(|| section.missing("ask").advice("write \"terminal\", \"program\" or \"client\""))?;
        let timeout = section.positive("timeout_seconds", 1)?;
        if timeout.is_some_and(|seconds| seconds > LONGEST) {
            return Err(section.refuse("timeout_seconds", format!("expected at most {LONGEST} seconds")));
        }
        let allow_partial = section.flag("allow_partial")?.unwrap_or(false);
        let way = match asked {
            Asked::Terminal => Way::Terminal,
            Asked::Program => Way::Program(AskingProgram::read(&section)?),
            Asked::Client => {
                let trusted = section.flag("trust_host")?.unwrap_or(false);
                if part == Part::Approve && !trusted {
                    return Err(section.refuse("ask", "a client's approval is only as good as the host, which may answer by itself").advice(
                        "ask \"terminal\" or a \"program\" instead, or write trust_host = true beside it if you trust the host with it",
                    ));
                }
                Way::Client
            }
        };
        let (place, table) = (section.refuse("ask", String::new()), section.refuse_whole(String::new()));
        section.finish()?;
        Ok(Self {
            place,
            table,
            way,
            timeout: timeout.map_or(TIMEOUT, |seconds| Duration::from_secs(seconds as u64)),
            allow_partial,
        })
    }

    pub(crate) fn program(&self) -> Option<&AskingProgram> {
        match &self.way {
            Way::Program(program) => Some(program),
            _ => None,
        }
    }

    /// Everything a reviewer relies on.
    pub(crate) fn reviewed(&self) -> Value {
        let way = match &self.way {
            Way::Terminal => json!("terminal"),
            Way::Program(program) => json!([
                program.program.display().to_string(),
                program.arguments,
                program.variables.iter().map(Variable::reviewed).collect::<Vec<_>>(),
            ]),
            Way::Client => json!("client"),
        };
        json!({ "way": way, "allow_partial": self.allow_partial, "timeout_seconds": self.timeout.as_secs() })
    }

    /// The way of asking, for people.
    pub(crate) fn describe(&self) -> String {
        let way = match &self.way {
            Way::Terminal => "a terminal of this user (`pending`, `allow`, `deny`)".to_owned(),
            Way::Program(program) => format!("the program {}", program.program.display()),
            Way::Client => "the client".to_owned(),
        };
        let partial = if self.allow_partial { ", also where the arguments cannot be shown whole" } else { "" };
        format!("{way}, {} s{partial}", self.timeout.as_secs())
    }
}

impl AskingProgram {
    fn read(section: &Section<'_, '_>) -> Result<Self, Refusal> {
        let command = section
            .texts("command")?
            .ok_or_else(|| section.missing("command").advice("write command = [\"/absolute/program\", ..]"))?;
        let Some(((_, program), arguments)) = command.split_first() else {
            return Err(section.refuse("command", "expected a program"));
        };
        if !program.contains('/') {
            return Err(section
                .refuse("command", format!("expected a path, found the bare name {program:?}"))
                .advice("write the absolute path of the program: nothing is searched for on PATH"));
        }
        let program = section.source.path(program);
        let refuse = |problem: &str| section.refuse("command", format!("{}: {problem}", program.display()));
        if !program.is_file() {
            return Err(refuse("there is no such file"));
        }
        if !is_program(&program) {
            return Err(refuse("it is not a program that this user may run"));
        }
        Ok(Self {
            arguments: arguments.iter().map(|(_, argument)| (*argument).to_owned()).collect(),
            variables: Variable::list(section, "env")?,
            folder: section.source.path("."),
            program,
        })
    }
}
