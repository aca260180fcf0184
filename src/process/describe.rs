//! A `describe` command: a program that tells its operations at launch, instead of a file.

use std::fmt::Write as _;
use std::io::Read;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::child::Child;
use super::manifest::{Printed, read_printed};
use super::plugin::Plugin;
use super::program::Program;
use crate::launch::{Place, Refusal};
use crate::scan::{Root, scan};

const LONGEST: Duration = Duration::from_secs(10);
const LARGEST: usize = 4 << 20;

/// Runs the command and reads what it tells; `place` is where it is named.
pub(super) fn describe(program: &Program, place: &Place, plugin: &Arc<Plugin>) -> Result<Printed, Refusal> {
    let refuse = |problem: String| {
        Refusal::new(problem).at(place.clone()).entry(format!("plugins.{}.describe", plugin.id)).advice(
            "it must print one JSON object, {\"operations\": [..]}, with the keys of [[operations]] and each input as a JSON Schema, and exit with 0",
        )
    };
    let printed = run(program, plugin).map_err(refuse)?;
    let scanned = scan(&printed).map_err(|fault| {
        refuse(format!("what it printed is no JSON: {}", fault.message().trim_start_matches("Parse error: ")))
    })?;
    if !matches!(scanned.root, Root::Object(_)) {
        return Err(refuse("what it printed is no JSON object".to_owned()));
    }
    let mut told: Value =
        serde_json::from_slice(&printed).map_err(|_| refuse("what it printed is no JSON".to_owned()))?;
    let schemas = ["operations", "mcp_operations"].map(|key| take_schemas(&mut told[key]));
    if let Value::Object(members) = &mut told {
        members.retain(|_, member| !member.is_null());
    }
    let mut text = String::new();
    if let Value::Object(members) = &told {
        for (name, member) in members {
            let _ = write!(text, "{} = ", Value::from(name.as_str()));
            toml(member, &mut text);
            text.push('\n');
        }
    }
    read_printed(&text, &schemas, place, plugin)
}

fn run(program: &Program, plugin: &Plugin) -> Result<Vec<u8>, String> {
    let mut child = Child::start(program, &plugin.children)
        .map_err(|error| format!("{} cannot be started: {error}", program.path.display()))?;
    child.send(Vec::new(), false);
    child.must_end_by(Instant::now().checked_add(LONGEST));
    let mut printed = Vec::new();
    let read = (&mut child).take(LARGEST as u64 + 1).read_to_end(&mut printed);
    if printed.len() > LARGEST {
        child.kill();
        return Err(format!("it printed more than {LARGEST} bytes and was ended"));
    }
    let status = read.and_then(|_| child.finish()).map_err(|error| format!("it cannot be read: {error}"))?;
    if child.is_overdue() {
        return Err(format!("it took longer than {} s and was ended", LONGEST.as_secs()));
    }
    if !status.success() {
        return Err(format!("it ended with {status}; what it wrote to standard error is above"));
    }
    Ok(printed)
}

/// The input schemas of a list of operations, out of it: they may hold what only JSON can say.
fn take_schemas(operations: &mut Value) -> Vec<Option<Value>> {
    let operations = operations.as_array_mut().map(Vec::as_mut_slice).unwrap_or_default();
    operations.iter_mut().map(|operation| operation.as_object_mut()?.remove("input")).collect()
}

/// JSON as the TOML that says the same, so that one reader reads both. A member that is null is one that is absent.
fn toml(value: &Value, text: &mut String) {
    match value {
        Value::Array(items) => {
            text.push('[');
            for item in items {
                toml(item, text);
                text.push(',');
            }
            text.push(']');
        }
        Value::Object(members) => {
            text.push('{');
            let members = members.iter().filter(|(_, member)| !member.is_null());
            for (index, (name, member)) in members.enumerate() {
                if index > 0 {
                    text.push(',');
                }
                // Writing to a String cannot fail.
                let _ = write!(text, "{} = ", Value::from(name.as_str()));
                toml(member, text);
            }
            text.push('}');
        }
        scalar => {
            let _ = write!(text, "{scalar}");
        }
    }
}
