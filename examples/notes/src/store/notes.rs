//! The notes of one owner.

use backend::{database::millis, random, session::Owner};
use jiff::Timestamp;

use super::{Store, StoreError};
use crate::input::{Body, Change, NewNote, Removal, Title};
use crate::note::{Note, Page, Summary};

/// How many notes a page holds.
const PAGE: usize = 50;

/// Why a note was not changed or removed. Nothing was written.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// The owner has no such note.
    #[error("there is no such note of this owner")]
    Missing,
    /// The note is not as its owner last saw it.
    #[error("the note has changed")]
    Changed,
    /// The store failed; whether anything was written is not known.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<sqlx::Error> for Refusal {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(error.into())
    }
}

impl Store {
    /// Writes a new note down.
    ///
    /// # Errors
    ///
    /// When there is no randomness or the database fails.
    pub async fn create(&self, owner: &Owner, new: &NewNote, now: Timestamp) -> Result<Summary, StoreError> {
        // Ids of later notes sort later, so that a page ends at an id.
        let id = random::name(&format!("note_{:012x}", millis(now)), 10)?;
        let mut transaction = self.0.write().await?;
        let summary = sqlx::query_as(
            "INSERT INTO notes (id, owner, title, body, version, created_at, updated_at)
             VALUES ($1, $2, $3, $4, 1, $5, $5)
             RETURNING id, title, version, created_at, updated_at",
        )
        .bind(id)
        .bind(owner.as_str())
        .bind(new.title.as_str())
        .bind(new.body.as_str())
        .bind(millis(now))
        .fetch_one(&mut *transaction)
        .await?;
        transaction.commit().await?;
        Ok(summary)
    }

    /// The owner's notes, the newest first, from the one after `before`.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn list(&self, owner: &Owner, before: Option<&str>) -> Result<Page, StoreError> {
        // One more than a page shows whether another follows.
        let mut notes: Vec<Summary> = sqlx::query_as(
            "SELECT id, title, version, created_at, updated_at FROM notes
             WHERE owner = $1 AND ($2 IS NULL OR id < $2)
             ORDER BY id DESC LIMIT $3",
        )
        .bind(owner.as_str())
        .bind(before)
        .bind(i64::try_from(PAGE + 1).unwrap_or(i64::MAX))
        .fetch_all(self.0.pool())
        .await?;
        let more = notes.len() > PAGE;
        notes.truncate(PAGE);
        let next = notes.last().filter(|_| more).map(|last| last.note_id.clone());
        Ok(Page { notes, next })
    }

    /// A note of the owner.
    ///
    /// # Errors
    ///
    /// When the database fails.
    pub async fn read(&self, owner: &Owner, id: &str) -> Result<Option<Note>, StoreError> {
        Ok(sqlx::query_as(
            "SELECT id, title, version, created_at, updated_at, body FROM notes WHERE id = $1 AND owner = $2",
        )
        .bind(id)
        .bind(owner.as_str())
        .fetch_optional(self.0.pool())
        .await?)
    }

    /// Changes a note of the owner, if it still has the version that the owner read.
    ///
    /// # Errors
    ///
    /// See [`Refusal`].
    pub async fn update(&self, owner: &Owner, change: &Change, now: Timestamp) -> Result<Summary, Refusal> {
        let mut transaction = self.0.write().await?;
        let updated = sqlx::query_as(
            "UPDATE notes
             SET title = COALESCE($4, title), body = COALESCE($5, body), version = version + 1, updated_at = $6
             WHERE id = $1 AND owner = $2 AND version = $3
             RETURNING id, title, version, created_at, updated_at",
        )
        .bind(&change.note_id)
        .bind(owner.as_str())
        .bind(change.version)
        .bind(change.title.as_ref().map(Title::as_str))
        .bind(change.body.as_ref().map(Body::as_str))
        .bind(millis(now))
        .fetch_optional(&mut *transaction)
        .await?;
        transaction.commit().await?;
        match updated {
            Some(summary) => Ok(summary),
            None => Err(self.refusal(owner, &change.note_id).await?),
        }
    }

    /// Removes a note of the owner for ever, if it is still as the owner saw it.
    ///
    /// # Errors
    ///
    /// See [`Refusal`].
    pub async fn remove(&self, owner: &Owner, removal: &Removal) -> Result<(), Refusal> {
        let removed = sqlx::query("DELETE FROM notes WHERE id = $1 AND owner = $2 AND version = $3 AND title = $4")
            .bind(&removal.note_id)
            .bind(owner.as_str())
            .bind(removal.version)
            .bind(removal.title.as_str())
            .execute(self.0.pool())
            .await?;
        if removed.rows_affected() == 1 {
            return Ok(());
        }
        Err(self.refusal(owner, &removal.note_id).await?)
    }

    /// Why a statement about that note met none.
    async fn refusal(&self, owner: &Owner, id: &str) -> Result<Refusal, StoreError> {
        Ok(self.read(owner, id).await?.map_or(Refusal::Missing, |_| Refusal::Changed))
    }
}
