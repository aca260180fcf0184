//! Everything about an operation that a reviewer relies on.

use serde_json::{Value, json};

use super::Tool;
use super::description::{Described, Hints, text};
use crate::fingerprint::Fingerprint;
use crate::operation::Declaration;

/// The fingerprint of an exposed operation. Its tool name is no part of it: it may be a number.
///
/// `asked` says who answers for it.
pub(crate) fn fingerprint(declaration: &Declaration, effective: &Value, tool: &Tool, asked: Value) -> Fingerprint {
    Fingerprint::of(&[
        ("name", json!([declaration.plugin, declaration.method, tool.title])),
        ("description", json!(text(declaration))),
        ("input schema", effective.clone()),
        ("served schema", tool.input_schema.clone()),
        ("hints", json!(Hints::of(declaration, &tool.title))),
        ("declaration", json!(Described::of(declaration))),
        (
            "context, confirmation or approval",
            json!([declaration.context, declaration.confirmation, declaration.approval]),
        ),
        ("masking", json!([declaration.secret_output, declaration.accepts_redacted])),
        ("reconcile", json!(declaration.reconcile)),
        ("who is asked", asked),
        ("program", json!(declaration.program)),
    ])
}
