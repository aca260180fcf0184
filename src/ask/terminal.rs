//! `ask = "terminal"`: the prompt waits in a socket of a private folder, where this user reads and answers it from any
//! terminal with `pending`, `allow` and `deny`.
//!
//! Trust boundary: whoever has a process of this user can answer. Other users cannot: the folder is this user's alone,
//! and the peer's user is checked as well.

pub(crate) mod desk;
mod folder;
mod socket;
mod visitor;

use std::path::PathBuf;

use crate::environment::Environment;
use crate::gate::Stop;

use super::{Open, Prompt, Told, on_a_thread};
use folder::{Folder, candidates};
use socket::Listening;
use visitor::{Posted, hold};

/// The length of a socket's name and what is around it, in the 104 bytes that a path may have everywhere.
const NAME: usize = 34;
const LONGEST_PATH: usize = 103;

pub(crate) struct Terminal {
    folder: PathBuf,
    /// A person waits for the call: say how to answer.
    announce: bool,
}

impl Terminal {
    /// Looks for the folder, and makes nothing.
    pub(super) fn new(environment: &Environment, announce: bool) -> Result<Self, String> {
        let Some(folder) = candidates(environment).into_iter().next() else {
            return Err("there is no folder for prompts".to_owned());
        };
        if folder.as_os_str().len() + NAME > LONGEST_PATH {
            return Err(format!("the path of {} is too long for a socket; set a shorter TMPDIR", folder.display()));
        }
        Folder::look(&folder).map_err(|problem| format!("{}: {problem}", folder.display()))?;
        Ok(Self { folder, announce })
    }

    pub(super) async fn ask(&self, prompt: &Prompt, stop: &Stop) -> Told {
        let id = &*prompt.id;
        let listening = match Folder::open(&self.folder).and_then(|folder| Listening::open(&folder, id)) {
            Ok(listening) => listening,
            Err(problem) => {
                tracing::warn!(target: "opgate::ask", folder = %self.folder.display(), problem);
                return Told::Failed("the socket for the prompt could not be made");
            }
        };
        if self.announce {
            tracing::warn!(target: "opgate::ask", "a question waits; see it with `pending`, answer it with `allow {id}` or `deny {id}`");
        }
        let posted = Posted::new(prompt);
        on_a_thread(stop, prompt.timeout, move |open: &Open| hold(&listening, &posted, open)).await
    }
}
