//! The failure codes that are opgate's own, and what each tells an agent to do.

pub(crate) const ADAPTER_CLOSED: &str = "adapter-closed";
pub(crate) const ADAPTER_BUSY: &str = "adapter-busy";
pub(crate) const RATE_LIMITED: &str = "rate-limited";
pub(crate) const REQUEST_CANCELLED: &str = "request-cancelled";
pub(crate) const INPUT_TOO_LARGE: &str = "input-too-large";
pub(crate) const INVALID_INPUT: &str = "invalid-input";
pub(crate) const CONFIRMATION_REQUIRED: &str = "confirmation-required";
pub(crate) const APPROVAL_REQUIRED: &str = "approval-required";
pub(crate) const INITIALIZATION_FAILED: &str = "initialization-failed";
pub(crate) const BINDING_FAILED: &str = "binding-failed";
pub(crate) const MISSING_CONTEXT_BINDING: &str = "missing-context-binding";
pub(crate) const INVOCATION_FAILED: &str = "invocation-failed";
pub(crate) const CLEANUP_FAILED: &str = "cleanup-failed";
pub(crate) const SERIALIZATION_FAILED: &str = "serialization-failed";
pub(crate) const OUTPUT_TOO_LARGE: &str = "output-too-large";

/// Every code of the phase table: an application can forge none.
const MESSAGES: [(&str, &str); 15] = [
    (ADAPTER_CLOSED, "The adapter is closing. This call was not started; call again after the server has restarted."),
    (ADAPTER_BUSY, "Another call is running. This one was not started; send it again when that one is answered."),
    (RATE_LIMITED, "Too many calls in a short time. This one was not started; send it again later."),
    (REQUEST_CANCELLED, "The request was cancelled before the operation was invoked. Nothing was done."),
    (INPUT_TOO_LARGE, "The arguments are larger than this launch allows. Nothing was done; send less at once."),
    (
        INVALID_INPUT,
        "The arguments do not fit the tool's input schema. Nothing was done; change what details.paths names.",
    ),
    (CONFIRMATION_REQUIRED, "This operation needs a confirmation and got none. Nothing was done."),
    (APPROVAL_REQUIRED, "This operation needs an approval and got none. Nothing was done."),
    (INITIALIZATION_FAILED, "The application could not be started. Nothing was done."),
    (BINDING_FAILED, "The trusted values of this launch could not be bound. Nothing was done."),
    (
        MISSING_CONTEXT_BINDING,
        "This operation needs a trusted context that this launch does not bind. Nothing was done.",
    ),
    (INVOCATION_FAILED, "The operation failed."),
    (CLEANUP_FAILED, "The operation did its work, but the application did not stop cleanly. The result is withheld."),
    (SERIALIZATION_FAILED, "The operation did its work, but its result is not JSON. The result is withheld."),
    (OUTPUT_TOO_LARGE, "The operation did its work, but its result is larger than this launch allows. Ask for less."),
];

/// What an agent is told about one of opgate's own codes.
pub(crate) fn message(code: &str) -> &'static str {
    MESSAGES.iter().find(|(own, _)| *own == code).map_or("", |(_, message)| message)
}

/// Whether an application may fail with `code`: `[a-z][a-z0-9-]{0,63}` and none of opgate's own.
pub(crate) fn is_free_for_applications(code: &str) -> bool {
    code.len() <= 64
        && code.starts_with(|first: char| first.is_ascii_lowercase())
        && code.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
        && MESSAGES.iter().all(|(own, _)| *own != code)
}
