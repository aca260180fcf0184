//! One JSON value in a stream, so that what follows it is not taken.
//!
//! Only as much of JSON is understood as is needed to find the end. Whoever reads the value checks it whole: if it is
//! JSON, the end that was found is its end.

use std::io::{self, BufRead, Read};

/// Reads a value up to the comma or the brace of the object that it is a member of, or to the end of the text.
pub(super) struct ValueReader<'s, S> {
    source: &'s mut S,
    /// The text ends with its line.
    in_a_line: bool,
    depth: usize,
    inside: Inside,
    ended: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    Structure,
    Text,
    /// Behind a backslash.
    Escape,
}

impl<'s, S: BufRead> ValueReader<'s, S> {
    pub(super) fn new(source: &'s mut S, in_a_line: bool) -> Self {
        Self { source, in_a_line, depth: 0, inside: Inside::Structure, ended: false }
    }

    /// Reads on to the end of the value and forgets it.
    pub(super) fn skip(mut self) -> io::Result<()> {
        let mut forgotten = vec![0; 1 << 16];
        while self.read(&mut forgotten)? > 0 {}
        Ok(())
    }

    /// How many of `bytes` belong to the value.
    fn measure(&mut self, bytes: &[u8]) -> usize {
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            if self.in_a_line && byte == b'\n' {
                break;
            }
            match (self.inside, byte) {
                (Inside::Structure, b'"') | (Inside::Escape, _) => self.inside = Inside::Text,
                (Inside::Structure, b'{' | b'[') => self.depth += 1,
                (Inside::Structure, b',' | b'}') if self.depth == 0 => break,
                (Inside::Structure, b'}' | b']') => self.depth = self.depth.saturating_sub(1),
                (Inside::Structure, _) => {}
                (Inside::Text, b'"') => self.inside = Inside::Structure,
                (Inside::Text, b'\\') => self.inside = Inside::Escape,
                // Most of a text is neither.
                (Inside::Text, _) => {
                    let rest = &bytes[at + 1..];
                    at += memchr::memchr3(b'"', b'\\', b'\n', rest).unwrap_or(rest.len());
                }
            }
            at += 1;
        }
        self.ended = at < bytes.len();
        at
    }
}

impl<S: BufRead> Read for ValueReader<'_, S> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.ended || buffer.is_empty() {
            return Ok(0);
        }
        let available = self.source.fill_buf()?;
        let most = available.len().min(buffer.len());
        buffer[..most].copy_from_slice(&available[..most]);
        let count = self.measure(&buffer[..most]);
        self.source.consume(count);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The value, and what is left behind it, however the source is cut.
    fn cut(text: &str, in_a_line: bool) -> (String, String) {
        let mut found = None;
        for size in 1..=text.len().max(1) {
            let mut source = io::BufReader::with_capacity(size, text.as_bytes());
            let mut value = String::new();
            ValueReader::new(&mut source, in_a_line).read_to_string(&mut value).expect("UTF-8");
            let mut rest = String::new();
            source.read_to_string(&mut rest).expect("UTF-8");
            let pair = (value, rest);
            assert_eq!(*found.get_or_insert_with(|| pair.clone()), pair, "cut at {size}");
        }
        found.expect("one cut at least")
    }

    #[test]
    fn a_value_ends_where_its_object_goes_on() {
        for (text, value) in [
            ("1}", "1"),
            ("1 , \"b\":2}", "1 "),
            (r#"{"a":[1,{"b":"}"}]},"#, r#"{"a":[1,{"b":"}"}]}"#),
            (r#""a\"},\\"}"#, r#""a\"},\\""#),
            ("[1,2", "[1,2"),
            ("", ""),
            ("]]}", "]]"),
            ("{\n}\n}", "{\n}\n"),
        ] {
            assert_eq!(cut(text, false), (value.to_owned(), text[value.len()..].to_owned()), "{text}");
        }
    }

    #[test]
    fn a_value_in_a_line_ends_with_it() {
        assert_eq!(cut("{\"a\":\n1}}", true), ("{\"a\":".to_owned(), "\n1}}".to_owned()));
        assert_eq!(cut("\"a\nb\"", true), ("\"a".to_owned(), "\nb\"".to_owned()));
    }
}
