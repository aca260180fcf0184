//! The one place that reads the environment.

use std::collections::BTreeMap;

use secrecy::SecretString;

/// The process's variables as they were at launch. Values that are no UTF-8 are kept out: nothing can use them.
pub(crate) struct Environment(BTreeMap<String, String>);

impl Environment {
    pub(crate) fn read() -> Self {
        Self(
            std::env::vars_os()
                .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
                .collect(),
        )
    }

    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    pub(crate) fn secret(&self, name: &str) -> Option<SecretString> {
        self.get(name).map(SecretString::from)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

impl<N: Into<String>, V: Into<String>> FromIterator<(N, V)> for Environment {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(variables: I) -> Self {
        Self(variables.into_iter().map(|(name, value)| (name.into(), value.into())).collect())
    }
}
