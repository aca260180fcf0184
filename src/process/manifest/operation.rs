//! One entry of `[[operations]]`, written or printed.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::super::Described;
use super::super::plugin::Plugin;
use crate::launch::Refusal;
use crate::launch::section::Section;
use crate::operation::{Cancellation, Declaration, Effect, Retry};

const EFFECTS: [(&str, Effect); 3] = [("read", Effect::Read), ("write", Effect::Write), ("unknown", Effect::Unknown)];
const RETRIES: [(&str, Retry); 3] = [("safe", Retry::Safe), ("unsafe", Retry::Unsafe), ("unknown", Retry::Unknown)];
const CANCELLATIONS: [(&str, Cancellation); 4] = [
    ("none", Cancellation::None),
    ("request-only", Cancellation::RequestOnly),
    ("cooperative", Cancellation::Cooperative),
    ("unknown", Cancellation::Unknown),
];
/// What may stand in an entry and means nothing in a schema.
pub(super) const KEYS: [&str; 16] = [
    "accepts_redacted",
    "approval",
    "cancellation",
    "confirmation",
    "context",
    "destructive",
    "effect",
    "input",
    "method",
    "output",
    "plugin",
    "reconcile",
    "retry",
    "secret_output",
    "source",
    "timeout_seconds",
];
const REQUIRED: [(&str, bool); 1] = [("required", true)];

/// Everything but the plugin and the input's schema.
pub(super) fn read(section: &Section<'_, '_>, plugin: &Arc<Plugin>, schema: Value) -> Result<Described, Refusal> {
    let method = section
        .text("method")?
        .ok_or_else(|| section.missing("method").advice("add method = \"..\", an identifier"))?;
    let context = section.flag("context")?.unwrap_or_default();
    let mut declaration = Declaration::new(&plugin.id, method, schema, context);
    if let Some(description) = section.text("description")? {
        description.clone_into(&mut declaration.description);
    }
    declaration.effect = section.choice("effect", &EFFECTS)?.unwrap_or_default();
    declaration.destructive = section.flag("destructive")?;
    declaration.retry = section.choice("retry", &RETRIES)?.unwrap_or_default();
    declaration.cancellation = section.choice("cancellation", &CANCELLATIONS)?.unwrap_or_default();
    declaration.output = section.text("output")?.map(str::to_owned);
    declaration.confirmation = section.choice("confirmation", &REQUIRED)?.unwrap_or_default();
    declaration.approval = section.choice("approval", &REQUIRED)?.unwrap_or_default();
    let secret_output = section.texts("secret_output")?.unwrap_or_default();
    declaration.secret_output = secret_output.into_iter().map(|(_, pointer)| pointer.to_owned()).collect();
    declaration.accepts_redacted = section.flag("accepts_redacted")?.unwrap_or_default();
    declaration.source = section.text("source")?.map(str::to_owned);
    declaration.reconcile = section.text("reconcile")?.map(str::to_owned);
    let seconds = section.positive("timeout_seconds", 1)?;
    declaration.program = Some(json!([plugin.for_reviewers(), seconds]));
    let timeout = seconds.map(|seconds| Duration::from_secs(seconds as u64));
    Ok(Described { declaration, place: section.place_of("method"), plugin: Arc::clone(plugin), timeout })
}
