//! The application as opgate sees it: what it declares, and how it starts and stops.

use backend::{database::Location, environment::EnvironmentError};
use opgate::{Application, Cancellation, Effect, Failure, Operation, Retry};

use crate::context::LaunchContext;
use crate::environment;
use crate::service::NotesService;
use crate::store::Store;

/// The plugin of all operations.
const PLUGIN: &str = "notes-operations";
/// Where they are written, for reviewers.
const SOURCE: &str = "examples/notes/src/service.rs";

/// The configuration: where the notes are. Who asks is not here: it comes with the launch context of each call.
pub struct Notes {
    database: Location,
}

impl Notes {
    /// Reads `NOTES_DATABASE`. Opens nothing.
    ///
    /// # Errors
    ///
    /// When it is unset or unusable; the error names the variable and says what to set.
    pub fn from_environment() -> Result<Self, EnvironmentError> {
        Ok(Self { database: environment::database()? })
    }
}

impl Application for Notes {
    type Running = NotesService;
    type Context = LaunchContext;

    fn operations(&self) -> Vec<Operation<Self>> {
        vec![create(), list(), read(), update(), remove()]
    }

    async fn start(&self) -> Result<NotesService, Failure> {
        match Store::open(&self.database).await {
            Ok(store) => Ok(NotesService::new(store)),
            Err(error) if error.asks_for_migration() => Err(Failure::safe(
                "database-not-ready",
                "The database is missing or does not fit this version. Its operator has to run `notes migrate`.",
            )
            .caused_by(error)),
            Err(error) => Err(error.into()),
        }
    }

    async fn stop(running: NotesService) -> Result<(), Failure> {
        running.close().await;
        Ok(())
    }
}

fn create() -> Operation<Notes> {
    Operation::with_context(PLUGIN, "create", NotesService::create)
        .describe(
            "Write a new note down, for the user whose session this entry holds. Each call makes another note: after a \
             time-out list the notes before you repeat it.",
        )
        .effect(Effect::Write)
        .destructive(false)
        .retry(Retry::Unsafe)
        .cancellation(Cancellation::None)
        .output("An object with `noteId`, `title` as it was stored, `version` (1), `createdAt` and `updatedAt`.")
        .reconcile("notes-operations.list")
        .source(SOURCE)
}

fn list() -> Operation<Notes> {
    Operation::with_context(PLUGIN, "list", NotesService::list)
        .describe(
            "List the user's notes without their bodies, the newest first, 50 at a time. Pass the `next` of an answer as \
             `before` to get the notes that follow.",
        )
        .effect(Effect::Read)
        .destructive(false)
        .retry(Retry::Safe)
        .cancellation(Cancellation::None)
        .output(
            "An object with `notes`, a list of objects with `noteId`, `title`, `version`, `createdAt` and `updatedAt`, \
             and `next`, a text, or null if no more follow.",
        )
        .source(SOURCE)
}

fn read() -> Operation<Notes> {
    Operation::with_context(PLUGIN, "read", NotesService::read)
        .describe("Read one of the user's notes.")
        .effect(Effect::Read)
        .destructive(false)
        .retry(Retry::Safe)
        .cancellation(Cancellation::None)
        .output(
            "An object with `noteId`, `title`, `body`, `version`, `createdAt` and `updatedAt`. Fails with \
             `note-not-found` if the user has no such note.",
        )
        .source(SOURCE)
}

fn update() -> Operation<Notes> {
    Operation::with_context(PLUGIN, "update", NotesService::update)
        .describe(
            "Replace the title, the body or both of one of the user's notes; the old text is gone. Read the note first \
             and pass its `version`: if it was changed in the meantime, this fails with `note-changed` and changes \
             nothing, so that nobody's change is lost. For the same reason the same call never acts twice.",
        )
        .effect(Effect::Write)
        .destructive(true)
        .retry(Retry::Safe)
        .cancellation(Cancellation::None)
        .output(
            "An object with `noteId`, `title`, the new `version`, `createdAt` and `updatedAt`. Fails with \
             `note-not-found` if the user has no such note.",
        )
        .reconcile("notes-operations.read")
        .source(SOURCE)
}

fn remove() -> Operation<Notes> {
    Operation::with_context(PLUGIN, "remove", NotesService::remove)
        .describe(
            "Remove one of the user's notes for ever. A person is asked first, and sees these arguments: call it only \
             for a note that the user wants removed, with the `title` and `version` that list or read gave. If the \
             note was changed in the meantime, this fails with `note-changed` and removes nothing. After a time-out \
             read the note: `note-not-found` says that it is gone.",
        )
        .effect(Effect::Write)
        .destructive(true)
        .retry(Retry::Safe)
        .cancellation(Cancellation::None)
        .output("null. Fails with `note-not-found` if the user has no such note.")
        .requires_confirmation()
        .reconcile("notes-operations.read")
        .source(SOURCE)
}
