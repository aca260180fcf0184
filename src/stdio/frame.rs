//! Cuts the input into lines, bounded whatever arrives and however it is cut into reads.

use memchr::memchr;

/// One line of the input.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line<'l> {
    /// Without its line ending and, at the start of the stream, a byte order mark. Not blank.
    Whole(&'l [u8]),
    /// Longer than the limit; its bytes were discarded.
    TooLong,
}

pub(crate) struct Frames {
    limit: usize,
    /// The beginning of a line whose end has not arrived.
    begun: Vec<u8>,
    /// The rest of the line is discarded.
    discarding: bool,
    /// Nothing has been read yet.
    start: bool,
}

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

impl Frames {
    /// `limit` is in bytes, for one line without its line ending.
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit, begun: Vec::new(), discarding: false, start: true }
    }

    /// Takes what was read and hands on every line that ends in it.
    pub(crate) fn feed(&mut self, mut bytes: &[u8], mut line: impl FnMut(Line<'_>)) {
        while let Some(end) = memchr(b'\n', bytes) {
            let (head, tail) = (&bytes[..end], &bytes[end + 1..]);
            bytes = tail;
            if self.begun.is_empty() && !self.discarding {
                self.hand_on(head, &mut line);
            } else {
                self.keep(head);
                self.end_line(&mut line);
            }
        }
        self.keep(bytes);
    }

    /// The end of the input: a last line without its line feed is a line.
    pub(crate) fn finish(&mut self, mut line: impl FnMut(Line<'_>)) {
        if !self.begun.is_empty() || self.discarding {
            self.end_line(&mut line);
        }
    }

    fn end_line(&mut self, line: &mut impl FnMut(Line<'_>)) {
        if std::mem::take(&mut self.discarding) {
            self.start = false;
            self.begun.clear();
            return line(Line::TooLong);
        }
        let begun = std::mem::take(&mut self.begun);
        self.hand_on(&begun, line);
    }

    /// Keeps the beginning of a line, as long as the line may still be within the limit.
    fn keep(&mut self, bytes: &[u8]) {
        if self.discarding {
            return;
        }
        // A carriage return and a byte order mark do not count.
        let room = self.limit + 1 + if self.start { BYTE_ORDER_MARK.len() } else { 0 };
        if self.begun.len() + bytes.len() > room {
            self.discarding = true;
            self.begun = Vec::new();
        } else {
            self.begun.extend_from_slice(bytes);
        }
    }

    fn hand_on(&mut self, bytes: &[u8], line: &mut impl FnMut(Line<'_>)) {
        let mut bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        if std::mem::take(&mut self.start) {
            bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
        }
        if bytes.len() > self.limit {
            line(Line::TooLong);
        } else if !bytes.trim_ascii().is_empty() {
            line(Line::Whole(bytes));
        }
    }
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
                Line::TooLong => "<too long>".to_owned(),
            });
        };
        for bytes in input.chunks(chunk) {
            frames.feed(bytes, &mut note);
        }
        frames.finish(&mut note);
        found
    }

    #[test]
    fn lines_are_the_same_however_the_input_is_cut() {
        let input = b"\xef\xbb\xbfone\r\n\n \r\n12345678\n123456789\n\xef\xbb\xbf\nlast";
        let expected = ["one", "12345678", "<too long>", "\u{feff}", "last"];
        for chunk in 1..=input.len() {
            assert_eq!(lines(input, 8, chunk), expected, "chunks of {chunk}");
        }
    }

    #[test]
    fn the_limit_is_met_exactly_with_a_byte_order_mark_and_a_carriage_return() {
        for chunk in 1..12 {
            assert_eq!(lines(b"\xef\xbb\xbf12345678\r\n", 8, chunk), ["12345678"]);
            assert_eq!(lines(b"\xef\xbb\xbf123456789\n", 8, chunk), ["<too long>"]);
            assert_eq!(lines(b"123456789\r", 8, chunk), ["<too long>"]);
        }
    }

    #[test]
    fn a_line_that_is_too_long_is_not_kept() {
        let mut frames = Frames::new(8);
        for _ in 0..1000 {
            frames.feed(&[b'x'; 1000], |_| panic!("no line ended"));
            assert!(frames.begun.capacity() <= 16);
        }
    }
}
