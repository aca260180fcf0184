//! `[plugins.NAME]`: which program runs, with what it sees.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use redact_json::Rules;
use rustix::fs::{Access, access};
use toml::Spanned;
use toml::de::DeValue;

use super::super::plugin::{Mode, Plugin};
use super::super::program::{Errors, Program, passed};
use super::Reading;
use crate::key::Key;
use crate::launch::section::Section;
use crate::launch::{NamedVariable, Refusal, not_set};

/// Where every host finds programs.
const USUAL: [&str; 3] = ["/usr/local/bin", "/usr/bin", "/bin"];
/// What files that an interpreter runs are called.
const SCRIPTS: [&str; 9] = ["py", "js", "mjs", "cjs", "ts", "rb", "pl", "php", "sh"];
const MODES: [(&str, Mode); 2] = [("fresh", Mode::Fresh), ("worker", Mode::Worker)];

/// The variables of a program.
struct Variables {
    /// Those that its file names, and whether each may be unset.
    named: Vec<(String, bool)>,
    /// All that it sees, with their values.
    seen: Vec<(String, OsString)>,
}

impl Reading<'_> {
    /// The plugin, and the program that tells its operations, if one does.
    pub(super) fn plugin(
        &mut self,
        id: &str,
        section: &Section<'_, '_>,
    ) -> Result<(Arc<Plugin>, Option<Program>), Refusal> {
        let Variables { named, seen: variables } = self.variables(section)?;
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
        // A script that an interpreter runs is the program as much as the interpreter is.
        if !first.contains('/')
            && !path.parent().is_some_and(|folder| USUAL.iter().any(|usual| folder == Path::new(usual)))
        {
            self.warnings.push(format!(
                "{}: {first} is {} on this PATH; a host with another PATH runs another one, or none: write the path",
                section.entry(key),
                path.display()
            ));
        }
        for argument in arguments.iter().filter(|argument| is_like_a_script(argument)) {
            if !self.folder.join(argument).exists() {
                let entry = section.entry(key);
                self.warnings
                    .push(format!("{entry}: there is no file {argument:?} in the folder of the application's file"));
            }
        }
        let scripts = arguments.iter().map(|argument| self.folder.join(argument)).filter(|path| path.is_file());
        self.files.extend(scripts);
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

    fn variables(&mut self, section: &Section<'_, '_>) -> Result<Variables, Refusal> {
        let mut seen = passed(self.environment);
        let Some(value) = section.value("env") else {
            return Ok(Variables { named: Vec::new(), seen });
        };
        let (mut named, mut unset) = (Vec::new(), Vec::new());
        let names_secret = Rules::default();
        let list = value.get_ref().as_array().ok_or_else(|| section.wrong("env", value, "a list of variable names"))?;
        for (index, item) in list.iter().enumerate() {
            let key = format!("env[{index}]");
            let (name, optional) = variable(section, &key, item)?;
            named.push((name.to_owned(), optional));
            let value = self.environment.raw(name);
            self.variables.push(NamedVariable {
                name: name.to_owned(),
                is_set: value.is_some(),
                secret: names_secret.names_secret(name),
                optional,
                mcp: true,
            });
            match value {
                Some(value) => seen.push((name.to_owned(), value.to_owned())),
                None if optional => {}
                None => unset.push((name, key, item.span())),
            }
        }
        let missing: Vec<&str> = unset.iter().map(|(name, ..)| *name).collect();
        match unset.first() {
            None => Ok(Variables { named, seen }),
            Some((name, key, span)) => {
                Err(section.source.refuse_at(span.clone(), not_set(&missing)).entry(section.entry(key)).advice(
                    format!(
                        "set {} where the host starts this entry, or write {{ name = {name:?}, optional = true }}",
                        if missing.len() == 1 { "it" } else { "them" }
                    ),
                ))
            }
        }
    }
}

/// A name, or a table of a name and whether the variable may be unset.
fn variable<'t>(
    section: &Section<'t, '_>,
    key: &str,
    item: &'t Spanned<DeValue<'t>>,
) -> Result<(&'t str, bool), Refusal> {
    let expected = "a variable's name, or { name = \"..\", optional = true }";
    let (name, optional) = match item.get_ref() {
        DeValue::String(name) => (name.as_ref(), false),
        DeValue::Table(table) => {
            let inner = Section::named(section.source, section.entry(key), table);
            let name = inner.text("name")?.ok_or_else(|| inner.missing("name"))?;
            let optional = inner.flag("optional")?.unwrap_or_default();
            inner.finish()?;
            (name, optional)
        }
        _ => return Err(section.wrong(key, item, expected)),
    };
    if name.is_empty() || name.contains(['=', '\0']) {
        let refusal = section.source.refuse_at(item.span(), "this is no variable's name").entry(section.entry(key));
        return Err(refusal.advice("write its name alone; values come from the environment and never stand in a file"));
    }
    Ok((name, optional))
}

/// Whether an argument is meant as a file to run.
fn is_like_a_script(argument: &str) -> bool {
    let extension = Path::new(argument).extension().and_then(std::ffi::OsStr::to_str);
    !argument.starts_with('-') && extension.is_some_and(|extension| SCRIPTS.contains(&extension))
}

fn is_program(path: &Path) -> bool {
    path.is_file() && access(path, Access::EXEC_OK).is_ok()
}
