//! `check`: what a launch exposes and what to know before a host runs it. Starts nothing but `describe` commands.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::bound;
use super::exit::Exit;
use super::start::{Caller, Started, start};
use crate::application::Application;
use crate::binding::Part;
use crate::catalog::canonical;
use crate::entry::Entry;
use crate::launch::Names;
use crate::launch::text::folder_of;
use crate::operation::{self, Effect};
use crate::schema;

/// Some hosts drop tools above this number, all their servers together.
const MANY_TOOLS: usize = 40;

pub(super) fn run<A: Application>(entry: Entry<A>, launch: &Path, as_json: bool) -> Exit {
    let started = match start(entry, launch, Caller::Onlooker) {
        Ok(started) => started,
        Err(exit) => return exit,
    };
    // A launch compiles most schemas when they are first needed; here is the time to say what is wrong with one.
    let wrong = started.launch.gate.operations.iter().find_map(|exposed| {
        let problem = exposed.validator.compiled().err()?;
        Some(operation::refuse(&exposed.declaration, None, format!("its input schema: {problem}")))
    });
    if let Some(refusal) = wrong {
        return started.refuse(&refusal);
    }
    let warnings = warnings(&started, launch);
    let text = if as_json { for_programs(&started, &warnings) } else { for_people(&started, launch, &warnings) };
    started.finish(&text)
}

fn for_people<A: Application>(started: &Started<A>, path: &Path, warnings: &[String]) -> String {
    let launch = &started.launch;
    let limits = launch.file.limits;
    let mut text = String::new();
    // Writing to a String cannot fail.
    let _ = writeln!(text, "{} is valid.", path.display());
    let _ = writeln!(text, "identity: {}", launch.file.identity.as_deref().unwrap_or("(none)"));
    let _ = writeln!(
        text,
        "limits: frame {}, input {}, output {}, catalog {} of {} bytes",
        limits.frame,
        limits.input,
        limits.output,
        launch.catalog.largest().len(),
        limits.catalog
    );
    let _ = writeln!(text, "tools:");
    for (tool, exposed) in launch.catalog.tools().iter().zip(&launch.gate.operations) {
        let declaration = &exposed.declaration;
        let effect = format!("{:?}", declaration.effect).to_lowercase();
        let _ = write!(text, "  {}  {}  {effect}", tool.name, tool.title);
        for (needed, word) in [
            (declaration.context, "takes context"),
            (declaration.confirmation, "needs confirmation"),
            (declaration.approval, "needs approval"),
        ] {
            if needed {
                let _ = write!(text, ", {word}");
            }
        }
        text.push('\n');
    }
    if launch.catalog.tools().is_empty() {
        let _ = writeln!(text, "  (none: allow is empty)");
    }
    for (side, parts) in both_sides(started) {
        let _ = writeln!(text, "bound for {side}:");
        for (part, source) in &parts {
            let _ = writeln!(text, "  {part}: {source}");
        }
        if parts.is_empty() {
            let _ = writeln!(text, "  (nothing)");
        }
    }
    let _ = writeln!(text, "pins, to paste under [pins]:");
    for (operation, fingerprint) in launch.fingerprints() {
        let _ = writeln!(text, "  {operation:?} = \"{fingerprint}\"");
    }
    if let Some(audit) = &launch.file.audit {
        let _ = writeln!(text, "audit: {}", audit.path.display());
    }
    for variable in &started.variables {
        let state = match (variable.is_set, variable.optional) {
            (true, _) => "set",
            (false, false) => "not set",
            (false, true) => "not set, optional",
        };
        let _ = writeln!(text, "variable {}: {state}", variable.name);
    }
    for warning in warnings {
        let _ = writeln!(text, "warning: {warning}");
    }
    text
}

/// What is bound for MCP and for `call`.
fn both_sides<A: Application>(started: &Started<A>) -> [(&'static str, Vec<(&'static str, String)>); 2] {
    let file = &started.launch.file;
    [
        ("MCP", bound::parts(&file.mcp, &*started.launch.gate.binding.code)),
        ("`call`", bound::parts(&file.cli, &*started.other_binding)),
    ]
}

fn for_programs<A: Application>(started: &Started<A>, warnings: &[String]) -> String {
    let launch = &started.launch;
    let limits = launch.file.limits;
    let list: Value = serde_json::from_str(launch.catalog.largest()).unwrap_or_default();
    let report = json!({
        "identity": launch.file.identity,
        "limits": {
            "max_frame_bytes": limits.frame, "max_input_bytes": limits.input,
            "max_output_bytes": limits.output, "max_catalog_bytes": limits.catalog,
        },
        "tools": list["tools"],
        "binding": bound::parts_for_programs(&launch.file.mcp, &*launch.gate.binding.code),
        "cli_binding": bound::parts_for_programs(&launch.file.cli, &*started.other_binding),
        "pins": launch.fingerprints().map(|(operation, fingerprint)| (operation, fingerprint.to_string())).collect::<BTreeMap<_, _>>(),
        "audit": launch.file.audit.as_ref().map(|audit| &audit.path),
        "variables": started.variables.iter().map(|variable| (&variable.name, variable.is_set)).collect::<BTreeMap<_, _>>(),
        "warnings": warnings,
    });
    canonical(&report) + "\n"
}

/// Whether users other than the owner can change the file, or what is in the folder.
fn others_can_write(file: &Path) -> bool {
    let Ok(metadata) = std::fs::metadata(file) else { return false };
    // In a sticky folder nobody can replace what belongs to others.
    let sticky = metadata.is_dir() && metadata.mode() & 0o1000 != 0;
    metadata.mode() & 0o022 != 0 && !sticky
}

fn warnings<A: Application>(started: &Started<A>, path: &Path) -> Vec<String> {
    let launch = &started.launch;
    let mut warnings = Vec::new();
    let audit = launch.file.audit.as_ref().map(|audit| &*audit.path);
    let mut files = vec![path.to_owned()];
    files.extend(std::env::current_exe().ok());
    files.extend(bound::programs(&launch.file).chain(started.files.iter().cloned()));
    let folders: Vec<PathBuf> = files.iter().map(|file| folder_of(file)).collect();
    files.extend(folders);
    files.sort_unstable();
    files.dedup();
    for file in files.into_iter().filter(|file| others_can_write(file)) {
        warnings.push(format!("{} can be written by others: whoever can write it has this identity", file.display()));
    }
    if audit.is_some_and(|file| std::fs::metadata(file).is_ok_and(|metadata| metadata.mode() & 0o022 != 0)) {
        warnings.push("the audit file can be written by others: it proves nothing".to_owned());
    }
    warnings.extend(launch.warnings.iter().cloned());
    let limits = launch.file.limits;
    if limits.input >= limits.frame {
        warnings.push(
            "max_input_bytes is not below max_frame_bytes: larger arguments never get through a frame".to_owned(),
        );
    }
    let tools = launch.catalog.tools().len();
    if tools > MANY_TOOLS {
        warnings.push(format!("{tools} tools: some hosts show only {MANY_TOOLS} of all their servers together"));
    }
    let by_index = launch.file.tools.names == Names::Index && !launch.file.pins.are_there();
    for exposed in &launch.gate.operations {
        let declaration = &exposed.declaration;
        let name = declaration.name();
        if by_index && declaration.effect != Effect::Read {
            warnings.push(format!(
                "{name} may write and is listed by number: a host that remembers \"always allow\" by name may allow another operation after a change of allow; write names = \"canonical\" under [tools], or pin it"
            ));
        }
        for oddity in schema::passed_over(exposed.validator.schema()) {
            warnings.push(format!("the input schema of {name}, {oddity}"));
        }
        if declaration.description.trim().is_empty() {
            warnings.push(format!("{name} has no description: an agent has to guess"));
        }
        for (needed, part, what, line) in [
            (declaration.context, Part::Context, "a context", "a line for each member, such as region = \"eu\""),
            (declaration.confirmation, Part::Confirm, "a confirmation", "ask = \"terminal\""),
            (declaration.approval, Part::Approve, "an approval", "ask = \"terminal\""),
        ] {
            let key = part.word();
            if needed && !launch.gate.binding.binds(part) {
                warnings.push(format!(
                    "{name} needs {what}, which nothing binds for MCP: every call is refused; add [binding.{key}] and below it {line}"
                ));
            }
            if needed && !started.other_binding.binds(part) && !launch.file.cli.binds(part) {
                warnings.push(format!(
                    "{name} needs {what}, which nothing binds for `call`: it is refused there; add [cli.binding.{key}] and below it {line}"
                ));
            }
        }
    }
    warnings.extend(bound::warnings(&launch.file));
    warnings.extend(started.skipped.iter().map(ToString::to_string));
    warnings
}
