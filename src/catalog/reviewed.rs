//! Everything about an operation that a reviewer relies on.

use serde_json::{Value, json};

use super::Tool;
use super::description::{Described, Hints, text};
use crate::fingerprint::Fingerprint;
use crate::operation::Declaration;

/// What the launch file adds to it.
pub(crate) struct Reviewed {
    /// Who answers for it.
    pub(crate) asked: Value,
    /// How its context is made.
    pub(crate) context: Value,
    /// What is masked besides.
    pub(crate) masking: Value,
    pub(crate) audited: bool,
}

/// The fingerprint of an exposed operation. Its tool name is no part of it: it may be a number.
pub(crate) fn fingerprint(declaration: &Declaration, effective: &Value, tool: &Tool, launch: Reviewed) -> Fingerprint {
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
        ("masking", json!([declaration.secret_output, declaration.accepts_redacted, launch.masking])),
        ("reconcile", json!(declaration.reconcile)),
        ("who is asked", launch.asked),
        ("program", json!(declaration.program)),
        ("how context is made", launch.context),
        ("audit", json!(launch.audited)),
    ])
}
