//! What a program answers: exactly one JSON object, checked, redacted and bounded while it arrives.

use std::fmt;
use std::io::{self, BufRead, Read};

use redact_json::Sink;
use serde::Deserialize;

use super::value::ValueReader;
use crate::operation::Writing;
use crate::scan::{Root, scan};

/// The longest `error` object, and the longest `call`.
const LARGEST_ERROR: usize = 1 << 16;
/// The longest name of a member that is read to be compared.
const LONGEST_NAME: usize = 64;

/// What the program says.
#[derive(Debug)]
pub(super) enum Answer {
    /// The result as canonical, redacted text, or why it is none although it is JSON.
    Output(Result<String, redact_json::Error>),
    Error {
        code: String,
        message: String,
        /// Whether something may have been changed.
        changed: bool,
    },
}

/// How an answer ends.
#[derive(Clone, Copy, Debug)]
pub(super) enum End<'c> {
    /// With the output.
    File,
    /// With its line, in which it repeats this call.
    Line { call: &'c str },
}

/// Why what was written is no answer. Holds nothing of what was written.
#[derive(Debug)]
pub(super) enum Fault {
    /// What was expected, and what is there instead.
    Malformed(String),
    Read(io::Error),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Malformed(problem) => f.write_str(problem),
            Self::Read(error) => write!(f, "its output cannot be read: {error}"),
        }
    }
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Self {
        Self::Read(error)
    }
}

fn malformed(problem: impl Into<String>) -> Fault {
    Fault::Malformed(problem.into())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ErrorObject {
    code: String,
    message: String,
    #[serde(default = "nobody_knows")]
    changed: bool,
}

fn nobody_knows() -> bool {
    true
}

/// Reads one answer from `source`, up to its end.
pub(super) fn read(source: &mut impl BufRead, end: End<'_>, writing: &Writing) -> Result<Answer, Fault> {
    let mut reader = Reader { source, end };
    let (mut answer, mut repeats) = (None, false);
    match reader.next()? {
        Some(b'{') => reader.take(),
        Some(_) => return Err(malformed("its output does not begin with {")),
        None => return Err(malformed("it wrote no answer")),
    }
    loop {
        let name = reader.name()?;
        match (name.as_str(), end) {
            ("output", _) if answer.is_none() => answer = Some(reader.output(writing)?),
            ("error", _) if answer.is_none() => answer = Some(reader.error()?),
            ("output" | "error", _) => return Err(malformed("it answers more than one output or error")),
            ("call", End::Line { call }) if !repeats => {
                if serde_json::from_slice::<String>(&reader.small()?).ok().as_deref() != Some(call) {
                    return Err(malformed("it answers another call than the one it was given"));
                }
                repeats = true;
            }
            (_, End::File) => return Err(malformed("its answer has a member that is neither output nor error")),
            (_, End::Line { .. }) => {
                return Err(malformed("its answer has a member that is neither call, output nor error"));
            }
        }
        match reader.next()? {
            Some(b',') => reader.take(),
            Some(b'}') => break,
            _ => return Err(malformed("its answer ends too early")),
        }
    }
    reader.take();
    reader.end()?;
    if matches!(end, End::Line { .. }) && !repeats {
        return Err(malformed("its answer does not repeat `call`"));
    }
    answer.ok_or_else(|| malformed("its answer has neither output nor error"))
}

struct Reader<'s, 'c, S> {
    source: &'s mut S,
    end: End<'c>,
}

impl<S: BufRead> Reader<'_, '_, S> {
    fn in_a_line(&self) -> bool {
        matches!(self.end, End::Line { .. })
    }

    /// The next byte that is not white space; `None` at the end of the text.
    fn next(&mut self) -> Result<Option<u8>, Fault> {
        let in_a_line = self.in_a_line();
        loop {
            let available = match self.source.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                available => available?,
            };
            match available.first() {
                None => return Ok(None),
                Some(b'\n') if in_a_line => return Ok(None),
                Some(b' ' | b'\t' | b'\r' | b'\n') => self.source.consume(1),
                Some(byte) => return Ok(Some(*byte)),
            }
        }
    }

    fn take(&mut self) {
        self.source.consume(1);
    }

    /// A member's name and its colon.
    fn name(&mut self) -> Result<String, Fault> {
        let problem = || malformed("its answer is not a JSON object");
        if self.next()? != Some(b'"') {
            return Err(problem());
        }
        let (mut text, mut escaped) = (Vec::new(), false);
        loop {
            let byte = *self.source.fill_buf()?.first().ok_or_else(problem)?;
            if text.len() > LONGEST_NAME || byte < b' ' {
                return Err(problem());
            }
            self.take();
            text.push(byte);
            if byte == b'"' && !escaped && text.len() > 1 {
                break;
            }
            escaped = byte == b'\\' && !escaped;
        }
        if self.next()? != Some(b':') {
            return Err(problem());
        }
        self.take();
        serde_json::from_slice(&text).map_err(|_| problem())
    }

    fn output(&mut self, writing: &Writing) -> Result<Answer, Fault> {
        let mut value = ValueReader::new(&mut *self.source, matches!(self.end, End::Line { .. }));
        let mut text = String::new();
        let written = redact_json::transcode_into(&mut value, &writing.rules, writing.budget, Sink::Plain(&mut text));
        match written {
            Ok(()) => Ok(Answer::Output(Ok(text))),
            Err(error @ (redact_json::Error::TooLarge { .. } | redact_json::Error::TooDeep { .. })) => {
                value.skip()?;
                Ok(Answer::Output(Err(error)))
            }
            Err(redact_json::Error::Read(error)) => Err(Fault::Read(error)),
            Err(error) => Err(malformed(format!("its `output` is not JSON: {error}"))),
        }
    }

    fn error(&mut self) -> Result<Answer, Fault> {
        let text = self.small()?;
        // The scanner is stricter than the parser, which would also take the members from a list.
        let is_object = scan(&text).is_ok_and(|scanned| matches!(scanned.root, Root::Object(_)));
        let object = serde_json::from_slice::<ErrorObject>(&text).ok().filter(|_| is_object);
        let ErrorObject { code, message, changed } = object.ok_or_else(|| {
            malformed("its `error` is not an object of `code` and `message`, both texts, and perhaps `changed`, true or false")
        })?;
        Ok(Answer::Error { code, message, changed })
    }

    /// A value of moderate size, as text.
    fn small(&mut self) -> Result<Vec<u8>, Fault> {
        let in_a_line = self.in_a_line();
        let mut text = Vec::new();
        ValueReader::new(&mut *self.source, in_a_line).take(LARGEST_ERROR as u64 + 1).read_to_end(&mut text)?;
        if text.len() > LARGEST_ERROR {
            return Err(malformed(format!("its `error` has more than {LARGEST_ERROR} bytes")));
        }
        Ok(text)
    }

    /// The end of the text, and of a line its line feed.
    fn end(&mut self) -> Result<(), Fault> {
        if self.next()?.is_some() {
            return Err(malformed("it wrote more than one JSON object"));
        }
        if self.in_a_line() {
            if self.source.fill_buf()?.is_empty() {
                return Err(malformed("its answer does not end with a line feed"));
            }
            self.take();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use redact_json::{Budget, Rules};

    use super::*;

    fn answer(text: &str, end: End<'_>) -> Result<String, String> {
        let writing = Writing { rules: Rules::default(), budget: Budget::bytes(40) };
        let mut source = io::BufReader::with_capacity(3, text.as_bytes());
        let shown = match read(&mut source, end, &writing).map_err(|fault| fault.to_string())? {
            Answer::Output(Ok(text)) => text,
            Answer::Output(Err(error)) => format!("withheld: {error}"),
            Answer::Error { code, message, changed: true } => format!("{code}: {message}"),
            Answer::Error { code, message, changed: false } => format!("{code}: {message} (without effect)"),
        };
        let mut rest = String::new();
        source.read_to_string(&mut rest).expect("UTF-8");
        Ok(if rest.is_empty() { shown } else { format!("{shown} and then {rest:?}") })
    }

    #[test]
    fn exactly_one_output_or_error_is_an_answer() {
        for (text, expected) in [
            (r#"{"output":{"b":1.50,"a":"x","token":"t"}}"#, r#"{"a":"x","b":1.5,"token":"[REDACTED]"}"#),
            (" {\n \"output\" : null }\n\n", "null"),
            (r#"{"\u006futput":1}"#, "1"),
            (r#"{"error":{"code":"not-found","message":"No such order."}}"#, "not-found: No such order."),
            (r#"{"error":{"changed":false,"code":"a","message":"b"}}"#, "a: b (without effect)"),
            (r#"{"error":{"changed":true,"code":"a","message":"b"}}"#, "a: b"),
            (r#"{"output":"0123456789012345678901234567890123456789"}"#, "withheld: the text is longer than 40 bytes"),
        ] {
            assert_eq!(answer(text, End::File).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn anything_else_is_none_and_what_is_said_of_it_quotes_nothing() {
        for text in [
            "",
            "hello-there",
            "[1]",
            "{}",
            "{\"output\":1",
            "{\"output\":}",
            "{\"output\":1}}",
            "{\"output\":1}{\"output\":1}",
            "{\"output\":1} x",
            "{\"output\":1,\"output\":1}",
            "{\"output\":1,\"error\":{\"code\":\"a\",\"message\":\"b\"}}",
            "{\"output\":1,\"call\":\"c\"}",
            "{\"output\":NaN}",
            "{\"output\":1e999}",
            "{\"output\":{\"hello-there\":1,\"hello-there\":2}}",
            "{\"output\":\"\\ud800\"}",
            "{\"output\":[1,]}",
            "{\"output\":1,}",
            "{\"error\":{\"code\":\"a\"}}",
            "{\"error\":{\"code\":\"a\",\"message\":\"b\",\"code\":\"c\"}}",
            "{\"error\":{\"code\":\"a\",\"message\":\"b\",\"hello-there\":1}}",
            "{\"error\":{\"code\":\"a\",\"message\":\"b\",\"changed\":\"no\"}}",
            "{\"error\":{\"code\":\"a\",\"message\":\"b\",\"changed\":null}}",
            "{\"error\":\"hello-there\"}",
            "{\"error\":[\"hello-there\",\"b\"]}",
            "{\"error\": [\"hello-there\",\"b\",false]}",
            "{\"hello-there\":1}",
            "{output:1}",
        ] {
            let fault = answer(text, End::File).expect_err(text);
            assert!(!fault.contains("hello-there") || fault.contains("is there twice"), "{text}: {fault}");
        }
        assert!(answer(&format!("{{\"error\":{}1}}", " ".repeat(LARGEST_ERROR)), End::File).is_err());
    }

    proptest! {
        /// An independent parser of the whole text decides the same.
        #[test]
        fn an_answer_is_an_object_of_one_member(tokens in prop::collection::vec(token(), 0..12)) {
            let text = tokens.concat();
            let whole: Option<serde_json::Value> = scan(text.as_bytes()).ok().and_then(|_| serde_json::from_str(&text).ok());
            let expected = whole.as_ref().and_then(serde_json::Value::as_object).is_some_and(|members| {
                members.len() == 1 && (members.contains_key("output") || members.get("error").is_some_and(is_error))
            });
            let found = answer(&text, End::File);
            prop_assert_eq!(found.is_ok(), expected, "{}: {:?}", text, found);
        }
    }

    fn is_error(error: &serde_json::Value) -> bool {
        error.as_object().is_some_and(|members| {
            members.len() == 2
                && ["code", "message"].iter().all(|name| members.get(*name).is_some_and(serde_json::Value::is_string))
        })
    }

    fn token() -> impl Strategy<Value = &'static str> {
        prop::sample::select(vec![
            "{\"output\":",
            "{\"error\":{\"code\":\"a\",\"message\":\"b\"}",
            "{",
            "}",
            "}",
            "[",
            "]",
            ",",
            ":",
            "\"output\"",
            "\"error\"",
            "1",
            "null",
            "-0.5e1",
            "\"a\\\"}b\"",
            "\"",
            "\\",
            " ",
            "\n",
            "x",
            "{}",
            "[1,{\"a\":[]}]",
        ])
    }

    #[test]
    fn a_line_repeats_its_call() {
        let end = End::Line { call: "c1" };
        for (text, expected) in [
            ("{\"call\":\"c1\",\"output\":1}\n", Ok("1")),
            ("{\"output\":1,\"call\":\"c1\"}\r\nmore", Ok("1 and then \"more\"")),
            ("{\"call\":\"c2\",\"output\":1}\n", Err("it answers another call than the one it was given")),
            ("{\"output\":1}\n", Err("its answer does not repeat `call`")),
            ("{\"call\":\"c1\",\"output\":1}", Err("its answer does not end with a line feed")),
            ("{\"call\":\"c1\",\n\"output\":1}\n", Err("its answer is not a JSON object")),
            ("\n", Err("it wrote no answer")),
            ("", Err("it wrote no answer")),
        ] {
            let found = answer(text, end);
            assert_eq!(found.as_deref().map_err(String::as_str), expected, "{text}");
        }
    }
}
