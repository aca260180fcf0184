//! `[pins.files]`: files whose content a reviewer has seen. They are looked at again before each start of a program,
//! also of one that is asked.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::refusal::{Place, Refusal};
use super::section::Section;
use super::text::resolve;
use crate::key::hex;

const PREFIX: &str = "sha256:";

#[derive(Clone, Debug, Default)]
pub(crate) struct PinnedFiles(Vec<Pinned>);

#[derive(Clone, Debug)]
struct Pinned {
    /// As the launch file names it.
    name: String,
    path: PathBuf,
    digest: String,
    place: Place,
}

impl PinnedFiles {
    /// Reads `[pins.files]`, whose paths stand against the launch file.
    pub(super) fn read(launch: &Path, pins: &Section<'_, '_>) -> Result<Self, Refusal> {
        let mut pinned = Vec::new();
        for (name, value) in pins.entries("files")?.unwrap_or_default() {
            let (name, place) = (name.get_ref().to_string(), pins.source.place(value.span()));
            let digest = value.get_ref().as_str().filter(|digest| is_digest(digest)).ok_or_else(|| {
                Refusal::new("expected \"sha256:\" and 64 hexadecimal digits")
                    .at(place.clone())
                    .entry(format!("pins.files.{name:?}"))
                    .advice("write what `sha256sum FILE` prints, behind \"sha256:\"")
            })?;
            let digest = digest.to_ascii_lowercase();
            pinned.push(Pinned { path: resolve(launch, &name), name, digest, place });
        }
        Ok(Self(pinned))
    }

    pub(crate) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.0.iter().map(|pinned| pinned.path.as_path())
    }

    /// Refuses the launch for the first file that differs.
    pub(crate) fn refuse_changed(&self) -> Result<(), Refusal> {
        let Some((pinned, found)) = self.changed() else { return Ok(()) };
        let refusal =
            Refusal::new(found.problem()).at(pinned.place.clone()).entry(format!("pins.files.{:?}", pinned.name));
        Err(match found {
            Found::Other(digest) => refusal.advice(format!("look at what changed; then write {digest:?}")),
            Found::Unreadable(_) => refusal,
        })
    }

    /// What differs, for the log.
    pub(crate) fn check(&self) -> Result<(), String> {
        match self.changed() {
            None => Ok(()),
            Some((pinned, found)) => Err(format!("the pinned file {:?}: {}", pinned.name, found.problem())),
        }
    }

    fn changed(&self) -> Option<(&Pinned, Found)> {
        self.0.iter().find_map(|pinned| match digest(&pinned.path) {
            Ok(digest) if digest == pinned.digest => None,
            Ok(digest) => Some((pinned, Found::Other(digest))),
            Err(error) => Some((pinned, Found::Unreadable(error.kind()))),
        })
    }
}

/// What was found in place of what was pinned.
enum Found {
    Other(String),
    Unreadable(std::io::ErrorKind),
}

impl Found {
    fn problem(&self) -> String {
        match self {
            Self::Other(_) => "its content is not what was pinned".to_owned(),
            Self::Unreadable(kind) => format!("it cannot be read ({kind})"),
        }
    }
}

fn is_digest(text: &str) -> bool {
    text.strip_prefix(PREFIX).is_some_and(|hex| hex.len() == 64 && hex.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

fn digest(path: &Path) -> std::io::Result<String> {
    // Opening a pipe would wait for its writer.
    if !std::fs::metadata(path)?.is_file() {
        return Err(std::io::ErrorKind::InvalidInput.into());
    }
    let (mut file, mut hasher, mut chunk) = (File::open(path)?, Sha256::new(), vec![0; 1 << 16]);
    loop {
        match file.read(&mut chunk) {
            Ok(0) => break,
            Ok(count) => hasher.update(&chunk[..count]),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(format!("{PREFIX}{}", hex(&hasher.finalize())))
}
