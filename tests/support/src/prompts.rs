//! The person at another terminal: reads and answers the prompts of a session.

use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::ended::Ended;
use crate::fixture::Fixture;
use crate::host::Host;
use crate::session::Session;

/// A terminal of the user, with a program that has the commands `pending`, `allow` and `deny`.
#[derive(Debug, Clone)]
#[must_use]
pub struct Desk(Host);

impl Desk {
    /// `program` has its environment, and no arguments yet.
    pub fn new(program: Host) -> Self {
        Self(program.text_output())
    }

    /// One of the three commands.
    pub fn command(&self, arguments: &[&str]) -> Host {
        self.0.clone().args(arguments)
    }

    /// The open prompts of a session.
    ///
    /// # Panics
    ///
    /// If `pending` fails.
    #[must_use]
    pub fn prompts(&self, session: &Session) -> Vec<Value> {
        let ended = self.command(&["pending", "--json"]).run();
        ended.assert_code(0);
        let listed: Value = serde_json::from_str(ended.text()).expect("pending --json prints JSON");
        let prompts = listed["prompts"].as_array().expect("a list").iter();
        prompts.filter(|prompt| prompt["process"] == session.id()).cloned().collect()
    }

    /// Waits until a session has an open prompt.
    ///
    /// # Panics
    ///
    /// If it has none within 10 s.
    #[must_use]
    #[track_caller]
    pub fn wait_for_prompt(&self, session: &Session) -> Value {
        let until = Instant::now() + Duration::from_secs(10);
        loop {
            if let Some(prompt) = self.prompts(session).pop() {
                return prompt;
            }
            assert!(Instant::now() < until, "no prompt; standard error:\n{}", session.stderr());
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// Answers a prompt with `allow` or `deny`.
    #[track_caller]
    pub fn answer(&self, verb: &str, prompt: &Value) -> Ended {
        self.command(&[verb, prompt["id"].as_str().unwrap_or_default()]).run()
    }
}

impl Fixture {
    /// Keeps temporary files, and the sockets of prompts where there is no session folder, in the fixture's own folder.
    #[must_use]
    pub fn private(self) -> Self {
        let folder = self.folder().display().to_string();
        self.env("TMPDIR", &folder)
    }

    fn terminal(&self) -> Desk {
        Desk::new(self.with_env(Host::new(self.program())))
    }

    /// A command that takes no launch file: `pending`, `allow ID`, `deny ID`.
    pub fn desk(&self, arguments: &[&str]) -> Host {
        self.terminal().command(arguments)
    }

    /// The open prompts of a session; see [`Desk::prompts`].
    #[must_use]
    pub fn prompts(&self, session: &Session) -> Vec<Value> {
        self.terminal().prompts(session)
    }

    /// Waits until a session has an open prompt; see [`Desk::wait_for_prompt`].
    #[must_use]
    #[track_caller]
    pub fn wait_for_prompt(&self, session: &Session) -> Value {
        self.terminal().wait_for_prompt(session)
    }

    /// Answers a prompt with `allow` or `deny`.
    #[track_caller]
    pub fn answer(&self, verb: &str, prompt: &Value) -> Ended {
        self.terminal().answer(verb, prompt)
    }
}
