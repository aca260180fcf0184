//! `try --frames`: the frames of a session as they pass, for people.

use std::io::{self, Write as _};
use std::pin::Pin;
use std::task::{Context, Poll};

use redact_json::Rules;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// A stream whose lines are shown on standard error, behind a mark, as soon as they are whole.
pub(super) struct Frames<S> {
    stream: S,
    /// `None`: nothing is shown.
    mark: Option<&'static str>,
    begun: Vec<u8>,
    rules: Rules,
}

impl<S> Frames<S> {
    pub(super) fn new(stream: S, mark: Option<&'static str>) -> Self {
        Self { stream, mark, begun: Vec::new(), rules: Rules::default() }
    }

    fn show(&mut self, bytes: &[u8]) {
        let Some(mark) = self.mark else { return };
        self.begun.extend_from_slice(bytes);
        while let Some(end) = memchr::memchr(b'\n', &self.begun) {
            let line = String::from_utf8_lossy(&self.begun[..end]);
            let shown = format!("{mark} {}\n", redact_json::redact_text(&line, &self.rules));
            // Nobody may be reading it.
            let _ = io::stderr().write_all(shown.as_bytes());
            self.begun.drain(..=end);
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Frames<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let result = Pin::new(&mut self.stream).poll_read(context, buffer);
        if matches!(result, Poll::Ready(Ok(()))) {
            let read = buffer.filled()[before..].to_vec();
            self.show(&read);
        }
        result
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Frames<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let result = Pin::new(&mut self.stream).poll_write(context, bytes);
        if let Poll::Ready(Ok(count)) = &result {
            self.show(&bytes[..*count]);
        }
        result
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
