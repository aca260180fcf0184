//! A process application with files of its own: a script, its `application.toml`, and a launch file.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::host::Host;
use crate::session::Session;

/// The application `app` with one plugin, `app`, run by `python3 program.py` in a folder of its own. It must outlive its
/// sessions.
///
/// The program finds the path of its effect log in `PROGRAM_LOG`.
#[derive(Debug)]
pub struct Program {
    binary: PathBuf,
    folder: TempDir,
    plugin: String,
    operations: String,
    allowed: Vec<String>,
    launch: String,
}

impl Program {
    /// An application whose program is this Python script; `binary` is the `opgate` program.
    ///
    /// # Panics
    ///
    /// If the files cannot be written.
    #[must_use]
    pub fn new(binary: &str, script: &str) -> Self {
        let program = Self {
            binary: PathBuf::from(binary),
            folder: tempfile::tempdir().expect("a temporary folder"),
            plugin: "command = [\"python3\", \"program.py\"]\nenv = [\"PROGRAM_LOG\"]\n".to_owned(),
            operations: String::new(),
            allowed: Vec::new(),
            launch: String::new(),
        };
        program.file("program.py", script);
        program
    }

    /// Replaces the lines under `[plugins.app]`.
    #[must_use]
    pub fn plugin(mut self, lines: &str) -> Self {
        lines.clone_into(&mut self.plugin);
        self
    }

    /// Adds a line under `[plugins.app]`.
    #[must_use]
    pub fn plugin_line(mut self, line: &str) -> Self {
        self.plugin.push_str(line);
        self.plugin.push('\n');
        self
    }

    /// Declares an operation that takes any object, with further lines, and allows it.
    #[must_use]
    pub fn operation(mut self, method: &str, lines: &str) -> Self {
        let _ = writeln!(
            self.operations,
            "\n[[operations]]\nplugin = \"app\"\nmethod = {method:?}\n{lines}\ninput = {{ type = \"object\", additionalProperties = true }}"
        );
        self.allowed.push(method.to_owned());
        self
    }

    /// Declares several such operations.
    #[must_use]
    pub fn operations(self, methods: &[&str]) -> Self {
        methods.iter().fold(self, |program, method| program.operation(method, ""))
    }

    /// Adds a line to the launch file.
    #[must_use]
    pub fn launch_line(mut self, line: &str) -> Self {
        self.launch.push_str(line);
        self.launch.push('\n');
        self
    }

    /// Writes a file into the application's folder.
    ///
    /// # Panics
    ///
    /// If it cannot be written.
    pub fn file(&self, name: &str, text: &str) {
        fs::write(self.folder().join(name), text).expect("a file in our own folder");
    }

    /// The folder with all files.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The launch file; it and the application file are written now.
    ///
    /// # Panics
    ///
    /// If they cannot be written.
    #[must_use]
    pub fn launch_file(&self) -> PathBuf {
        let application = format!("name = \"app\"\n\n[plugins.app]\n{}{}", self.plugin, self.operations);
        let allowed: Vec<String> = self.allowed.iter().map(|method| format!("\"app.{method}\"")).collect();
        let launch = format!(
            "application = \"application.toml\"\nallow = [{}]\nidentity = \"tester\"\n{}",
            allowed.join(", "),
            self.launch
        );
        for (name, text) in [("application.toml", &application), ("launch.toml", &launch)] {
            let path = self.folder().join(name);
            // Not while another session reads it.
            if fs::read_to_string(&path).ok().as_ref() != Some(text) {
                fs::write(path, text).expect("a file in our own folder");
            }
        }
        self.folder().join("launch.toml")
    }

    /// A host of one of opgate's commands on that launch file.
    pub fn command(&self, command: &str) -> Host {
        Host::new(&self.binary).arg(command).arg(self.launch_file()).env("PROGRAM_LOG", self.folder().join("effects"))
    }

    /// A host of it as an MCP entry.
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

    /// The tool's name: its place among the declared operations.
    ///
    /// # Panics
    ///
    /// If it is not declared.
    #[must_use]
    #[track_caller]
    pub fn tool(&self, method: &str) -> String {
        let place = self.allowed.iter().position(|name| name == method);
        format!("operation_{}", place.expect("a declared operation"))
    }

    /// What really happened in the program, a line each, in order.
    #[must_use]
    pub fn effects(&self) -> Vec<String> {
        let text = fs::read_to_string(self.folder().join("effects")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// Waits until the program has really done that.
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
