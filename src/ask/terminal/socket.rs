//! Sockets of open prompts: named by the prompt's id, gone with it, and swept where their process was killed.

use std::fs::{self, DirEntry};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::net::{AddressFamily, SocketAddrUnix, SocketType, connect};

use super::folder::Folder;

/// A socket that is being made is not swept while it is younger than this.
const BEING_MADE: Duration = Duration::from_secs(10);

/// The socket of one prompt. Dropping it removes it.
pub(super) struct Listening {
    pub(super) listener: UnixListener,
    path: PathBuf,
}

impl Listening {
    pub(super) fn open(folder: &Folder, id: &str) -> Result<Self, String> {
        sweep(folder);
        let path = folder.0.join(id);
        let before = folder.0.join(format!(".{id}"));
        let made = || {
            // A socket that does not listen yet looks like one whose process is gone: it gets its name when it does.
            let mut listening = Self { listener: UnixListener::bind(&before)?, path: before.clone() };
            listening.listener.set_nonblocking(true)?;
            fs::rename(&before, &path)?;
            listening.path = path;
            Ok(listening)
        };
        made().map_err(|error: io::Error| error.to_string())
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        // Another process may have swept it.
        let _ = fs::remove_file(&self.path);
    }
}

/// Removes what killed processes left.
pub(super) fn sweep(folder: &Folder) {
    for entry in entries(folder) {
        let being_made = entry.file_name().to_string_lossy().starts_with('.')
            && entry.metadata().and_then(|metadata| metadata.modified()).is_ok_and(|made| {
                // A clock that went back counts as young.
                made.elapsed().map_or(true, |age| age < BEING_MADE)
            });
        if !being_made && is_stale(&entry.path()) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// The ids of the prompts that are open.
pub(super) fn ids(folder: &Folder) -> Vec<String> {
    let names = entries(folder).filter_map(|entry| entry.file_name().into_string().ok());
    names.filter(|name| is_id(name)).collect()
}

/// Whether `text` could be the name of a socket: nothing else is ever looked up.
pub(super) fn is_id(text: &str) -> bool {
    text.len() == 32 && is_hexadecimal(text)
}

/// Whether `text` is so much of an id that a person means one by it.
pub(super) fn may_begin_an_id(text: &str) -> bool {
    (6..32).contains(&text.len()) && is_hexadecimal(text)
}

fn is_hexadecimal(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

fn entries(folder: &Folder) -> impl Iterator<Item = DirEntry> {
    let entries = fs::read_dir(&folder.0).into_iter().flatten().flatten();
    entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_socket())).take(1000)
}

fn is_stale(path: &Path) -> bool {
    dial(path).is_err_and(|error| error.kind() == io::ErrorKind::ConnectionRefused)
}

/// Connects without waiting, also where nobody accepts.
pub(super) fn dial(path: &Path) -> io::Result<UnixStream> {
    let socket = unconnected()?;
    connect(&socket, &SocketAddrUnix::new(path)?)?;
    Ok(socket.into())
}

#[cfg(target_os = "linux")]
fn unconnected() -> io::Result<OwnedFd> {
    use rustix::net::{SocketFlags, socket_with};
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    Ok(socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?)
}

#[cfg(not(target_os = "linux"))]
fn unconnected() -> io::Result<OwnedFd> {
    let socket = rustix::net::socket(AddressFamily::UNIX, SocketType::STREAM, None)?;
    rustix::io::fcntl_setfd(&socket, rustix::io::FdFlags::CLOEXEC)?;
    rustix::io::ioctl_fionbio(&socket, true)?;
    Ok(socket)
}

/// Whether the other end is a process of this very user.
pub(super) fn is_ours(peer: &impl AsFd) -> bool {
    uid_of(peer).is_some_and(|user| user == rustix::process::getuid().as_raw())
}

#[cfg(target_os = "linux")]
fn uid_of(peer: &impl AsFd) -> Option<u32> {
    rustix::net::sockopt::socket_peercred(peer).ok().map(|peer| peer.uid.as_raw())
}

#[cfg(not(target_os = "linux"))]
fn uid_of(peer: &impl AsFd) -> Option<u32> {
    nix::unistd::getpeereid(peer).ok().map(|(user, _)| user.as_raw())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_socket_goes_with_its_prompt_and_a_stale_one_is_swept() {
        let parent = tempfile::tempdir().expect("a folder");
        let folder = Folder::open(&parent.path().join("opgate")).expect("a folder");
        let id = "0123456789abcdef0123456789abcdef";
        let listening = Listening::open(&folder, id).expect("a socket");
        assert_eq!(ids(&folder), [id]);
        sweep(&folder);
        assert_eq!(ids(&folder), [id], "somebody listens");
        drop(listening);
        assert_eq!(fs::read_dir(&folder.0).expect("a folder").count(), 0);
        // As a killed process leaves it.
        drop(UnixListener::bind(folder.0.join(id)).expect("a socket"));
        drop(UnixListener::bind(folder.0.join(".young")).expect("a socket"));
        sweep(&folder);
        let left: Vec<_> =
            fs::read_dir(&folder.0).expect("a folder").flatten().map(|entry| entry.file_name()).collect();
        assert_eq!(left, [".young"]);
    }

    #[test]
    fn names_that_are_no_ids_are_never_looked_up() {
        assert!(is_id("0123456789abcdef0123456789abcdef"));
        for name in
            ["", "../../etc/passwd", "0123456789ABCDEF0123456789ABCDEF", "0123", ".123456789abcdef0123456789abcdef"]
        {
            assert!(!is_id(name), "{name}");
        }
    }
}
