//! Where frames come from: a descriptor that can be polled and never blocks, without changing a description that others
//! share.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::thread;

use rustix::fs::{FileType, Mode, OFlags, fstat};
use rustix::net::RecvFlags;

pub(crate) enum Input {
    /// A pipe of our own description, or one that a thread fills.
    Pipe(File),
    Socket(OwnedFd),
}

impl Input {
    /// Pipes are opened anew, sockets are read with a flag; for anything else, and where that fails, a thread reads.
    pub(crate) fn open(descriptor: OwnedFd) -> io::Result<Self> {
        match FileType::from_raw_mode(fstat(&descriptor)?.st_mode) {
            FileType::Socket => Ok(Self::Socket(descriptor)),
            FileType::Fifo => match reopen(&descriptor, OFlags::RDONLY) {
                Ok(own) => Ok(Self::Pipe(own)),
                Err(_) => Self::through_a_thread(descriptor),
            },
            _ => Self::through_a_thread(descriptor),
        }
    }

    fn through_a_thread(descriptor: OwnedFd) -> io::Result<Self> {
        let (reader, mut writer) = io::pipe()?;
        rustix::io::ioctl_fionbio(&reader, true)?;
        thread::Builder::new().name("input".to_owned()).spawn(move || {
            // By hand: io::copy may splice, which locks a pipe that the host writes to. The end of either side ends the
            // copy, and dropping the writer passes the end of file on.
            let (mut from, mut bytes) = (File::from(descriptor), vec![0; 1 << 16]);
            while let Ok(count @ 1..) = from.read(&mut bytes) {
                if writer.write_all(&bytes[..count]).is_err() {
                    break;
                }
            }
        })?;
        Ok(Self::Pipe(File::from(OwnedFd::from(reader))))
    }

    /// Reads what is there. 0 is end of file; `WouldBlock` means that nothing is there.
    pub(crate) fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        let result = match self {
            Self::Pipe(pipe) => {
                let mut pipe = pipe;
                pipe.read(buffer)
            }
            Self::Socket(socket) => {
                rustix::net::recv(socket, buffer, RecvFlags::DONTWAIT).map(|(count, _)| count).map_err(Into::into)
            }
        };
        match result {
            // The other side died with unread answers: nothing more will come.
            Err(error) if error.kind() == io::ErrorKind::ConnectionReset => Ok(0),
            other => other,
        }
    }
}

impl AsFd for Input {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Pipe(pipe) => pipe.as_fd(),
            Self::Socket(socket) => socket.as_fd(),
        }
    }
}

/// The same pipe behind a description of our own, which may be non-blocking.
pub(super) fn reopen(descriptor: &OwnedFd, access: OFlags) -> io::Result<File> {
    let path = format!("/proc/self/fd/{}", descriptor.as_raw_fd());
    let own = rustix::fs::open(path, access | OFlags::NONBLOCK | OFlags::CLOEXEC, Mode::empty())?;
    // A mounted fake of /proc must not lead elsewhere.
    let (theirs, ours) = (fstat(descriptor)?, fstat(&own)?);
    if (theirs.st_dev, theirs.st_ino) != (ours.st_dev, ours.st_ino) {
        return Err(io::Error::other("reopened another file"));
    }
    Ok(File::from(own))
}
