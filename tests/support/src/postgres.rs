//! A real PostgreSQL server for tests: Debian's package, run as another user than root, reached through a Unix socket in a
//! temporary folder, never over a network.
//!
//! A shell keeps it (`postgres.sh`) and ends it when this process is gone, whether it returned, panicked or was killed.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

const KEEPER: &str = include_str!("postgres.sh");

/// What makes a server fast that nobody will need after a power cut.
const HASTY: [&str; 4] = ["-c", "fsync=off", "-c", "full_page_writes=off"];

/// A server of this process's own.
#[derive(Debug)]
pub struct Cluster {
    client: Client,
    keeper: Child,
    /// The server lives while this is open.
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    databases: AtomicUsize,
}

impl Cluster {
    /// The server that the tests of this process share; started by the first that asks.
    ///
    /// # Panics
    ///
    /// If PostgreSQL is not installed, or does not start.
    #[must_use]
    pub fn shared() -> &'static Self {
        static SHARED: OnceLock<Cluster> = OnceLock::new();
        SHARED.get_or_init(|| Self::start(&HASTY))
    }

    /// A server that keeps what it accepted, as in earnest.
    ///
    /// # Panics
    ///
    /// If PostgreSQL is not installed, or does not start.
    #[must_use]
    pub fn durable() -> Self {
        Self::start(&[])
    }

    #[expect(clippy::disallowed_methods, reason = "this module starts the server")]
    fn start(settings: &[&str]) -> Self {
        let bin = programs();
        let folder = tempfile::Builder::new().prefix("postgres-").tempdir().expect("a temporary folder").keep();
        let mut keeper = Command::new("sh")
            .args(["-c", KEEPER, "postgres.sh"])
            .args([&bin, &folder])
            .args(settings)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // A Ctrl-C ends the tests; the keeper is to survive them.
            .process_group(0)
            .spawn()
            .expect("a shell");
        let input = keeper.stdin.take();
        let output = BufReader::new(keeper.stdout.take().expect("its output"));
        let client = Client { bin, folder };
        let mut cluster = Self { client, keeper, input, output, databases: AtomicUsize::new(0) };
        cluster.wait_until_ready();
        cluster
    }

    /// The folder that holds all of it, while it runs.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.client.folder
    }

    /// A new, empty database.
    ///
    /// # Panics
    ///
    /// If it cannot be made.
    #[must_use]
    pub fn database(&self) -> Database {
        let name = format!("test_{}", self.databases.fetch_add(1, Ordering::Relaxed));
        self.client.sql("postgres", &format!("CREATE DATABASE {name}"));
        Database { client: self.client.clone(), name }
    }

    /// Shuts the server down, which ends every connection, and starts it again.
    ///
    /// # Panics
    ///
    /// If it does not come back.
    pub fn restart(&mut self) {
        let input = self.input.as_mut().expect("the keeper lives");
        input.write_all(b"restart\n").expect("the keeper listens");
        self.wait_until_ready();
    }

    fn wait_until_ready(&mut self) {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("the keeper speaks");
        let log = || fs::read_to_string(self.client.folder.join("log")).unwrap_or_default();
        assert_eq!(line, "ready\n", "PostgreSQL does not start:\n{}", log());
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.input = None;
        let _ = self.keeper.wait();
    }
}

/// PostgreSQL's own programs, for one server.
#[derive(Debug, Clone)]
struct Client {
    bin: PathBuf,
    folder: PathBuf,
}

impl Client {
    #[expect(clippy::disallowed_methods, reason = "this module runs PostgreSQL's own client")]
    fn run(&self, program: &str, database: &str, arguments: &[&str]) -> String {
        let output = Command::new(self.bin.join(program))
            .arg("--host")
            .arg(&self.folder)
            .args(["--username", "postgres", "--no-password", "--dbname", database])
            .args(arguments)
            .current_dir("/")
            .output()
            .expect("PostgreSQL's client");
        assert!(output.status.success(), "{program} {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn sql(&self, database: &str, statement: &str) -> String {
        let options = ["--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--set=ON_ERROR_STOP=1", "--command"];
        self.run("psql", database, &[&options[..], &[statement]].concat())
    }
}

/// A database of a [`Cluster`].
#[derive(Debug)]
pub struct Database {
    client: Client,
    name: String,
}

impl Database {
    /// What an application takes as its address.
    #[must_use]
    pub fn url(&self) -> String {
        format!("postgres:///{}?host={}&user=postgres", self.name, self.client.folder.display())
    }

    /// Runs a statement; the rows, a line each.
    ///
    /// # Panics
    ///
    /// If it fails.
    pub fn sql(&self, statement: &str) -> String {
        self.client.sql(&self.name, statement)
    }

    /// All that is in it, as text.
    ///
    /// # Panics
    ///
    /// If it cannot be read.
    #[must_use]
    pub fn dump(&self) -> String {
        self.client.run("pg_dump", &self.name, &[])
    }

    /// Gives the database another name, which ends what was connected; [`Database::bring_back`] undoes it.
    ///
    /// # Panics
    ///
    /// If it cannot be done.
    pub fn take_away(&self) {
        let name = &self.name;
        self.client.sql(
            "postgres",
            &format!("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'"),
        );
        self.client.sql("postgres", &format!("ALTER DATABASE {name} RENAME TO {name}_away"));
    }

    /// Gives it its name back.
    ///
    /// # Panics
    ///
    /// If it was not taken away.
    pub fn bring_back(&self) {
        let name = &self.name;
        self.client.sql("postgres", &format!("ALTER DATABASE {name}_away RENAME TO {name}"));
    }
    /// Lets nobody connect any more.
    ///
    /// # Panics
    ///
    /// If it cannot be done.
    pub fn close(&self) {
        let name = &self.name;
        self.client.sql("postgres", &format!("ALTER DATABASE {name} ALLOW_CONNECTIONS false"));
    }
}

/// The folder of the newest PostgreSQL that Debian installed.
fn programs() -> PathBuf {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let newest = versions
        .filter_map(|entry| Some((entry.file_name().to_str()?.parse::<u32>().ok()?, entry.path().join("bin"))))
        .filter(|(_, bin)| bin.join("initdb").exists())
        .max();
    newest.expect("PostgreSQL is not installed: run tests/run, or apt-get install postgresql").1
}
