//! `list`: every declared operation, and whether it is allowed.

use std::fmt::Write;
use std::path::Path;

use serde_json::json;

use super::exit::Exit;
use super::start::{Caller, start};
use crate::application::Application;
use crate::ask::visible::line;
use crate::catalog::canonical;
use crate::entry::Entry;
use crate::launch::Declared;

pub(super) fn run<A: Application>(entry: Entry<A>, launch: &Path, as_json: bool) -> Exit {
    let started = match start(entry, launch, Caller::Onlooker) {
        Ok(started) => started,
        Err(exit) => return exit,
    };
    let declared = &started.launch.declared;
    let text = if as_json { json_lines(declared) } else { table(declared) };
    started.finish(&text)
}

/// Characters of a description that are shown to people.
const SHOWN: usize = 80;

fn table(declared: &[Declared]) -> String {
    let width = declared.iter().map(|operation| operation.name.len()).max().unwrap_or(0).max("operation".len());
    let mut text = format!("{:width$}  effect   exposed            description\n", "operation");
    for operation in declared {
        let exposed = match (operation.allowed, operation.mcp) {
            (true, _) => "allowed",
            (false, true) => "-",
            (false, false) => "command line only",
        };
        let effect = format!("{:?}", operation.effect).to_lowercase();
        let first_line = line(operation.description.lines().next().unwrap_or_default());
        let first_line = match first_line.char_indices().nth(SHOWN) {
            Some((cut, _)) => format!("{}..", &first_line[..cut]),
            None => first_line,
        };
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{:width$}  {effect:7}  {exposed:17}  {first_line}", operation.name);
    }
    text
}

fn json_lines(declared: &[Declared]) -> String {
    let operations: Vec<_> = declared
        .iter()
        .map(|operation| {
            json!({
                "operation": operation.name, "description": operation.description, "effect": operation.effect,
                "allowed": operation.allowed, "mcp": operation.mcp,
            })
        })
        .collect();
    canonical(&json!({ "operations": operations })) + "\n"
}
