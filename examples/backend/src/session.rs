//! Sessions: who a process speaks for.
//!
//! A session is 32 random bytes, shown once. A database holds its SHA-256, which is enough for a secret that nobody
//! chose: there is nothing to guess from a stolen table.

use secrecy::{ExposeSecret as _, SecretString};
use sha2::{Digest as _, Sha256};

use crate::random;

/// The person or program that something belongs to.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::Type)]
#[sqlx(transparent)]
pub struct Owner(String);

impl Owner {
    /// The owner's name, as the database knows it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::str::FromStr for Owner {
    type Err = &'static str;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        if name.is_empty() || name.chars().count() > 100 || name.chars().any(char::is_control) {
            return Err("a name has 1 to 100 characters, none of them a control character");
        }
        Ok(Self(name.to_owned()))
    }
}

/// A new session; `prefix` tells people and scanners what it is.
///
/// # Errors
///
/// When the operating system has no randomness to give.
pub fn mint(prefix: &str) -> Result<SecretString, getrandom::Error> {
    random::name(prefix, 32).map(SecretString::from)
}

/// What a database holds of a session.
#[must_use]
pub fn digest(session: &SecretString) -> String {
    random::hex(&Sha256::digest(session.expose_secret().as_bytes()))
}
