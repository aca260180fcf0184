//! The arguments of the operations.
//!
//! A text that is here is one that may be stored: the bounds that a schema can state are stated there, the others are
//! enforced by these types. No member names an owner or a session.

use backend::database::NO_NULL;
use schemars::JsonSchema;
use serde::Deserialize;

/// A title: 1 to 200 characters on one line, without white space around them.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(inline, extend("minLength" = 1))]
pub struct Title(String);

impl Title {
    /// The longest title, in characters.
    pub const LIMIT: usize = 200;

    /// The title's text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for Title {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let title = text.trim();
        if title.is_empty() || title.chars().count() > Self::LIMIT || title.chars().any(char::is_control) {
            return Err("a title has 1 to 200 characters on one line");
        }
        Ok(Self(title.to_owned()))
    }
}

/// A text of at most 20 000 characters.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(inline, extend("maxLength" = Body::LIMIT))]
pub struct Body(String);

impl Body {
    /// The longest body, in characters.
    pub const LIMIT: usize = 20_000;

    /// The body's text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for Body {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        if text.contains('\0') || text.chars().count() > Self::LIMIT {
            return Err("a body has at most 20000 characters, none of them the null character");
        }
        Ok(Self(text))
    }
}

/// A note to write down.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewNote {
    /// 1 to 200 characters on one line; white space around them is removed.
    pub title: Title,
    /// The text, at most 20 000 characters; it may be empty.
    pub body: Body,
}

/// Which notes to list.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Listing {
    /// The `next` of the answer before, to go on where that one ended. Leave it out to begin with the newest note.
    #[schemars(length(min = 1, max = 100), regex(pattern = NO_NULL))]
    pub before: Option<String>,
}

/// One note.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NoteInput {
    /// The note's id, as list and create give it.
    #[schemars(length(min = 1, max = 100), regex(pattern = NO_NULL))]
    pub note_id: String,
}

/// What to change in a note.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Change {
    /// The note's id, as list and create give it.
    #[schemars(length(min = 1, max = 100), regex(pattern = NO_NULL))]
    pub note_id: String,
    /// The version that list or read gave. If the note has another one by now, nothing is changed.
    #[schemars(range(min = 1))]
    pub version: i64,
    /// The new title: 1 to 200 characters on one line; white space around them is removed. Leave it out to keep the title.
    pub title: Option<Title>,
    /// The whole new text, at most 20 000 characters. Leave it out to keep the text.
    pub body: Option<Body>,
}

/// A note to remove, as its owner last saw it.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Removal {
    /// The note's id, as list and create give it.
    #[schemars(length(min = 1, max = 100), regex(pattern = NO_NULL))]
    pub note_id: String,
    /// The note's title: the person who is asked knows the note by it. If it has another one, nothing is removed.
    pub title: Title,
    /// The version that list or read gave. If the note has another one by now, nothing is removed.
    #[schemars(range(min = 1))]
    pub version: i64,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn title(text: &str) -> Option<String> {
        Title::try_from(text.to_owned()).ok().map(|title| title.0)
    }

    #[test]
    fn a_title_is_counted_in_characters_after_trimming() {
        let longest = "ä".repeat(200);
        assert_eq!(title(&format!(" \t{longest}\u{a0}\n")).as_deref(), Some(longest.as_str()));
        assert_eq!(title("x").as_deref(), Some("x"));
        assert_eq!(title(&"ä".repeat(201)), None);
        assert_eq!(title(""), None);
        assert_eq!(title(" \u{2003}\n"), None);
    }

    #[test]
    fn a_title_is_one_line() {
        for text in ["a\nb", "a\0b", "a\u{1b}[2Jb"] {
            assert_eq!(title(text), None, "{text:?}");
        }
    }

    #[test]
    fn a_body_is_kept_as_it_is_up_to_its_bound() {
        let body = |text: String| Body::try_from(text).ok().map(|body| body.0);
        assert_eq!(body(" two\nlines ".into()).as_deref(), Some(" two\nlines "));
        assert_eq!(body(String::new()).as_deref(), Some(""));
        assert!(body("💡".repeat(20_000)).is_some());
        assert!(body("💡".repeat(20_001)).is_none());
        assert!(body("a\0b".into()).is_none());
    }
}
