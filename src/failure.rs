//! What an application may say about a call that failed.
//!
//! Trust boundary: an error is opaque by default. Its text goes to the log, redacted; only what was built with
//! [`Failure::safe`] reaches the caller.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;

use crate::diagnostic::code;

type BoxError = Box<dyn Error + Send + Sync>;

/// Why an operation, a start, a stop or a binding failed.
///
/// Any error converts into an opaque failure, so `?` works: the caller sees the code `invocation-failed` and a fixed
/// sentence, the log sees the error. [`Failure::safe`] makes one whose code and message the caller sees.
///
/// `Failure` does not implement [`Error`], as `From` for every error would then be ambiguous. An error enum of your own
/// that implements `Error` converts as opaque; give it a method that picks safe codes and call `.map_err(..)`.
///
/// ```
/// use opgate::Failure;
///
/// fn refund(amount: u32) -> Result<u32, Failure> {
///     if amount == 0 {
///         return Err(Failure::safe("nothing-to-refund", "This order was never paid.").without_effect());
///     }
///     let rate: u32 = "7".parse()?; // opaque if it fails
///     Ok(amount * rate)
/// }
/// # assert!(refund(1).is_ok());
/// ```
pub struct Failure(Box<Kind>);

enum Kind {
    Opaque(BoxError),
    /// The operation was not started.
    NotStarted(BoxError),
    Safe(Safe),
}

struct Safe {
    code: Cow<'static, str>,
    message: String,
    without_effect: bool,
    /// Said by opgate of the application, not by the application.
    ours: bool,
    cause: Option<BoxError>,
}

impl Failure {
    /// A failure whose code and message the caller sees.
    ///
    /// `code` is `[a-z][a-z0-9-]{0,63}` and none of opgate's own; any other is logged and replaced by
    /// `invocation-failed`. A caller sees at most 500 characters of `message`; it must not quote input or foreign errors.
    pub fn safe(code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        let mut code = code.into();
        if !code::is_free_for_applications(&code) {
            let used: String = code.chars().take(80).collect();
            tracing::warn!(
                target: "opgate::failure",
                code = used,
                "an application used a code that is malformed or reserved: write at most 64 of a-z, 0-9 and -, a letter first, and none of opgate's own"
            );
            code = Cow::Borrowed(code::INVOCATION_FAILED);
        }
        let message = message.into();
        Self(Box::new(Kind::Safe(Safe { code, message, without_effect: false, ours: false, cause: None })))
    }

    /// A failure of which the caller learns nothing but that it happened. `error` may be a text, or a
    /// `Box<dyn Error + Send + Sync>`, neither of which `?` converts.
    pub fn opaque(error: impl Into<BoxError>) -> Self {
        Self(Box::new(Kind::Opaque(error.into())))
    }

    /// A failure before anything of the operation ran.
    pub(crate) fn not_started(error: impl Into<BoxError>) -> Self {
        Self(Box::new(Kind::NotStarted(error.into())))
    }

    /// A failure of opgate's own while an operation ran: `message` for the caller, `error` for the log.
    pub(crate) fn of_invocation(message: String, error: impl Into<BoxError>) -> Self {
        let code = Cow::Borrowed(code::INVOCATION_FAILED);
        Self(Box::new(Kind::Safe(Safe { code, message, without_effect: false, ours: true, cause: Some(error.into()) })))
    }

    /// Whether the application chose to fail so.
    pub(crate) fn is_the_applications_own(&self) -> bool {
        matches!(&*self.0, Kind::Safe(Safe { ours: false, .. }))
    }

    pub(crate) fn is_not_started(&self) -> bool {
        matches!(&*self.0, Kind::NotStarted(_))
    }

    /// Adds an error for the log; the caller never sees it. A second call replaces the first.
    #[must_use]
    pub fn caused_by(mut self, error: impl Into<BoxError>) -> Self {
        match &mut *self.0 {
            Kind::Opaque(cause) | Kind::NotStarted(cause) => *cause = error.into(),
            Kind::Safe(safe) => safe.cause = Some(error.into()),
        }
        self
    }

    /// States that the operation changed nothing: its caller is told the outcome `not-started` instead of `unknown`.
    /// Without effect on an opaque failure, of which nothing is known.
    #[must_use]
    pub fn without_effect(mut self) -> Self {
        if let Kind::Safe(safe) = &mut *self.0 {
            safe.without_effect = true;
        }
        self
    }

    /// The code and message that the caller may see, if there are any; the message before it is redacted and shortened.
    #[must_use]
    pub fn to_caller(&self) -> Option<(&str, &str)> {
        match &*self.0 {
            Kind::Opaque(_) | Kind::NotStarted(_) => None,
            Kind::Safe(safe) => Some((&safe.code, &safe.message)),
        }
    }

    pub(crate) fn is_without_effect(&self) -> bool {
        matches!(&*self.0, Kind::Safe(Safe { without_effect: true, .. }))
    }

    /// The whole chain of errors, for a redacted log and for the operator's terminal.
    pub(crate) fn chain(&self) -> String {
        let (mut text, mut next): (String, Option<&dyn Error>) = match &*self.0 {
            Kind::Opaque(error) | Kind::NotStarted(error) => (error.to_string(), error.source()),
            Kind::Safe(safe) => {
                let cause = safe.cause.as_deref().map(|error| error as &dyn Error);
                (format!("{} ({})", safe.message, safe.code), cause)
            }
        };
        while let Some(error) = next {
            text.push_str(": ");
            text.push_str(&error.to_string());
            next = error.source();
        }
        text
    }
}

impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Failure({})", self.chain())
    }
}

impl<E: Error + Send + Sync + 'static> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::opaque(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_safe_failure_reaches_the_caller() {
        let opaque = Failure::from(std::io::Error::other("password=hunter2"));
        assert_eq!(opaque.to_caller(), None);
        assert!(opaque.chain().contains("hunter2"));
        let safe = Failure::safe("not-found", "No such order.").caused_by("row 7 is gone");
        assert_eq!(safe.to_caller(), Some(("not-found", "No such order.")));
        assert_eq!(safe.chain(), "No such order. (not-found): row 7 is gone");
    }

    #[test]
    fn a_malformed_or_reserved_code_is_replaced() {
        for code in ["", "Not-Found", "9lives", "a b", "adapter-busy", "cleanup-failed", &"a".repeat(65)] {
            assert_eq!(
                Failure::safe(code.to_owned(), "x").to_caller(),
                Some((code::INVOCATION_FAILED, "x")),
                "{code:?}"
            );
        }
        assert!(Failure::safe("a".repeat(64), "x").to_caller().is_some_and(|(code, _)| code.len() == 64));
    }
}
