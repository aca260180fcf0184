//! `[binding.confirm]` and `[binding.approve]`: who answers, and for how long they are waited for.

use std::path::PathBuf;
use std::time::Duration;

use rustix::fs::{Access, access};
use serde_json::{Value, json};

use super::refusal::Refusal;
use super::section::Section;
use super::variables::Variable;
use crate::environment::Environment;

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
    pub(crate) place: Refusal,
}

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
    pub(crate) fn read(section: Section<'_, '_>, is_approval: bool) -> Result<Self, Refusal> {
        let ask = section
            .text("ask")?
            .ok_or_else(|| section.refuse("ask", "missing").advice("write \"terminal\", \"program\" or \"client\""))?;
        let timeout = section.positive("timeout_seconds", 1)?;
        if timeout.is_some_and(|seconds| seconds > LONGEST) {
            return Err(section.refuse("timeout_seconds", format!("expected at most {LONGEST} seconds")));
        }
        let allow_partial = section.flag("allow_partial")?.unwrap_or(false);
        let way = match ask {
            "terminal" => Way::Terminal,
            "program" => Way::Program(AskingProgram::read(&section)?),
            "client" => {
                let trusted = section.flag("trust_host")?.unwrap_or(false);
                if is_approval && !trusted {
                    return Err(section.refuse("ask", "a client's approval is only as good as the host, which may answer by itself").advice(
                        "ask \"terminal\" or a \"program\" instead, or write trust_host = true beside it if you trust the host with it",
                    ));
                }
                Way::Client
            }
            _ => {
                return Err(section
                    .refuse("ask", format!("there is no way of asking {ask:?}"))
                    .advice("write \"terminal\", \"program\" or \"client\""));
            }
        };
        let place = section.refuse("ask", String::new());
        section.finish()?;
        Ok(Self {
            place,
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
        let command = section.texts("command")?.ok_or_else(|| {
            section.refuse("command", "missing").advice("write command = [\"/absolute/program\", ..]")
        })?;
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
        if !std::fs::metadata(&program).is_ok_and(|metadata| metadata.is_file()) {
            return Err(refuse("there is no such file"));
        }
        if access(&program, Access::EXEC_OK).is_err() {
            return Err(refuse("it is not a program that this user may run"));
        }
        Ok(Self {
            arguments: arguments.iter().map(|(_, argument)| (*argument).to_owned()).collect(),
            variables: Variable::list(section, "env")?,
            folder: section.source.path("."),
            program,
        })
    }

    /// The variables it gets besides the common ones.
    pub(crate) fn environment(&self, environment: &Environment) -> Result<Vec<(String, String)>, Refusal> {
        let mut given = Vec::new();
        for variable in &self.variables {
            if let Some(value) = variable.value(environment)? {
                given.push((variable.name.clone(), value.to_owned()));
            }
        }
        Ok(given)
    }
}
