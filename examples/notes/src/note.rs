//! What an owner sees of a note.

use jiff::Timestamp;
use serde::Serialize;

/// A moment that the database held, shown as RFC 3339.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Moment(Timestamp);

impl TryFrom<i64> for Moment {
    type Error = jiff::Error;

    fn try_from(millis: i64) -> Result<Self, Self::Error> {
        Timestamp::from_millisecond(millis).map(Self)
    }
}

/// A note without its body.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, sqlx::FromRow)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    /// The note's id.
    #[sqlx(rename = "id")]
    pub note_id: String,
    /// Its title.
    pub title: String,
    /// How often it was written: 1 for a new note.
    pub version: i64,
    /// When it was created.
    #[sqlx(try_from = "i64")]
    pub created_at: Moment,
    /// When it was written last.
    #[sqlx(try_from = "i64")]
    pub updated_at: Moment,
}

/// A whole note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, sqlx::FromRow)]
pub struct Note {
    /// Everything but the body.
    #[sqlx(flatten)]
    #[serde(flatten)]
    pub summary: Summary,
    /// The text.
    pub body: String,
}

/// Some notes, the newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Page {
    /// The notes.
    pub notes: Vec<Summary>,
    /// What to pass as `before` for the notes that follow; none if these were the last.
    pub next: Option<String>,
}
