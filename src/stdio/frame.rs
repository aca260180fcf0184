//! Cuts the input into lines, bounded whatever arrives and however it is cut into reads.

use memchr::memchr;

use super::recover::Recover;

/// One line of the input.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line<'l> {
    /// Without its line ending and, at the start of the stream, a byte order mark. Not blank.
    Whole(&'l [u8]),
    /// Longer than the limit; its bytes were discarded. With the JSON text of its id, if that is certain.
    TooLong(Option<String>),
}

pub(crate) struct Frames {
    limit: usize,
    /// The beginning of a line whose end has not arrived.
    begun: Vec<u8>,
    /// `begun` was handed on.
    handed_on: bool,
    /// The line is too long: its bytes are looked at for an id and discarded.
    discarding: Option<Recover>,
    /// No line has ended yet.
    start: bool,
}

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

impl Frames {
    /// `limit` is in bytes, for one line without its line ending.
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit, begun: Vec::new(), handed_on: false, discarding: None, start: true }
    }

    /// Takes the next line out of what was read. `None` if none ends there; then everything was taken.
    pub(crate) fn next(&mut self, bytes: &mut &[u8]) -> Option<Line<'_>> {
        self.forget();
        while let Some(end) = memchr(b'\n', bytes) {
            self.keep(&bytes[..end]);
            *bytes = &bytes[end + 1..];
            if !self.is_blank() {
                return self.end();
            }
            self.start = false;
            self.begun.clear();
        }
        self.keep(bytes);
        *bytes = &[];
        None
    }

    /// The end of the input: a last line without its line feed is a line.
    pub(crate) fn finish(&mut self) -> Option<Line<'_>> {
        self.forget();
        self.end()
    }

    /// What was handed on the last time is no longer needed.
    fn forget(&mut self) {
        if std::mem::take(&mut self.handed_on) {
            self.begun.clear();
        }
    }

    fn is_blank(&self) -> bool {
        self.discarding.is_none() && line(&self.begun, self.limit, self.start).is_none()
    }

    fn end(&mut self) -> Option<Line<'_>> {
        let start = std::mem::take(&mut self.start);
        if let Some(recover) = self.discarding.take() {
            return Some(Line::TooLong(recover.id()));
        }
        self.handed_on = true;
        line(&self.begun, self.limit, start)
    }

    /// Keeps the beginning of a line, as long as the line may still be within the limit.
    fn keep(&mut self, bytes: &[u8]) {
        if let Some(recover) = &mut self.discarding {
            return recover.feed(bytes);
        }
        self.begun.extend_from_slice(bytes);
        // A carriage return and a byte order mark do not count.
        if self.begun.len() > self.limit + 1 + BYTE_ORDER_MARK.len() {
            let begun = std::mem::take(&mut self.begun);
            let mut recover = Recover::default();
            recover.feed(without_mark(&begun, std::mem::take(&mut self.start)));
            self.discarding = Some(recover);
        }
    }
}

/// A whole line as it came, unless it is blank.
fn line(bytes: &[u8], limit: usize, start: bool) -> Option<Line<'_>> {
    let bytes = without_mark(bytes.strip_suffix(b"\r").unwrap_or(bytes), start);
    if bytes.len() > limit {
        let mut recover = Recover::default();
        recover.feed(bytes);
        return Some(Line::TooLong(recover.id()));
    }
    (!bytes.trim_ascii().is_empty()).then_some(Line::Whole(bytes))
}

/// The first line of the stream without its byte order mark; every other line as it is.
fn without_mark(line: &[u8], start: bool) -> &[u8] {
    if start { line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line) } else { line }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every line of `input`, fed in chunks of `chunk` bytes.
    fn lines(input: &[u8], limit: usize, chunk: usize) -> Vec<String> {
        let mut frames = Frames::new(limit);
        let mut found = Vec::new();
        let mut note = |line: Line<'_>| {
            found.push(match line {
                Line::Whole(bytes) => String::from_utf8_lossy(bytes).into_owned(),
                Line::TooLong(id) => format!("<too long {}>", id.unwrap_or_default()),
            });
        };
        for mut bytes in input.chunks(chunk) {
            while let Some(line) = frames.next(&mut bytes) {
                note(line);
            }
        }
        frames.finish().map(note);
        found
    }

    #[test]
    fn lines_are_the_same_however_the_input_is_cut() {
        let input = b"\xef\xbb\xbfone\r\n\n \r\n12345678\n123456789\n\xef\xbb\xbf\nlast";
        let expected = ["one", "12345678", "<too long >", "\u{feff}", "last"];
        for chunk in 1..=input.len() {
            assert_eq!(lines(input, 8, chunk), expected, "chunks of {chunk}");
        }
    }

    #[test]
    fn the_limit_is_met_exactly_with_a_byte_order_mark_and_a_carriage_return() {
        for chunk in 1..12 {
            assert_eq!(lines(b"\xef\xbb\xbf12345678\r\n", 8, chunk), ["12345678"]);
            assert_eq!(lines(b"\xef\xbb\xbf123456789\n", 8, chunk), ["<too long >"]);
            assert_eq!(lines(b"123456789\r", 8, chunk), ["<too long >"]);
        }
    }

    #[test]
    fn the_id_of_a_line_that_is_too_long_is_found_however_it_is_cut() {
        let input = b"\xef\xbb\xbf{\"method\":\"x\",\"id\":\"a\"}\n{\"id\":17,\"method\":\"x\"}\r\n";
        for chunk in 1..=input.len() {
            assert_eq!(lines(input, 8, chunk), ["<too long \"a\">", "<too long 17>"], "chunks of {chunk}");
        }
    }

    #[test]
    fn a_line_that_is_too_long_is_not_kept() {
        let mut frames = Frames::new(8);
        for _ in 0..1000 {
            assert_eq!(frames.next(&mut &[b'x'; 1000][..]), None);
            assert!(frames.begun.capacity() <= 16);
        }
    }
}
