//! `[plugins.NAME]`: which program runs, with what it sees.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::super::plugin::{Mode, Plugin};
use super::super::program::{Errors, Program};
use super::Reading;
use crate::key::Key;
use crate::launch::command::{self, is_program};
use crate::launch::section::Section;
use crate::launch::{NamedVariable, Refusal, Variable};

/// Where every host finds programs.
const USUAL: [&str; 3] = ["/usr/local/bin", "/usr/bin", "/bin"];
const MODES: [(&str, Mode); 2] = [("fresh", Mode::Fresh), ("worker", Mode::Worker)];

impl Reading<'_> {
    /// The plugin, and the program that tells its operations, if one does.
    pub(super) fn plugin(
        &mut self,
        id: &str,
        section: &Section<'_, '_>,
    ) -> Result<(Arc<Plugin>, Option<Program>), Refusal> {
        let named = Variable::list(section, "env")?;
        self.variables.extend(named.iter().map(|variable| NamedVariable::of(variable, false, true, self.environment)));
        Variable::refuse_unset(&named, self.environment)?;
        let variables = command::variables(&named, self.environment);
        let program = self.program(section, "command", variables.clone())?;
        let program = program.ok_or_else(|| {
            section
                .missing("command")
                .advice("add command = [\"python3\", \"program.py\"], the program and its arguments")
        })?;
        let describe = self.program(section, "describe", variables)?;
        let mode = section.choice("mode", &MODES)?.unwrap_or(Mode::Fresh);
        let plugin = Plugin {
            id: id.to_owned(),
            program,
            named,
            mode,
            pinned: self.pinned.clone(),
            children: self.children.clone(),
            worker: Arc::default(),
            key: Key::random().map_err(|error| Refusal::new(error.to_string()).entry("random bytes"))?,
        };
        if mode == Mode::Worker {
            self.children.keep(Arc::clone(&plugin.worker));
        }
        Ok((Arc::new(plugin), describe))
    }

    fn program(
        &mut self,
        section: &Section<'_, '_>,
        key: &'static str,
        variables: Vec<(String, OsString)>,
    ) -> Result<Option<Program>, Refusal> {
        let words = section.texts(key).map_err(|refusal| {
            refusal.advice("write the program and each argument as a text of its own: [\"python3\", \"program.py\"]")
        })?;
        let Some(words) = words else { return Ok(None) };
        let mut words = words.into_iter().map(|(_, word)| word);
        let first = words.next().filter(|word| !word.is_empty());
        let first = first.ok_or_else(|| section.refuse(key, "expected a program and its arguments, found none"))?;
        let arguments: Vec<String> = words.map(str::to_owned).collect();
        if arguments.iter().any(|argument| argument.contains('\0')) {
            return Err(section.refuse(key, "an argument holds a zero byte, which no program can be given"));
        }
        let path = self.find(first).map_err(|(problem, advice)| section.refuse(key, problem).advice(advice))?;
        self.files.push(path.clone());
        if !first.contains('/')
            && !path.parent().is_some_and(|folder| USUAL.iter().any(|usual| folder == Path::new(usual)))
        {
            self.warnings.push(format!(
                "{}: {first} is {} on this PATH; a host with another PATH runs another one, or none: write the path",
                section.entry(key),
                path.display()
            ));
        }
        self.warnings.extend(command::missing_scripts(&self.folder, &arguments).map(|argument| {
            let entry = section.entry(key);
            format!("{entry}: there is no file {argument:?} in the folder of the application's file")
        }));
        self.files.extend(command::files(&self.folder, &arguments));
        Ok(Some(Program { path, arguments, folder: self.folder.clone(), variables, errors: Errors::default() }))
    }

    /// Looks a program up once: a bare name on PATH, else against the application's folder.
    fn find(&self, word: &str) -> Result<PathBuf, (String, &'static str)> {
        if word.contains('/') {
            let path = self.folder.join(word.strip_prefix("./").unwrap_or(word));
            return match is_program(&path) {
                true => Ok(path),
                false if path.is_file() => Err((
                    format!("{} is not executable", path.display()),
                    "make it executable (chmod +x), or name the interpreter that runs it first",
                )),
                false => Err((
                    format!("there is no program {}", path.display()),
                    "a path with a slash stands against this file's folder; a bare name is looked up on PATH",
                )),
            };
        }
        let path = self.environment.get("PATH").unwrap_or_default();
        // What stands against a working directory would be another program in another one.
        let folders = path.split(':').map(Path::new).filter(|folder| folder.is_absolute());
        folders.map(|folder| folder.join(word)).find(|path| is_program(path)).ok_or_else(|| {
            let advice = if self.folder.join(word).is_file() {
                "it is in this file's folder: write it with ./ in front"
            } else {
                "install it, write its absolute path, or give the host a PATH that has it"
            };
            (format!("there is no program {word:?} on PATH"), advice)
        })
    }
}
