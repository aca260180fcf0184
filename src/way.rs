//! Where in a JSON value another one stands.

use crate::schema::escaped;

/// One step into a JSON value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Member(String),
    Item(usize),
}

/// The steps from a whole value to one inside it.
pub(crate) type Way = Vec<Step>;

impl Step {
    /// As a segment of a JSON Pointer.
    pub(crate) fn segment(&self) -> String {
        match self {
            Self::Member(name) => escaped(name),
            Self::Item(index) => index.to_string(),
        }
    }
}
