//! The misbehaving application of the tests with a launch file of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::host::Host;
use crate::session::Session;

/// A launch of the fixture: a folder with its launch file and its effect log. It must outlive its sessions.
///
/// The fixture is built with the tests; its operations are in `tests/fixture`, all of the plugin `fixture`.
#[derive(Debug)]
pub struct Fixture {
    program: PathBuf,
    folder: TempDir,
    allowed: Vec<String>,
    text: String,
    env: Vec<(String, String)>,
}

impl Fixture {
    /// The fixture that lies beside the given binary, with these operations allowed, in this order.
    ///
    /// # Panics
    ///
    /// If it was not built: `cargo test` builds it, `cargo test --test NAME` does not.
    #[must_use]
    #[track_caller]
    pub fn beside(binary: &str, operations: &[&str]) -> Self {
        let program = Path::new(binary).with_file_name("examples").join("fixture");
        assert!(program.exists(), "{} is missing: cargo build --example fixture", program.display());
        let entries: Vec<String> = operations.iter().map(|name| format!("\"fixture.{name}\"")).collect();
        Self {
            program,
            folder: tempfile::tempdir().expect("a temporary folder"),
            allowed: operations.iter().map(ToString::to_string).collect(),
            text: format!("allow = [{}]\nidentity = \"tester\"\n", entries.join(", ")),
            env: Vec::new(),
        }
    }

    /// Adds a line to the launch file.
    #[must_use]
    pub fn line(mut self, line: &str) -> Self {
        self.text.push_str(line);
        self.text.push('\n');
        self
    }

    /// Replaces the launch file.
    #[must_use]
    pub fn launch(mut self, text: &str) -> Self {
        text.clone_into(&mut self.text);
        self
    }

    /// Turns one of the fixture's switches, without its prefix `FIXTURE_`: see `tests/fixture/switches.rs`.
    #[must_use]
    pub fn switch(mut self, name: &str, value: &str) -> Self {
        self.env.push((format!("FIXTURE_{name}"), value.to_owned()));
        self
    }

    /// Passes a variable to the entry.
    #[must_use]
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.env.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The tool's name: its place among the allowed operations.
    ///
    /// # Panics
    ///
    /// If the operation is not allowed.
    #[must_use]
    #[track_caller]
    pub fn tool(&self, operation: &str) -> String {
        let place = self.allowed.iter().position(|name| name == operation);
        format!("operation_{}", place.expect("an allowed operation"))
    }

    /// The launch file.
    ///
    /// # Panics
    ///
    /// If it cannot be written.
    #[must_use]
    pub fn launch_file(&self) -> PathBuf {
        let path = self.folder.path().join("launch.toml");
        // Not while another session reads it.
        if fs::read_to_string(&path).ok().as_ref() != Some(&self.text) {
            fs::write(&path, &self.text).expect("a file in our own folder");
        }
        path
    }

    /// The fixture's program.
    #[must_use]
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// A folder for the test's own files.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// A host of one of the fixture's commands on that launch file: `serve`, `check`, ...
    pub fn command(&self, command: &str) -> Host {
        let host = Host::new(&self.program)
            .arg(command)
            .arg(self.launch_file())
            .env("FIXTURE_LOG", self.folder.path().join("effects"));
        self.with_env(host)
    }

    pub(crate) fn with_env(&self, host: Host) -> Host {
        self.env.iter().fold(host, |host, (name, value)| host.env(name, value))
    }

    /// A host of the fixture as an MCP entry.
    pub fn host(&self) -> Host {
        self.command("serve")
    }

    /// Starts it as an MCP entry and does the handshake of 2025-11-25.
    #[must_use]
    #[track_caller]
    pub fn initialized(&self) -> Session {
        let mut session = self.host().spawn();
        session.initialize("2025-11-25");
        session
    }

    /// What really happened in the application, a line each, in order.
    #[must_use]
    pub fn effects(&self) -> Vec<String> {
        let text = fs::read_to_string(self.folder.path().join("effects")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// How many of them begin so.
    #[must_use]
    pub fn count(&self, beginning: &str) -> usize {
        self.effects().iter().filter(|effect| effect.starts_with(beginning)).count()
    }

    /// Waits until the application has really done that.
    ///
    /// # Panics
    ///
    /// If it has not within 10 s.
    #[track_caller]
    pub fn wait_for_effect(&self, effect: &str) {
        let until = Instant::now() + Duration::from_secs(10);
        while !self.effects().iter().any(|line| line == effect) {
            assert!(Instant::now() < until, "no effect {effect:?} among {:?}", self.effects());
            thread::sleep(Duration::from_millis(2));
        }
    }
}
