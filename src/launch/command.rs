//! Programs that a trusted file names, with their arguments.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};

use super::variables::Variable;
use crate::environment::Environment;

/// The variables that every program sees, if we do.
const PASSED: [&str; 6] = ["PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR"];
/// What files that an interpreter runs are called.
const SCRIPTS: [&str; 9] = ["py", "js", "mjs", "cjs", "ts", "rb", "pl", "php", "sh"];

pub(crate) fn is_program(path: &Path) -> bool {
    path.is_file() && access(path, Access::EXEC_OK).is_ok()
}

/// All the variables that a program sees, which its file names or which every one sees, with their values.
pub(crate) fn variables(named: &[Variable], environment: &Environment) -> Vec<(String, OsString)> {
    let all = PASSED.into_iter().chain(named.iter().map(|variable| &*variable.name));
    all.filter_map(|name| Some((name.to_owned(), environment.raw(name)?.to_owned()))).collect()
}

/// The files among the arguments of a program that runs in `folder`: a script that an interpreter runs is the program as
/// much as the interpreter is.
pub(crate) fn files<'a>(folder: &'a Path, arguments: &'a [String]) -> impl Iterator<Item = PathBuf> + 'a {
    arguments.iter().map(|argument| folder.join(argument)).filter(|path| path.is_file())
}

/// The arguments that are meant as files to run and are none.
pub(crate) fn missing_scripts<'a>(folder: &'a Path, arguments: &'a [String]) -> impl Iterator<Item = &'a str> {
    let scripts = arguments.iter().map(String::as_str).filter(|argument| is_like_a_script(argument));
    scripts.filter(|argument| !folder.join(argument).exists())
}

fn is_like_a_script(argument: &str) -> bool {
    let extension = Path::new(argument).extension().and_then(OsStr::to_str);
    !argument.starts_with('-') && extension.is_some_and(|extension| SCRIPTS.contains(&extension))
}
