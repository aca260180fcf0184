//! Lines of a pipe, in a buffer that is kept.

use std::io::Read;
use std::ops::Range;

use memchr::memchr;

use crate::Res;

pub(crate) struct Lines<R> {
    from: R,
    buffer: Vec<u8>,
    line: Range<usize>,
    /// What was read behind the line.
    rest: Range<usize>,
}

impl<R: Read> Lines<R> {
    pub(crate) fn new(from: R) -> Self {
        Self { from, buffer: vec![0; 1 << 20], line: 0..0, rest: 0..0 }
    }

    /// The line that was read last, without its line feed.
    pub(crate) fn line(&self) -> &[u8] {
        &self.buffer[self.line.clone()]
    }

    /// Reads the next one.
    pub(crate) fn advance(&mut self) -> Res<()> {
        if self.rest.is_empty() {
            self.rest = 0..0;
        }
        let mut seen = 0;
        loop {
            if let Some(at) = memchr(b'\n', &self.buffer[self.rest.start + seen..self.rest.end]) {
                self.line = self.rest.start..self.rest.start + seen + at;
                self.rest.start = self.line.end + 1;
                return Ok(());
            }
            seen = self.rest.len();
            if self.rest.end == self.buffer.len() {
                self.buffer.copy_within(self.rest.clone(), 0);
                self.rest = 0..seen;
                if seen * 2 > self.buffer.len() {
                    self.buffer.resize(self.buffer.len() * 2, 0);
                }
            }
            match self.from.read(&mut self.buffer[self.rest.end..]).map_err(|e| format!("read: {e}"))? {
                0 => return Err("the server closed its output".into()),
                count => self.rest.end += count,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives out a few bytes at a time.
    struct Drops<'a>(&'a [u8]);

    impl Read for Drops<'_> {
        fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
            let count = self.0.len().min(into.len()).min(70_000);
            into[..count].copy_from_slice(&self.0[..count]);
            self.0 = &self.0[count..];
            Ok(count)
        }
    }

    #[test]
    fn lines_come_whole_however_they_are_read_and_however_long_they_are() {
        let long = "x".repeat(3 << 20);
        let text = format!("a\n\n{long}\nb\n{long}\nrest");
        let mut lines = Lines::new(Drops(text.as_bytes()));
        for expected in ["a", "", &long, "b", &long] {
            lines.advance().unwrap();
            assert!(lines.line() == expected.as_bytes());
        }
        assert!(lines.advance().is_err());
    }
}
