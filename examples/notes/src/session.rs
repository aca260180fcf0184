//! What a session is issued for, and why one is denied.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use clap::ValueEnum;
use jiff::{Span, Timestamp, tz::TimeZone};
use secrecy::SecretString;

use crate::store::StoreError;

/// An operation that a session may be used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Method {
    /// Write a new note down.
    Create,
    /// See which notes there are.
    List,
    /// Read a note.
    Read,
    /// Change a note.
    Update,
    /// Remove a note for ever.
    Remove,
}

impl Method {
    /// Every operation.
    pub const ALL: [Self; 5] = [Self::Create, Self::List, Self::Read, Self::Update, Self::Remove];

    /// The operation's method, as callers and the database know it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::List => "list",
            Self::Read => "read",
            Self::Update => "update",
            Self::Remove => "remove",
        }
    }
}

/// The operations that a session may be used for: at least one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Audience(BTreeSet<Method>);

impl Audience {
    /// These operations, or `None` for none at all.
    #[must_use]
    pub fn new(methods: impl IntoIterator<Item = Method>) -> Option<Self> {
        let methods: BTreeSet<_> = methods.into_iter().collect();
        (!methods.is_empty()).then_some(Self(methods))
    }

    /// The operations, each once.
    pub fn methods(&self) -> impl Iterator<Item = Method> {
        self.0.iter().copied()
    }
}

impl fmt::Display for Audience {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.methods().map(Method::as_str).collect();
        to.write_str(&names.join(", "))
    }
}

/// When a session ends, as a person says it.
#[derive(Debug, Clone, Copy)]
pub enum Expiry {
    /// At a moment.
    At(Timestamp),
    /// This long after it was issued.
    After(Span),
}

impl Expiry {
    /// The moment, for a session that is issued now; `None` if it is not in the future.
    #[must_use]
    pub fn from(self, now: Timestamp) -> Option<Timestamp> {
        let moment = match self {
            Self::At(moment) => moment,
            Self::After(span) => now.to_zoned(TimeZone::UTC).checked_add(span).ok()?.timestamp(),
        };
        (moment > now).then_some(moment)
    }
}

impl FromStr for Expiry {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse().map(Self::At).or_else(|_| text.parse().map(Self::After)).map_err(
            |_| "expected a span such as 12h, 30d or 1y, or a time with its offset such as 2030-01-31T09:00:00+01:00",
        )
    }
}

/// A session that was just issued.
pub struct Issued {
    /// What its holder presents. It cannot be read back.
    pub session: SecretString,
    /// What names it to the people who run the database; it opens nothing.
    pub id: String,
}

/// Why a session does not let a call through.
#[derive(Debug, thiserror::Error)]
pub enum Denied {
    /// It was never issued.
    #[error("the session is unknown")]
    Unknown,
    /// Its time is over.
    #[error("the session has expired")]
    Expired,
    /// It was taken away.
    #[error("the session was revoked")]
    Revoked,
    /// It is valid, for other operations.
    #[error("the session was not issued for this operation")]
    OtherAudience,
    /// The store failed, so nobody can say.
    #[error(transparent)]
    Store(#[from] StoreError),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn an_expiry_is_a_span_or_a_moment() {
        let now = at("2030-01-31T09:00:00Z");
        for (text, expected) in [
            ("90m", "2030-01-31T10:30:00Z"),
            ("12h", "2030-01-31T21:00:00Z"),
            ("30d", "2030-03-02T09:00:00Z"),
            ("P1M", "2030-02-28T09:00:00Z"),
            ("2030-01-31T11:00:00+01:00", "2030-01-31T10:00:00Z"),
        ] {
            assert_eq!(text.parse::<Expiry>().unwrap().from(now), Some(at(expected)), "{text}");
        }
    }

    #[test]
    fn an_expiry_that_is_no_future_is_none() {
        let now = at("2030-01-31T09:00:00Z");
        for text in ["0d", "-1h", "9999y", "2030-01-31T09:00:00Z", "2029-01-31T09:00:00Z"] {
            assert_eq!(text.parse::<Expiry>().unwrap().from(now), None, "{text}");
        }
        for text in ["", "30", "never", "2030-01-31", "2030-01-31T09:00:00"] {
            assert!(text.parse::<Expiry>().is_err(), "{text}");
        }
    }
}
