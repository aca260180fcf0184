//! Where frames go: a descriptor that can be polled and never blocks, without changing a description that others share.

use std::fs::File;
use std::io::{self, IoSlice, Read, Write};
use std::net::Shutdown;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{FileType, OFlags, fstat};
use rustix::net::{SendAncillaryBuffer, SendFlags};

use super::input::reopen;

pub(crate) enum Output {
    /// A pipe of our own description.
    Pipe(File),
    Socket(OwnedFd),
    /// A socket that a thread empties into a file or a terminal; the channel ends when all is written.
    Thread(UnixStream, Mutex<mpsc::Receiver<()>>),
}

impl Output {
    /// Pipes are opened anew, sockets are written with a flag; for anything else, and where that fails, a thread writes.
    pub(crate) fn open(descriptor: OwnedFd) -> io::Result<Self> {
        match FileType::from_raw_mode(fstat(&descriptor)?.st_mode) {
            FileType::Socket => Ok(Self::Socket(descriptor)),
            FileType::Fifo => match reopen(&descriptor, OFlags::WRONLY) {
                Ok(own) => Ok(Self::Pipe(own)),
                Err(_) => Self::through_a_thread(descriptor),
            },
            _ => Self::through_a_thread(descriptor),
        }
    }

    fn through_a_thread(descriptor: OwnedFd) -> io::Result<Self> {
        let (reader, writer) = UnixStream::pair()?;
        writer.set_nonblocking(true)?;
        let (done, written) = mpsc::channel();
        thread::Builder::new().name("output".to_owned()).spawn(move || {
            // When it ends early the reader is dropped, which the writing side notices as a hang-up.
            let _ = pump(&reader, &File::from(descriptor));
            drop(reader);
            drop(done);
        })?;
        Ok(Self::Thread(writer, Mutex::new(written)))
    }

    /// Writes what is taken now of these, in order; `WouldBlock` means nothing, `BrokenPipe` that nobody reads.
    pub(crate) fn write(&self, pieces: &[IoSlice<'_>]) -> io::Result<usize> {
        match self {
            Self::Pipe(pipe) => {
                let mut pipe = pipe;
                pipe.write_vectored(pieces)
            }
            Self::Thread(socket, _) => {
                let mut socket = socket;
                socket.write_vectored(pieces)
            }
            Self::Socket(socket) => {
                let flags = SendFlags::DONTWAIT | SendFlags::NOSIGNAL;
                Ok(rustix::net::sendmsg(socket, pieces, &mut SendAncillaryBuffer::default(), flags)?)
            }
        }
    }

    /// Ends the stream and waits until a thread behind has written everything, at most so long; whether it has.
    pub(crate) fn finish(&self, patience: Duration) -> bool {
        let Self::Thread(socket, written) = self else { return true };
        let written = written.lock().unwrap_or_else(PoisonError::into_inner);
        socket.shutdown(Shutdown::Write).is_ok()
            && written.recv_timeout(patience) == Err(mpsc::RecvTimeoutError::Disconnected)
    }
}

/// Copies until the end of `from`, or until nobody reads `to`, also while there is nothing to copy.
fn pump(mut from: &UnixStream, mut to: &File) -> io::Result<()> {
    let mut bytes = vec![0; 1 << 16];
    loop {
        let mut wanted = [PollFd::new(from, PollFlags::IN), PollFd::new(to, PollFlags::empty())];
        match poll(&mut wanted, None) {
            Ok(_) if !wanted[1].revents().is_empty() => return Err(io::ErrorKind::BrokenPipe.into()),
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        match from.read(&mut bytes)? {
            0 => return Ok(()),
            count => to.write_all(&bytes[..count])?,
        }
    }
}

impl AsFd for Output {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Pipe(pipe) => pipe.as_fd(),
            Self::Thread(socket, _) => socket.as_fd(),
            Self::Socket(socket) => socket.as_fd(),
        }
    }
}
