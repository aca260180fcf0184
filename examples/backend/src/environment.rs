//! The variables that configure a process.
//!
//! None has a default: a database that is quietly made somewhere else, or opened as somebody else, is worse than a
//! refusal.

/// Why the environment cannot be used. The text names the variable, never its value.
#[derive(Debug, thiserror::Error)]
pub enum EnvironmentError {
    /// Unset, or set to nothing.
    #[error("{name} is not set: set it to {wanted}")]
    Unset {
        /// The variable.
        name: &'static str,
        /// What it has to hold.
        wanted: &'static str,
    },
    /// Set to bytes that are not text.
    #[error("{name} is not valid UTF-8")]
    NotText {
        /// The variable.
        name: &'static str,
    },
    /// A database this program cannot open.
    #[error("{name} names an unknown kind of database: use sqlite:PATH, a plain path or a postgres:// URL")]
    UnknownDatabase {
        /// The variable.
        name: &'static str,
    },
}

/// The value of a variable; `wanted` says what it has to hold.
///
/// # Errors
///
/// When it is unset, empty or not text.
#[expect(clippy::disallowed_methods, reason = "this module owns the environment of an application")]
pub fn variable(name: &'static str, wanted: &'static str) -> Result<String, EnvironmentError> {
    match std::env::var(name) {
        Ok(value) if !value.is_empty() => Ok(value),
        Ok(_) | Err(std::env::VarError::NotPresent) => Err(EnvironmentError::Unset { name, wanted }),
        Err(std::env::VarError::NotUnicode(_)) => Err(EnvironmentError::NotText { name }),
    }
}
