//! `init`: writes a launch file to start from. Nothing is exposed that nobody picked, but operations that only read.

use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Component, Path, PathBuf};

use clap::ArgMatches;

use super::exit::Exit;
use super::start::{Caller, Started, start_with};
use super::usage;
use crate::application::Application;
use crate::ask::visible::line;
use crate::entry::{Constructor, Entry};
use crate::launch::{Declared, LaunchFile, nearest};
use crate::operation::Effect;

/// Today's agents read results of this size whole.
const READABLE: usize = 65536;

pub(super) fn run<A: Application>(entry: Entry<A>, arguments: &ArgMatches) -> Exit {
    let launch = usage::launch(arguments).to_owned();
    let force = arguments.get_flag("force");
    if launch.exists() && !force {
        return usage::refuse(&format!("{} is there already; --force writes over it", launch.display()));
    }
    let application = match &entry.constructor {
        Constructor::Native(_) => None,
        Constructor::Described(_) => {
            let beside = || launch.with_file_name("application.toml");
            Some(arguments.get_one::<PathBuf>("application").cloned().unwrap_or_else(beside))
        }
    };
    if let Some(file) = application.as_ref().filter(|file| !file.is_file()) {
        let problem = format!("there is no application file {}", file.display());
        return usage::refuse(&format!("{problem}; name yours: --application FILE"));
    }
    if let Err(problem) = may_be_written(&launch, application.as_deref()) {
        return usage::refuse(&format!("{} {problem}", launch.display()));
    }
    let draft = LaunchFile::draft(&launch, application.clone());
    let started = match start_with(entry, move || Ok(draft), Caller::Onlooker) {
        Ok(started) => started,
        Err(exit) => return exit,
    };
    let picked: Vec<String> = arguments.get_many("allow").into_iter().flatten().cloned().collect();
    if let Some(unknown) = unknown(&started.launch.declared, &picked) {
        return started.fail(Exit::Usage, &unknown);
    }
    let named = application.map(|file| relative(&file, &launch));
    let identity = arguments.get_one::<String>("identity").map(String::as_str);
    let text = text(&started.launch.declared, &picked, named.as_deref(), identity);
    write(started, &launch, &text, force)
}

/// Writing over a file is for launch files alone: never over the application, through a link, or into a pipe or device.
fn may_be_written(launch: &Path, application: Option<&Path>) -> Result<(), &'static str> {
    let Ok(there) = launch.symlink_metadata() else { return Ok(()) };
    if !there.is_file() {
        return Err("is no regular file; name the launch file itself");
    }
    let is_it = |file: &Path| file.metadata().is_ok_and(|file| (file.dev(), file.ino()) == (there.dev(), there.ino()));
    if application.is_some_and(is_it) {
        return Err("is the application file; name another one for the launch");
    }
    Ok(())
}

fn write<A: Application>(started: Started<A>, launch: &Path, text: &str, force: bool) -> Exit {
    let mut options = OpenOptions::new();
    options.write(true).create_new(!force).create(force).truncate(force);
    let written = options.open(launch).and_then(|mut file| file.write_all(text.as_bytes()));
    if let Err(error) = written {
        return started.fail(Exit::Failed, &format!("opgate: {} cannot be written: {error}", launch.display()));
    }
    let (program, launch) = (usage::binary_name(), launch.display());
    let allowed = text.lines().filter(|line| line.starts_with("    \"")).count();
    let declared = started.launch.declared.len();
    started.finish(&format!(
        "wrote {launch}: {allowed} of {declared} operations allowed\nnext:  {program} check {launch}\n       {program} try {launch}\n"
    ))
}

/// What to say of a picked name that is not declared.
fn unknown(declared: &[Declared], picked: &[String]) -> Option<String> {
    let names = || declared.iter().filter(|operation| operation.mcp).map(|operation| operation.name.as_str());
    let unknown = picked.iter().find(|name| !names().any(|known| known == *name))?;
    Some(match nearest(unknown, names()) {
        Some(near) => format!("opgate: no operation {unknown:?} is declared for MCP; did you mean {near:?}?"),
        None => format!(
            "opgate: no operation {unknown:?} is declared for MCP\n  declared: {}",
            names().collect::<Vec<_>>().join(", ")
        ),
    })
}

fn text(declared: &[Declared], picked: &[String], application: Option<&str>, identity: Option<&str>) -> String {
    let mut text = String::from(
        "# What one opgate process exposes, as whom, and within which bounds. Whoever can write this file decides that.\n",
    );
    // Writing to a String cannot fail.
    if let Some(application) = application {
        let _ = writeln!(text, "application = {}", quoted(application));
    }
    text.push_str(
        "\n# Exactly these operations, in this order. Take the # from a line to allow its operation.\nallow = [\n",
    );
    let is_allowed = |operation: &Declared| match picked {
        [] => operation.effect == Effect::Read && !operation.is_asked_for(),
        picked => picked.contains(&operation.name),
    };
    let reachable: Vec<&Declared> = declared.iter().filter(|operation| operation.mcp).collect();
    let width = reachable.iter().map(|operation| operation.name.len()).max().unwrap_or(0);
    let place = |operation: &Declared| picked.iter().position(|name| *name == operation.name).unwrap_or(usize::MAX);
    let mut ordered = reachable.clone();
    ordered.sort_by_key(|operation| place(operation));
    for operation in ordered {
        let mark = if is_allowed(operation) { "" } else { "# " };
        let name = format!("{},", quoted(&operation.name));
        let first_line = line(operation.description.lines().next().unwrap_or_default());
        let _ = writeln!(text, "    {mark}{name:width$}  # {}: {first_line}", operation.in_words(), width = width + 3);
    }
    text.push_str("]\n\n# A label for logs and prompts; operations never read it.\n");
    let _ = match identity {
        Some(identity) => writeln!(text, "identity = {}", quoted(identity)),
        None => writeln!(text, "# identity = \"alice\""),
    };
    let _ = write!(
        text,
        "\n[limits]\nmax_output_bytes = {READABLE}   # the text of one result; today's agents read so much at once\n\
         # drain_seconds = 30       # how long an ending may wait for the running call; absent: as long as it takes\n\
         # calls_per_minute = 60    # absent: no limit but one call at a time\n"
    );
    for (is_so, table, line) in [
        (reachable.iter().any(|operation| operation.takes_context()), "binding.context", "name = \"value\""),
        (reachable.iter().any(|operation| operation.needs_confirmation()), "binding.confirm", "ask = \"terminal\""),
        (reachable.iter().any(|operation| operation.needs_approval()), "binding.approve", "ask = \"terminal\""),
    ] {
        if is_so {
            let _ = write!(
                text,
                "\n# Some operations need this; without it, every call of them is refused.\n# [{table}]\n# {line}\n"
            );
        }
    }
    if application.is_some() {
        text.push_str("\n# Files whose content was reviewed: a program does not start when one differs. `sha256sum FILE` prints it.\n# [pins.files]\n# \"program.py\" = \"sha256:..\"\n");
    }
    text
}

/// A text as TOML writes it.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// `file` as a launch file names it: against its own folder.
fn relative(file: &Path, launch: &Path) -> String {
    let folder = crate::launch::text::folder_of(launch);
    let file = std::fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    let (from, to): (Vec<Component<'_>>, Vec<Component<'_>>) =
        (folder.components().collect(), file.components().collect());
    let common = from.iter().zip(&to).take_while(|(from, to)| from == to).count();
    let up = std::iter::repeat_n(Component::ParentDir, from.len() - common);
    let path: PathBuf = up.chain(to[common..].iter().copied()).collect();
    path.to_string_lossy().into_owned()
}
