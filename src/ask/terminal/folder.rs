//! The folder that holds one user's open prompts: owned by that user, closed to everybody else, and no link.

use std::fs::{DirBuilder, File, Metadata};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};

use crate::environment::Environment;

pub(super) struct Folder(pub(super) PathBuf);

/// The folders where this user's prompts can be, the one that new prompts go to first.
pub(super) fn candidates(environment: &Environment) -> Vec<PathBuf> {
    let user = rustix::process::getuid().as_raw();
    let mut found = Vec::new();
    let session = PathBuf::from(format!("/run/user/{user}"));
    if is_private(&session).is_ok() {
        found.push(session.join("opgate"));
    }
    let temporary = environment.get("TMPDIR").filter(|folder| folder.starts_with('/')).unwrap_or("/tmp");
    for parent in [temporary, "/tmp"] {
        let folder = Path::new(parent).join(format!("opgate-{user}"));
        if !found.contains(&folder) {
            found.push(folder);
        }
    }
    found
}

impl Folder {
    /// Says what is wrong with the folder, if it is there; makes nothing.
    pub(super) fn look(path: &Path) -> Result<(), String> {
        let parent = path.parent().unwrap_or(path);
        check_parent(parent)?;
        match is_private(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            result => result.map_err(|error| error.to_string()),
        }
    }

    /// The folder, made if it is not there.
    pub(super) fn open(path: &Path) -> Result<Self, String> {
        Self::look(path)?;
        match DirBuilder::new().mode(0o700).create(path) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error.to_string()),
            _ => {}
        }
        is_private(path).map_err(|error| error.to_string())?;
        Ok(Self(path.to_owned()))
    }

    /// The folder, if it is there and right.
    pub(super) fn existing(path: &Path) -> Result<Option<Self>, String> {
        match is_private(path) {
            Ok(()) => check_parent(path.parent().unwrap_or(path)).map(|()| Some(Self(path.to_owned()))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error.to_string()),
        }
    }
}

/// Others must not be able to put another folder in its place.
fn check_parent(parent: &Path) -> Result<(), String> {
    let metadata = std::fs::metadata(parent).map_err(|error| error.to_string())?;
    let (mode, user) = (metadata.mode(), rustix::process::getuid().as_raw());
    let owners = metadata.uid() == user || metadata.uid() == 0;
    if !owners || (mode & 0o022 != 0 && mode & 0o1000 == 0) {
        return Err(format!("others can replace it, as they can write to {}", parent.display()));
    }
    Ok(())
}

fn is_private(path: &Path) -> io::Result<()> {
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::RDONLY;
    let folder: File = match rustix::fs::open(path, flags, Mode::empty()) {
        Ok(folder) => folder.into(),
        Err(rustix::io::Errno::LOOP | rustix::io::Errno::NOTDIR) => {
            return Err(io::Error::other("it is a link, or no folder"));
        }
        Err(error) => return Err(error.into()),
    };
    judge(&folder.metadata()?, rustix::process::getuid().as_raw())
}

fn judge(metadata: &Metadata, user: u32) -> io::Result<()> {
    if metadata.uid() != user {
        return Err(io::Error::other("it belongs to another user"));
    }
    if metadata.mode() & 0o077 != 0 {
        return Err(io::Error::other("others may enter it; its mode must be 0700"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn only_a_private_folder_of_this_user_is_used() {
        let parent = tempfile::tempdir().expect("a folder");
        let path = parent.path().join("opgate");
        assert!(Folder::look(&path).is_ok() && !path.exists(), "looking makes nothing");
        assert!(Folder::existing(&path).is_ok_and(|folder| folder.is_none()));
        assert!(Folder::open(&path).is_ok());
        assert_eq!(path.metadata().expect("made").mode() & 0o7777, 0o700);
        assert!(Folder::open(&path).is_ok(), "a second time");
        for mode in [0o701, 0o710, 0o750, 0o777] {
            std::fs::set_permissions(&path, Permissions::from_mode(mode)).expect("our own");
            assert!(Folder::open(&path).is_err() && Folder::existing(&path).is_err(), "{mode:o}");
        }
        let link = parent.path().join("link");
        std::fs::set_permissions(&path, Permissions::from_mode(0o700)).expect("our own");
        symlink(&path, &link).expect("a link");
        assert!(Folder::open(&link).is_err() && Folder::look(&link).is_err());
        let file = parent.path().join("file");
        std::fs::write(&file, "").expect("a file");
        assert!(Folder::open(&file).is_err());
        assert!(judge(&path.metadata().expect("there"), rustix::process::getuid().as_raw() + 1).is_err());
        std::fs::set_permissions(parent.path(), Permissions::from_mode(0o777)).expect("our own");
        assert!(Folder::open(&path).is_err(), "others could replace it");
        std::fs::set_permissions(parent.path(), Permissions::from_mode(0o1777)).expect("our own");
        assert!(Folder::open(&path).is_ok(), "as in /tmp");
    }
}
