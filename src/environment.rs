//! The one place that reads the environment.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

use secrecy::SecretString;

/// The process's variables as they were at launch.
pub(crate) struct Environment {
    texts: BTreeMap<String, String>,
    /// Values that are no UTF-8: only programs can use them.
    others: BTreeMap<String, OsString>,
}

impl Environment {
    pub(crate) fn read() -> Self {
        let (mut texts, mut others) = (BTreeMap::new(), BTreeMap::new());
        for (name, value) in std::env::vars_os() {
            // A name that is none can be named in no file.
            let Ok(name) = name.into_string() else { continue };
            match value.into_string() {
                Ok(value) => drop(texts.insert(name, value)),
                Err(value) => drop(others.insert(name, value)),
            }
        }
        Self { texts, others }
    }

    /// A value as it is, for a program.
    pub(crate) fn raw(&self, name: &str) -> Option<&OsStr> {
        self.get(name).map(OsStr::new).or_else(|| self.others.get(name).map(OsString::as_os_str))
    }

    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.texts.get(name).map(String::as_str)
    }

    pub(crate) fn secret(&self, name: &str) -> Option<SecretString> {
        self.get(name).map(SecretString::from)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.texts.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

impl<N: Into<String>, V: Into<String>> FromIterator<(N, V)> for Environment {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(variables: I) -> Self {
        Self {
            texts: variables.into_iter().map(|(name, value)| (name.into(), value.into())).collect(),
            others: BTreeMap::new(),
        }
    }
}
