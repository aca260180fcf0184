//! A migrated database, and the program that works on it.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use backend::database::Location;
use backend::session::Owner;
use jiff::{Timestamp, ToSpan as _};
use notes::input::NewNote;
use notes::note::{Note, Summary};
use notes::session::{Audience, Issued, Method};
use notes::store::Store;
use secrecy::ExposeSecret as _;
use serde_json::{Value, json};
use tempfile::TempDir;
use test_host::{Desk, Frame, Host, Session, TestDatabase};

pub(crate) const CREATE: &str = "operation_0";
pub(crate) const LIST: &str = "operation_1";
pub(crate) const READ: &str = "operation_2";
pub(crate) const UPDATE: &str = "operation_3";
pub(crate) const REMOVE: &str = "operation_4";

pub(crate) struct Place {
    /// For launch files and prompts.
    pub(crate) folder: TempDir,
    pub(crate) database: TestDatabase,
    pub(crate) store: Store,
    runtime: tokio::runtime::Runtime,
}

impl Place {
    pub(crate) fn new() -> Self {
        Self::on(TestDatabase::of(module_path!()))
    }

    /// With a part in the database's address that stands nowhere else.
    pub(crate) fn at(label: &str) -> Self {
        Self::on(TestDatabase::labelled(module_path!(), label))
    }

    fn on(database: TestDatabase) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let location = Location::parse(&database.address()).unwrap();
        let store = runtime.block_on(Store::migrate(&location)).unwrap();
        Self { folder, database, store, runtime }
    }

    pub(crate) fn block_on<T>(&self, work: impl Future<Output = T>) -> T {
        self.runtime.block_on(work)
    }

    /// The example's launch file with all five operations allowed: what an operation refuses it refuses by itself.
    pub(crate) fn launch(&self) -> PathBuf {
        let text = std::fs::read_to_string(example()).unwrap();
        let (before, rest) = text.split_once("allow = [").unwrap();
        let (_, after) = rest.split_once(']').unwrap();
        let all = Method::ALL.map(|method| format!("\"notes-operations.{}\"", method.as_str())).join(", ");
        let launch = self.folder.path().join("all.toml");
        std::fs::write(&launch, format!("{before}allow = [{all}]{after}")).unwrap();
        launch
    }

    /// The program on this database, with its prompts in the place's own folder.
    fn program(&self) -> Host {
        Host::new(env!("CARGO_BIN_EXE_notes"))
            .env("NOTES_DATABASE", self.database.address())
            .env("TMPDIR", self.folder.path())
    }

    /// A command on this database.
    pub(crate) fn command<const N: usize>(&self, words: [&str; N]) -> Host {
        self.program().args(words).text_output()
    }

    /// The program as a host would start it.
    pub(crate) fn serve(&self, launch: &Path) -> Host {
        self.program().arg("serve").arg(launch)
    }

    /// The terminal of the person who is asked.
    pub(crate) fn desk(&self) -> Desk {
        Desk::new(self.program())
    }

    /// An entry, launched as a host would, with that session.
    pub(crate) fn entry(&self, session: &str) -> Session {
        let mut entry = self.serve(&self.launch()).env("NOTES_MCP_SESSION", session).spawn();
        entry.initialize("2025-11-25");
        entry
    }

    /// One operation from the command line.
    pub(crate) fn call(&self, method: &str, arguments: &Value) -> Host {
        self.command(["call"]).arg(self.launch()).args(["notes-operations", method, "--input", &arguments.to_string()])
    }

    /// A new session of that user, for everything and for an hour.
    pub(crate) fn session(&self, name: &str) -> String {
        self.issue(name, &Method::ALL).session.expose_secret().to_owned()
    }

    /// A new session of that user, for an hour.
    pub(crate) fn issue(&self, name: &str, methods: &[Method]) -> Issued {
        let now = Timestamp::now();
        self.issue_until(name, methods, now + 1.hour(), now)
    }

    pub(crate) fn issue_until(&self, name: &str, methods: &[Method], until: Timestamp, now: Timestamp) -> Issued {
        let audience = Audience::new(methods.iter().copied()).unwrap();
        self.block_on(self.store.issue_session(&user(name), &audience, until, now)).unwrap()
    }

    /// A new note of that user.
    pub(crate) fn create(&self, name: &str, title: &str) -> Summary {
        let new: NewNote = serde_json::from_value(json!({"title": title, "body": format!("body of {title}")})).unwrap();
        self.block_on(self.store.create(&user(name), &new, Timestamp::now())).unwrap()
    }

    /// A note of that user, if there is one.
    pub(crate) fn note(&self, name: &str, id: &str) -> Option<Note> {
        self.block_on(self.store.read(&user(name), id)).unwrap()
    }
}

/// The example's own launch file.
pub(crate) fn example() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../config/notes.toml")
}

/// The program, as a command for people.
pub(crate) fn program<const N: usize>(words: [&str; N]) -> Host {
    Host::new(env!("CARGO_BIN_EXE_notes")).args(words).text_output()
}

pub(crate) fn user(name: &str) -> Owner {
    name.parse().unwrap()
}

/// Calls a tool and waits for its answer.
#[track_caller]
pub(crate) fn call(entry: &mut Session, tool: &str, arguments: &Value) -> Frame {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let id = NEXT.fetch_add(1, Ordering::Relaxed);
    entry.call(id, tool, arguments.clone());
    entry.answer_to(id)
}

/// The same, with a person who says yes if one is asked.
#[track_caller]
pub(crate) fn call_allowed(place: &Place, entry: &mut Session, tool: &str, arguments: &Value) -> Frame {
    if tool != REMOVE {
        return call(entry, tool, arguments);
    }
    entry.call("asked", tool, arguments.clone());
    place.desk().answer("allow", &place.desk().wait_for_prompt(entry)).assert_code(0);
    entry.answer_to("asked")
}

/// Arguments that every operation accepts, for a note as it is.
pub(crate) fn arguments(note: &Summary) -> [(&'static str, Value); 5] {
    [
        (CREATE, json!({"title": "new", "body": "new"})),
        (LIST, json!({})),
        (READ, json!({"noteId": note.note_id})),
        (UPDATE, json!({"noteId": note.note_id, "version": note.version, "body": "changed"})),
        (REMOVE, json!({"noteId": note.note_id, "version": note.version, "title": note.title})),
    ]
}
