//! Finds the id of a request in a line that cannot be used: too long to keep, or no JSON that means one thing.
//!
//! Streaming and in constant memory. It looks only at brackets, strings and the members of the root, and gives an id
//! only if that is certain: exactly one at the top level of an object that was read to its end, with a method and
//! without a result or an error.

use std::fmt;

use memchr::memchr2;

/// The longest raw text of an id that is kept: 256 bytes, each escaped as `\u00xx`, and the quotes.
const LONGEST_ID: usize = 256 * 6 + 2;
/// The longest raw text of a key that matters: `method`, each letter escaped, and the quotes.
const LONGEST_KEY: usize = 6 * 6 + 2;

#[derive(Clone, Debug, Default)]
pub(crate) struct Recover {
    at: At,
    /// How far the value of the root member that is being read has come.
    value: Progress,
    /// Open brackets, the root's included.
    depth: usize,
    /// For each open bracket whether it is a brace, a bit each.
    braces: Braces,
    in_string: bool,
    escaped: bool,
    /// The raw text of the key or of the id's value that is being read.
    text: Vec<u8>,
    /// The key of the member that is being read is `id`.
    is_id: bool,
    id: Option<Vec<u8>>,
    ids: usize,
    methods: usize,
    answers: usize,
}

/// More levels than anybody nests; a deeper line gives no id.
const DEEPEST: usize = 1 << 12;

#[derive(Clone)]
struct Braces(Box<[u64; DEEPEST / 64]>);

impl Default for Braces {
    fn default() -> Self {
        Self(Box::new([0; DEEPEST / 64]))
    }
}

impl fmt::Debug for Braces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Braces")
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Progress {
    #[default]
    Nothing,
    /// In a number or a word, which white space ends.
    Begun,
    Done,
}

/// Where in the root the next byte is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum At {
    #[default]
    Before,
    Key,
    Value,
    After,
    /// Nothing can be certain any more.
    Lost,
}

impl Recover {
    pub(crate) fn feed(&mut self, mut bytes: &[u8]) {
        while let Some((byte, rest)) = bytes.split_first() {
            if self.at == At::Lost {
                return;
            }
            self.byte(*byte);
            bytes = rest;
            if self.in_string && !self.escaped && self.bound().is_none() {
                // Nothing in a text that is not kept matters but its end.
                bytes = &bytes[memchr2(b'"', b'\\', bytes).unwrap_or(bytes.len())..];
            }
        }
    }

    /// The id's JSON text, at the end of the line.
    pub(crate) fn id(self) -> Option<String> {
        let certain = self.at == At::After && self.ids == 1 && self.methods == 1 && self.answers == 0;
        self.id.filter(|_| certain).and_then(|id| String::from_utf8(id).ok())
    }

    fn byte(&mut self, byte: u8) {
        if self.in_string {
            return self.in_string(byte);
        }
        match (byte, self.at, self.depth) {
            (b' ' | b'\t' | b'\r' | b'\n', At::Value, 1) if self.value == Progress::Begun => {
                self.value = Progress::Done;
            }
            (b' ' | b'\t' | b'\r' | b'\n', ..) => {}
            (b'{', At::Before, 0) => {
                self.at = At::Key;
                self.open(byte);
            }
            (b'"', At::Key, 1) if self.text.is_empty() => self.begin_string(byte),
            (b'"', At::Value, 2..) => self.begin_string(byte),
            (b'"', At::Value, 1) if self.value == Progress::Nothing => self.begin_string(byte),
            (b':', At::Key, 1) => self.end_key(),
            (b',', At::Value, 1) => self.end_value(At::Key),
            (b'}', At::Value | At::Key, 1) => {
                self.end_value(At::After);
                self.depth = 0;
            }
            (b'{' | b'[', At::Value, 2..) => self.open(byte),
            (b'{' | b'[', At::Value, 1) if self.value == Progress::Nothing => self.open(byte),
            (b'}' | b']', At::Value, 2..) => self.close(byte),
            (b'{' | b'[' | b'"' | b']' | b':', At::Value, 1) => self.at = At::Lost,
            (_, At::Value, 1) if self.value != Progress::Done => {
                self.value = Progress::Begun;
                self.keep(byte);
            }
            (_, At::Value, 2..) => {}
            _ => self.at = At::Lost,
        }
    }

    fn begin_string(&mut self, byte: u8) {
        self.in_string = true;
        self.keep(byte);
    }

    fn open(&mut self, byte: u8) {
        if self.depth == DEEPEST {
            self.at = At::Lost;
            return;
        }
        let (word, bit) = (self.depth / 64, 1 << (self.depth % 64));
        if byte == b'{' {
            self.braces.0[word] |= bit;
        } else {
            self.braces.0[word] &= !bit;
        }
        self.depth += 1;
    }

    fn close(&mut self, byte: u8) {
        self.depth -= 1;
        let is_brace = self.braces.0[self.depth / 64] & (1 << (self.depth % 64)) != 0;
        if is_brace != (byte == b'}') {
            self.at = At::Lost;
        } else if self.depth == 1 {
            self.value = Progress::Done;
        }
    }

    fn in_string(&mut self, byte: u8) {
        self.keep(byte);
        match byte {
            _ if self.escaped => self.escaped = false,
            b'\\' => self.escaped = true,
            b'"' => {
                self.in_string = false;
                if self.at == At::Value && self.depth == 1 {
                    self.value = Progress::Done;
                }
            }
            _ => {}
        }
    }

    /// Keeps a byte of a root key or of the id's value; one byte beyond the bound marks it as too long.
    fn keep(&mut self, byte: u8) {
        if self.bound().is_some_and(|bound| self.text.len() <= bound) {
            self.text.push(byte);
        }
    }

    /// How much of what is being read matters, if any does.
    fn bound(&self) -> Option<usize> {
        match self.at {
            At::Key => Some(LONGEST_KEY),
            At::Value if self.is_id && self.depth == 1 => Some(LONGEST_ID),
            _ => None,
        }
    }

    fn end_key(&mut self) {
        // A key that is too long to be kept is none of those that matter.
        let key = if self.text.len() > LONGEST_KEY { Ok(String::new()) } else { serde_json::from_slice(&self.text) };
        let Ok(key) = key else {
            self.at = At::Lost;
            return;
        };
        self.is_id = key == "id";
        self.ids += usize::from(self.is_id);
        self.methods += usize::from(key == "method");
        self.answers += usize::from(matches!(&*key, "result" | "error"));
        self.text.clear();
        self.value = Progress::Nothing;
        self.at = At::Value;
    }

    fn end_value(&mut self, next: At) {
        // A key without a value, or a member without one.
        if (self.at == At::Key && !self.text.is_empty()) || (self.at == At::Value && self.value == Progress::Nothing) {
            self.at = At::Lost;
            return;
        }
        if std::mem::take(&mut self.is_id) && self.text.len() <= LONGEST_ID {
            self.id = Some(std::mem::take(&mut self.text));
        }
        self.text.clear();
        self.at = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The id found in `line`, whichever way it is cut.
    fn recovered(line: &str) -> Option<String> {
        let mut whole = Recover::default();
        whole.feed(line.as_bytes());
        let mut bytewise = Recover::default();
        line.bytes().for_each(|byte| bytewise.feed(&[byte]));
        let (whole, bytewise) = (whole.id(), bytewise.id());
        assert_eq!(whole, bytewise, "{line}");
        whole
    }

    #[test]
    fn an_id_is_found_wherever_it_stands() {
        for (line, id) in [
            (r#"{"jsonrpc":"2.0","id":7,"method":"x","params":{"a":1,"a":2}}"#, "7"),
            (r#"{"method":"x","params":{"id":1,"b":["}","{",{"id":2}]},"jsonrpc":"2.0","id":"a\"b"}"#, r#""a\"b""#),
            (r#" { "\u0069d" : -3 , "m\u0065thod" : "x" } "#, "-3"),
            (r#"{"id":1,"method":"x","params":NaN}"#, "1"),
            (r#"{"id":1,"method":"x","params":{"a":"\ud800"}}"#, "1"),
        ] {
            assert_eq!(recovered(line).as_deref(), Some(id), "{line}");
        }
        let deep = format!(r#"{{"params":{}{},"id":1,"method":"x"}}"#, "[".repeat(4000), "]".repeat(4000));
        assert_eq!(recovered(&deep).as_deref(), Some("1"));
    }

    #[test]
    fn nothing_uncertain_is_given() {
        for line in [
            r#"{"id":1,"id":1,"method":"x"}"#,
            r#"{"id":1,"\u0069d":2,"method":"x"}"#,
            r#"{"id":1,"params":{"method":"x"}}"#,
            r#"{"id":1,"method":"x","result":1}"#,
            r#"{"id":1,"method":"x" "result":1}"#,
            r#"{"id":1 2,"method":"x"}"#,
            r#"{"id":,"method":"x"}"#,
            r#"{"method":"x","params":[},"id":9,"x":1]}"#,
            r#"{"i\x64":7,"id":8,"method":"x","a":NaN}"#,
            r#"{"id":1,"method":"x","error":1}"#,
            r#"{"id":1,"method":"x","params":{"a":1}"#,
            r#"{"id":1,"method":"x"}}"#,
            r#"{"id":1,"method":"x"} {"id":2}"#,
            r#"{"id":1,"method":"x""#,
            r#"[{"id":1,"method":"x"}]"#,
            r#"{"id":1,"method":"x",}x"#,
            "garbage",
            "",
        ] {
            assert_eq!(recovered(line), None, "{line}");
        }
        let long = format!(r#"{{"id":"{}","method":"x"}}"#, "a".repeat(2000));
        assert_eq!(recovered(&long), None);
    }

    #[test]
    fn memory_is_constant() {
        let mut recover = Recover::default();
        recover.feed(br#"{"id":""#);
        for _ in 0..1000 {
            recover.feed(&[b'a'; 1000]);
        }
        assert!(recover.text.capacity() < 4096);
    }
}
