//! Parts of the core without a process around them, for benches/parts.rs alone; the tests here keep them runnable.

use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Instant;

use redact_json::Rules;

use crate::application::Application;
use crate::ask::Client;
use crate::binding::Unbound;
use crate::door::{Id, Revision, result};
use crate::entry::Constructor;
use crate::gate::{Admission, Answered, Arguments, Calls, Request, Stop};
use crate::launch::{Given, Launch, LaunchFile, Side};
use crate::redaction::Form;
use crate::scan::scan;
use crate::stdio::{Frames, Line};

/// An application with all its operations, ready to be called.
pub struct Opened<A: Application> {
    launch: Launch<A>,
    admission: Arc<Admission>,
}

impl<A: Application> Opened<A> {
    /// `None` if it cannot be launched.
    pub fn new(application: A) -> Option<Self> {
        let given = Given {
            constructor: Constructor::Native(Box::new(|| Ok(application))),
            file: LaunchFile::draft(Path::new("measured.toml"), None),
            code: Arc::new(Unbound),
            decode_context: None,
            context: None,
            confirm: None,
            approve: None,
            rules: Rules::default(),
            unset: Vec::new(),
        };
        let launch = Launch::open(given, Side::Cli).ok()?;
        Some(Self { launch, admission: Arc::default() })
    }

    /// One call through the gate of an operation that waits for nothing: its result as text.
    ///
    /// # Errors
    /// What is said of its failure.
    ///
    /// # Panics
    /// If it waits.
    pub fn call(&self, operation: usize, arguments: &str) -> Result<String, String> {
        let permit = self.admission.admit(Instant::now()).map_err(|refused| refused.code.into_owned())?;
        let request = Request {
            permit,
            operation,
            arguments: Arguments { text: Some(arguments.into()), unholdable: false },
            stop: Stop::default(),
            form: Form::Escaped,
            structured: false,
            client: Client::Unable,
        };
        let call = pin!(Calls::call(Arc::clone(&self.launch.gate) as Arc<dyn Calls>, request));
        let Poll::Ready(finished) = call.poll(&mut Context::from_waker(Waker::noop())) else {
            panic!("the operation waits");
        };
        let Answered { text, failed, .. } = finished.answer;
        if failed.is_none() { Ok(text) } else { Err(text) }
    }

    /// The answer to tools/list; the first one makes the list.
    pub fn list(&self) -> Vec<u8> {
        let id = Id::parse("1");
        id.map(|id| result(&id, self.launch.catalog.list(Revision::V2025_11_25))).unwrap_or_default()
    }
}

/// Cuts what was read into lines, as the door does; the bytes in lines.
pub fn read_lines<'r>(reads: impl IntoIterator<Item = &'r [u8]>) -> usize {
    let mut frames = Frames::new(1 << 20);
    let mut found = 0;
    for mut bytes in reads {
        while let Some(line) = frames.next(&mut bytes) {
            found += if let Line::Whole(line) = line { line.len() } else { 0 };
        }
    }
    found
}

/// Whether the scanner accepts a line.
#[must_use]
pub fn is_accepted(line: &[u8]) -> bool {
    scan(line).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::Failure;
    use crate::operation::{NoInput, Operation};

    struct Greeter;

    impl Application for Greeter {
        type Running = ();
        type Context = ();

        fn operations(&self) -> Vec<Operation<Self>> {
            vec![Operation::new("greeter", "greet", async |(): &(), _: NoInput| Ok::<_, Failure>("hello"))]
        }

        async fn start(&self) -> Result<(), Failure> {
            Ok(())
        }
    }

    #[test]
    fn an_application_is_called_and_listed_without_a_process() {
        let opened = Opened::new(Greeter).expect("launched");
        assert_eq!(opened.call(0, "{}"), Ok(r#"\"hello\""#.to_owned()));
        assert!(opened.call(0, r#"{"a":1}"#).is_err_and(|text| text.contains("invalid-input")));
        let list = String::from_utf8(opened.list()).expect("text");
        assert!(list.starts_with(r#"{"jsonrpc":"2.0","id":1,"result":{"#) && list.contains("operation_0"), "{list}");
    }

    #[test]
    fn lines_are_cut_across_reads_and_accepted() {
        assert_eq!(read_lines([&b"{\"a\""[..], b":1}\n[]\n"]), 9);
        assert!(is_accepted(b"[]") && !is_accepted(b"]"));
    }
}
