//! What is masked: built once, then shared.
//!
//! Trust boundary: the values of secrets go in here and come out only as places in a text. `Debug` shows counts.

mod filter;
mod forms;
mod keys;
mod paths;
mod secrets;
mod shapes;

use std::{fmt, sync::Arc};

pub(crate) use self::{
    keys::Words,
    paths::Paths,
    secrets::Secrets,
    shapes::{Class, LOOK_BACK, Line, PEM, PEM_END, Shapes, Verdict, pem_footer, pem_header},
};

mod builder;

pub use builder::{RulesBuilder, RulesError, Skipped, Why};

use keys::KeyNames;

/// What is masked: key names, known secrets, shapes of credentials and declared places.
///
/// Cloning shares everything. The default masks the values of the default key names and the default shapes, and knows no
/// secret. Secrets live in memory in plain form as long as any clone does; `Debug` shows none of them.
#[derive(Clone)]
pub struct Rules {
    content: Arc<Judged>,
    paths: Arc<Paths>,
}

/// What keys and values are judged by; the places of one operation are beside it.
pub(crate) struct Judged {
    keys: KeyNames,
    /// Those of the keys that are no defaults.
    declared: KeyNames,
    secrets: Option<Arc<Secrets>>,
    shapes: Option<Shapes>,
}

impl Rules {
    /// Rules that start from the defaults.
    pub fn builder() -> RulesBuilder {
        RulesBuilder::default()
    }

    /// The same rules with further places whose values are masked, whatever they are.
    ///
    /// Places are JSON Pointers (RFC 6901) in which a segment `*` stands for any member or array item; the empty pointer
    /// is the whole value. Cheap: only the places are copied.
    ///
    /// # Errors
    ///
    /// [`RulesError::Pointer`] for text that is not a JSON Pointer, or has the mask in it.
    pub fn with_paths<P: AsRef<str>>(&self, pointers: impl IntoIterator<Item = P>) -> Result<Self, RulesError> {
        let mut paths = (*self.paths).clone();
        for pointer in pointers {
            paths.add(pointer.as_ref())?;
        }
        Ok(Self { content: Arc::clone(&self.content), paths: Arc::new(paths) })
    }

    /// The known secrets and the declared key names of these rules: no default key name, no shape of a credential, no place.
    ///
    /// For text that a person must be able to judge: who writes it could hide any part of it by making it look like a
    /// credential, but cannot make it a known one. Cheap: the secrets are shared.
    #[must_use]
    pub fn declared_only(&self) -> Self {
        let Judged { declared, secrets, .. } = &*self.content;
        let content =
            Judged { keys: declared.clone(), declared: declared.clone(), secrets: secrets.clone(), shapes: None };
        Self { content: Arc::new(content), paths: Arc::default() }
    }

    /// The name of a known secret that stands in `text`, in any form that is searched for; the first one of several.
    #[must_use]
    pub fn reveals(&self, text: &str) -> Option<&str> {
        let secrets = self.secrets()?;
        secrets.first(text.as_bytes()).and_then(|found| secrets.name(found))
    }

    /// Whether the value under a key of this name is masked for its name; variables of an environment are judged the same
    /// way.
    #[must_use]
    pub fn names_secret(&self, name: &str) -> bool {
        self.is_secret_key(name, &mut Words::default())
    }

    pub(crate) fn judged(&self) -> &Arc<Judged> {
        &self.content
    }

    pub(crate) fn secrets(&self) -> Option<&Secrets> {
        self.content.secrets.as_deref()
    }

    pub(crate) fn shapes(&self) -> Option<&Shapes> {
        self.content.shapes.as_ref()
    }

    pub(crate) fn paths(&self) -> &Paths {
        &self.paths
    }

    pub(crate) fn is_secret_key(&self, key: &str, words: &mut Words) -> bool {
        self.content.keys.match_key(key, words)
    }

    /// Whether nothing in the text is to be masked.
    #[inline]
    pub(crate) fn is_clean(&self, text: &str) -> bool {
        let text = text.as_bytes();
        self.secrets().is_none_or(|secrets| secrets.first(text).is_none())
            && self.shapes().is_none_or(|shapes| shapes.is_clean(text))
    }

    /// Whether a number with this text is a known secret, or holds one.
    #[inline]
    pub(crate) fn is_clean_number(&self, text: &str) -> bool {
        self.secrets().is_none_or(|secrets| !secrets.in_numbers() || secrets.first(text.as_bytes()).is_none())
    }
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            content: Arc::new(Judged {
                keys: KeyNames::defaults(),
                declared: KeyNames::default(),
                secrets: None,
                shapes: Some(Shapes::new(&[])),
            }),
            paths: Arc::default(),
        }
    }
}

impl fmt::Debug for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rules")
            .field("secrets", &self.secrets().map_or(0, Secrets::count))
            .field("shapes", &self.shapes().is_some())
            .finish_non_exhaustive()
    }
}
