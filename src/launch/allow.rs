//! Which declared operations this process exposes: an exact match of every entry, or no launch.

use std::collections::{BTreeMap, BTreeSet};

use super::file::{Allowed, LaunchFile};
use super::refusal::{Refusal, nearest};

/// The names of the allowed operations, in the order of the allowlist.
///
/// `declared` holds the names that MCP may reach, `cli` those that the command line may.
pub(crate) fn select(file: &LaunchFile, declared: &[String], cli: &[String]) -> Result<Vec<String>, Refusal> {
    let mut seen: BTreeMap<&str, &Allowed> = BTreeMap::new();
    let known: BTreeSet<&str> = declared.iter().map(String::as_str).collect();
    let mut selected = Vec::with_capacity(file.allow.len());
    for (index, entry) in file.allow.iter().enumerate() {
        let name = entry.name.as_str();
        let refuse = |problem: String| {
            let refusal = Refusal::new(problem).at(entry.place.clone());
            refusal.entry(format!("allow[{index}] {name:?}"))
        };
        if let Some(first) = seen.insert(name, entry) {
            return Err(refuse(format!("repeats the entry of line {}", first.place.line)).advice("remove one of them"));
        }
        if known.contains(name) {
            selected.push(name.to_owned());
            continue;
        }
        let trimmed = name.trim();
        if trimmed != name && declared.iter().any(|operation| operation == trimmed) {
            return Err(refuse("has space around the name".to_owned()).advice(format!("write {trimmed:?}")));
        }
        if let Some(operation) = declared.iter().find(|operation| operation.eq_ignore_ascii_case(trimmed)) {
            return Err(refuse("differs from the declared name in letter case".to_owned())
                .advice(format!("write {operation:?}")));
        }
        if cli.iter().any(|operation| operation == name) {
            return Err(refuse("is declared for the command line only".to_owned())
                .advice("remove it here, or declare it in mcp_operations too"));
        }
        let refusal = refuse("no such operation is declared".to_owned());
        if name.contains('*') {
            return Err(refusal.advice("there are no wildcards: list each operation"));
        }
        return Err(match nearest(name, declared.iter().map(String::as_str)) {
            Some(near) => refusal.advice(format!("did you mean {near:?}?")),
            None if declared.is_empty() => refusal.advice("the application declares none for MCP"),
            None => refusal.advice(format!("declared: {}", declared.join(", "))),
        });
    }
    Ok(selected)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selected(allow: &[&str]) -> Result<Vec<String>, String> {
        let file = LaunchFile::allowing("f", allow);
        let declared = ["tasks.submit".to_owned(), "tasks.query".to_owned()];
        select(&file, &declared, &["tasks.report".to_owned()]).map_err(|refusal| refusal.to_string())
    }

    #[test]
    fn entries_keep_their_order() {
        assert_eq!(
            selected(&["tasks.query", "tasks.submit"]),
            Ok(vec!["tasks.query".to_owned(), "tasks.submit".to_owned()])
        );
        assert_eq!(selected(&[]), Ok(vec![]));
    }

    #[test]
    fn anything_but_an_exact_new_name_is_refused() {
        for (allow, expected) in [
            (&["tasks.query", "tasks.query"][..], "f:2: allow[1] \"tasks.query\": repeats the entry of line 1"),
            (&["Tasks.Query"], "f:1: allow[0] \"Tasks.Query\": differs from the declared name in letter case"),
            (&[" tasks.query"], "f:1: allow[0] \" tasks.query\": has space around the name"),
            (&["tasks.report"], "f:1: allow[0] \"tasks.report\": is declared for the command line only"),
            (&["tasks.qury"], "did you mean \"tasks.query\"?"),
            (&["tasks.*"], "there are no wildcards"),
            (&["zzz"], "declared: tasks.submit, tasks.query"),
            (&[""], "no such operation is declared"),
        ] {
            assert!(
                selected(allow).is_err_and(|message| message.contains(expected)),
                "{allow:?}: {:?}",
                selected(allow)
            );
        }
    }
}
