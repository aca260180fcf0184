//! What a client is told about an operation, in words and as data.

use serde_json::{Value, json};

use crate::operation::{Declaration, Effect, Retry};

/// The last sentence of every description.
const CANCELLING: &str =
    "Cancelling the request abandons its answer only: the work and its clean-up finish, and nothing is undone.";

/// The description a model reads.
pub(crate) fn text(declaration: &Declaration) -> String {
    let mut text = declaration.description.trim().to_owned();
    if let Some(output) = &declaration.output {
        text.push_str("\nOutput: ");
        text.push_str(output.trim());
    }
    text.push('\n');
    text.push_str(CANCELLING);
    text.trim_start().to_owned()
}

/// The canonical description, for `_meta["opgate/operation"]`.
pub(crate) fn canonical(declaration: &Declaration) -> Value {
    let mut operation = json!({
        "plugin": declaration.plugin,
        "method": declaration.method,
        "description": declaration.description,
        "effect": declaration.effect,
        "destructive": declaration.destructive,
        "retry": declaration.retry,
        "cancellation": declaration.cancellation,
        "output": declaration.output,
        "context": declaration.context,
        "confirmation": declaration.confirmation,
        "approval": declaration.approval,
        "schema": true,
    });
    if let Some(source) = &declaration.source {
        operation["source"] = json!(source);
    }
    operation
}

/// The four hints, always all of them: clients differ in what they assume of an absent one. They describe; nothing in
/// the gate reads them back.
pub(crate) fn hints(declaration: &Declaration) -> Value {
    json!({
        "readOnlyHint": declaration.effect == Effect::Read,
        "destructiveHint": declaration.destructive.unwrap_or(true),
        "idempotentHint": declaration.retry == Retry::Safe,
        "openWorldHint": true,
    })
}
