//! Building rules, and what building refuses or leaves out.

use std::{fmt, sync::Arc};

use secrecy::{ExposeSecret as _, SecretString};

use super::{
    Judged, Paths, Rules,
    keys::KeyNames,
    secrets::Secrets,
    shapes::{Class, Shapes, Token},
};
use crate::MASK;

/// The shortest secret that is searched for. Shorter ones would shred ordinary text.
pub(super) const SHORTEST: usize = 8;
/// The shortest prefix of a token.
const SHORTEST_PREFIX: usize = 3;
/// What follows a prefix that was added, at least.
const AFTER_PREFIX: usize = 12;

/// Collects rules. Starts from the defaults; mistakes are reported by [`RulesBuilder::build`].
#[must_use]
pub struct RulesBuilder {
    default_keys: bool,
    value_shapes: bool,
    keys: Vec<String>,
    prefixes: Vec<String>,
    secrets: Vec<(Box<str>, SecretString)>,
    paths: Vec<String>,
}

impl Default for RulesBuilder {
    fn default() -> Self {
        Self {
            default_keys: true,
            value_shapes: true,
            keys: Vec::new(),
            prefixes: Vec::new(),
            secrets: Vec::new(),
            paths: Vec::new(),
        }
    }
}

impl RulesBuilder {
    /// Masks the value under keys with this name too. The name may be in any style: `api_key`, `apiKey` and `API-KEY` are
    /// the same, and match every key that has these whole words side by side.
    pub fn key(mut self, name: &str) -> Self {
        self.keys.push(name.to_owned());
        self
    }

    /// Masks this value wherever it stands in a string or a key: as it is, percent-encoded, JSON-escaped, or in base64.
    /// White space around it is not part of it. `name` is only for [`Skipped`] and [`Rules::reveals`].
    pub fn secret(mut self, name: impl Into<String>, value: SecretString) -> Self {
        self.secrets.push((name.into().into_boxed_str(), value));
        self
    }

    /// Masks tokens that begin with `prefix` and go on with at least 12 letters, digits, `_` or `-`. The prefix has at
    /// least 3 characters and is of that kind itself. Needs [`RulesBuilder::value_shapes`].
    pub fn token_prefix(mut self, prefix: &str) -> Self {
        self.prefixes.push(prefix.to_owned());
        self
    }

    /// Masks the value at this place; see [`Rules::with_paths`].
    pub fn path(mut self, pointer: &str) -> Self {
        self.paths.push(pointer.to_owned());
        self
    }

    /// Whether the default key names are masked. On unless switched off.
    pub fn default_keys(mut self, on: bool) -> Self {
        self.default_keys = on;
        self
    }

    /// Whether text that looks like a credential is masked. On unless switched off.
    pub fn value_shapes(mut self, on: bool) -> Self {
        self.value_shapes = on;
        self
    }

    /// The rules, and the secrets that they do not search for.
    ///
    /// # Errors
    ///
    /// [`RulesError`] for a key name, prefix or pointer that cannot be used, or more secrets than fit an automaton.
    pub fn build(self) -> Result<(Rules, Vec<Skipped>), RulesError> {
        let mut keys = if self.default_keys { KeyNames::defaults() } else { KeyNames::default() };
        let mut declared = KeyNames::default();
        for name in self.keys {
            if !keys.add(&name) || !declared.add(&name) {
                return Err(RulesError::KeyName { name });
            }
        }
        let mut paths = Paths::default();
        for pointer in &self.paths {
            paths.add(pointer)?;
        }
        let tokens = self.prefixes.into_iter().map(token).collect::<Result<Vec<_>, _>>()?;
        let (mut searched, mut skipped) = (Vec::new(), Vec::new());
        for (name, value) in &self.secrets {
            let value = value.expose_secret().trim();
            match why_skipped(value) {
                None => searched.push((name.clone(), value)),
                Some(why) => skipped.push(Skipped { name: name.clone(), why }),
            }
        }
        // The automaton's own error says which limit was hit; it holds no value, but nothing useful either.
        let secrets = Secrets::new(&searched).map_err(|_| RulesError::TooManySecrets)?.map(Arc::new);
        let shapes = self.value_shapes.then(|| Shapes::new(&tokens));
        Ok((Rules { content: Arc::new(Judged { keys, declared, secrets, shapes }), paths: Arc::new(paths) }, skipped))
    }
}

fn token(prefix: String) -> Result<Token, RulesError> {
    let class = Class::Word;
    let usable = prefix.len() >= SHORTEST_PREFIX
        && prefix.bytes().all(|byte| class.has(byte))
        && prefix.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric());
    if usable {
        Ok(Token { prefix: prefix.into(), class, least: AFTER_PREFIX })
    } else {
        Err(RulesError::Prefix { prefix })
    }
}

fn why_skipped(value: &str) -> Option<Why> {
    if value.len() < SHORTEST {
        Some(Why::Short)
    } else if value.contains(MASK) || MASK.contains(value) {
        Some(Why::Mask)
    } else {
        None
    }
}

impl fmt::Debug for RulesBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RulesBuilder").field("secrets", &self.secrets.len()).finish_non_exhaustive()
    }
}

/// A secret that is not searched for. Its value is still masked under a key name or at a declared place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` is not searched for: {why}")]
pub struct Skipped {
    name: Box<str>,
    why: Why,
}

impl Skipped {
    /// The name it was given.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Why it is not searched for.
    #[must_use]
    pub fn reason(&self) -> Why {
        self.why
    }
}

/// Why a secret is not searched for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Why {
    /// It has fewer than 8 bytes, and ordinary text would be shredded.
    #[error("it is shorter than 8 bytes")]
    Short,
    /// It is part of the mask, or has the mask in it.
    #[error("it cannot be told from the mask")]
    Mask,
}

/// A rule that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RulesError {
    /// A key name without a letter, or with the word of the mask in it.
    #[error("`{name}` cannot be a key name: it needs a letter, and not the word of the mask")]
    KeyName {
        /// As it was given.
        name: String,
    },
    /// Not a JSON Pointer, or one with the mask in it.
    #[error("`{pointer}` is not a usable JSON Pointer")]
    Pointer {
        /// As it was given.
        pointer: String,
    },
    /// A token prefix that is too short or has other characters.
    #[error(
        "`{prefix}` cannot be a token prefix: it needs 3 or more letters, digits, `_` or `-`, a letter or digit first"
    )]
    Prefix {
        /// As it was given.
        prefix: String,
    },
    /// All secrets together are too large to search for.
    #[error("the secrets are too many to search for")]
    TooManySecrets,
}
