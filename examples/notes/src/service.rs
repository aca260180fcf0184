//! The business functions.
//!
//! Invariant: each begins by authenticating the evidence of its launch context for itself, and goes on as the owner that
//! this gave. Nothing else names one.

use backend::session::Owner;
use jiff::Timestamp;
use opgate::Failure;

use crate::context::LaunchContext;
use crate::input::{Change, Listing, NewNote, NoteInput, Removal};
use crate::note::{Note, Page, Summary};
use crate::session::{Denied, Method};
use crate::store::{Refusal, Store};

/// The running application: an open store.
pub struct NotesService {
    store: Store,
}

impl NotesService {
    pub(crate) fn new(store: Store) -> Self {
        Self { store }
    }

    pub(crate) async fn create(&self, new: NewNote, context: LaunchContext) -> Result<Summary, Failure> {
        let owner = self.owner(&context, Method::Create).await?;
        Ok(self.store.create(&owner, &new, Timestamp::now()).await?)
    }

    pub(crate) async fn list(&self, listing: Listing, context: LaunchContext) -> Result<Page, Failure> {
        let owner = self.owner(&context, Method::List).await?;
        Ok(self.store.list(&owner, listing.before.as_deref()).await?)
    }

    pub(crate) async fn read(&self, input: NoteInput, context: LaunchContext) -> Result<Note, Failure> {
        let owner = self.owner(&context, Method::Read).await?;
        self.store.read(&owner, &input.note_id).await?.ok_or_else(missing)
    }

    pub(crate) async fn update(&self, change: Change, context: LaunchContext) -> Result<Summary, Failure> {
        let owner = self.owner(&context, Method::Update).await?;
        if change.title.is_none() && change.body.is_none() {
            return Err(Failure::safe("nothing-to-update", "Pass a new title, a new body or both.").without_effect());
        }
        self.store.update(&owner, &change, Timestamp::now()).await.map_err(refused)
    }

    pub(crate) async fn remove(&self, removal: Removal, context: LaunchContext) -> Result<(), Failure> {
        let owner = self.owner(&context, Method::Remove).await?;
        self.store.remove(&owner, &removal).await.map_err(refused)
    }

    pub(crate) async fn close(self) {
        self.store.close().await;
    }

    async fn owner(&self, context: &LaunchContext, method: Method) -> Result<Owner, Failure> {
        self.store.authenticate(&context.evidence, method, Timestamp::now()).await.map_err(denied)
    }
}

fn denied(denied: Denied) -> Failure {
    match denied {
        Denied::Unknown | Denied::Expired | Denied::Revoked => Failure::safe(
            "session-denied",
            "The session of this entry is unknown, expired or revoked. Nothing was done; its operator has to issue a new \
             one and start the entry with it.",
        )
        .caused_by(denied)
        .without_effect(),
        Denied::OtherAudience => Failure::safe(
            "operation-denied",
            "The session of this entry was not issued for this operation. Nothing was done; its operator can issue one \
             that is.",
        )
        .without_effect(),
        Denied::Store(error) => error.into(),
    }
}

fn refused(refusal: Refusal) -> Failure {
    match refusal {
        Refusal::Missing => missing(),
        Refusal::Changed => Failure::safe(
            "note-changed",
            "The note has another version or title than you say. Nothing was changed; read it again before you decide.",
        )
        .without_effect(),
        Refusal::Store(error) => error.into(),
    }
}

/// The one answer for a note of somebody else and for one that never was.
fn missing() -> Failure {
    Failure::safe("note-not-found", "You have no such note. List your notes to find their ids.").without_effect()
}
