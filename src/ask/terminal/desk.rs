//! The other side of the sockets: what `pending`, `allow` and `deny` do.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::path::Path;
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;

use super::folder::{Folder, candidates};
use super::socket::{dial, ids, is_id, is_ours, may_begin_an_id, sweep};
use super::visitor::Reply;
use crate::ask::visible::line;
use crate::environment::Environment;

/// A process that holds a prompt answers at once.
const PATIENCE: Duration = Duration::from_secs(5);
/// No reply is longer.
const LONGEST: u64 = 1 << 20;

/// An open prompt, as its process shows it.
#[derive(Debug, Deserialize)]
pub(crate) struct Pending {
    pub(crate) id: String,
    pub(crate) process: u32,
    pub(crate) seconds_left: u64,
    pub(crate) prompt: Value,
}

impl Pending {
    pub(crate) fn digest(&self) -> &str {
        self.prompt["digest"].as_str().unwrap_or_default()
    }

    /// The prompt, for a person. Whatever process wrote it, nothing in it reaches the terminal unseen.
    pub(crate) fn text(&self) -> String {
        let text = self.prompt["text"].as_str().unwrap_or_default();
        text.lines().fold(String::new(), |shown, text| shown + &line(text) + "\n")
    }
}

/// The prompts of all of this user's processes. Folders that are not to be trusted are told apart.
pub(crate) fn pending(environment: &Environment) -> (Vec<Pending>, Vec<String>) {
    let (folders, problems) = folders(environment);
    let mut found = Vec::new();
    for folder in folders {
        sweep(&folder);
        // One that cannot be shown has just ended.
        found.extend(ids(&folder).iter().filter_map(|id| show(&folder.0.join(id))));
    }
    (found, problems)
}

/// Answers one prompt, as it is now. The beginning of its id will do, where no other prompt's begins so.
///
/// # Errors
/// Why it was not answered.
pub(crate) fn answer(environment: &Environment, id: &str, verb: &str) -> Result<Pending, String> {
    let (folders, _) = folders(environment);
    let open = || folders.iter().flat_map(ids).filter(|open| open.starts_with(id)).collect::<BTreeSet<_>>();
    let id = match open().into_iter().collect::<Vec<_>>().as_slice() {
        _ if is_id(id) => id.to_owned(),
        _ if !may_begin_an_id(id) => return Err("that is no id of a prompt; see `pending`".to_owned()),
        [only] => only.clone(),
        [] => return Err("no open prompt has an id that begins so; see `pending`".to_owned()),
        _ => return Err("several open prompts have an id that begins so; see `pending`".to_owned()),
    };
    for folder in folders {
        let path = folder.0.join(&id);
        let Some(pending) = show(&path).filter(|pending| pending.id == id) else { continue };
        let reply = ask(&path, &format!("{verb} {}\n", pending.digest()));
        return match reply.and_then(|reply| serde_json::from_str(&reply).ok()) {
            Some(Reply::Answered { .. }) => Ok(pending),
            Some(Reply::Refused(problem)) => Err(problem),
            None => Err("the prompt has ended; it was not answered by this".to_owned()),
        };
    }
    Err("no such prompt is open: it was answered, it is too late, or its process has ended".to_owned())
}

fn folders(environment: &Environment) -> (Vec<Folder>, Vec<String>) {
    let mut problems = Vec::new();
    let mut found = Vec::new();
    for path in candidates(environment) {
        match Folder::existing(&path) {
            Ok(folder) => found.extend(folder),
            Err(problem) => problems.push(format!("{} is not looked into: {problem}", path.display())),
        }
    }
    (found, problems)
}

fn show(path: &Path) -> Option<Pending> {
    serde_json::from_str(&ask(path, "show\n")?).ok()
}

fn ask(path: &Path, request: &str) -> Option<String> {
    let mut stream = dial(path).ok().filter(is_ours)?;
    stream.set_nonblocking(false).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    stream.set_write_timeout(Some(PATIENCE)).ok()?;
    stream.write_all(request.as_bytes()).ok()?;
    let mut reply = String::new();
    stream.take(LONGEST).read_to_string(&mut reply).ok()?;
    reply.ends_with('\n').then_some(reply)
}
