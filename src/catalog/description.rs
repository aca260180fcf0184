//! What a client is told about an operation, in words and as data.

use serde::Serialize;

use crate::operation::{Cancellation, Declaration, Effect, Retry};

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

/// The canonical description, for `_meta["opgate/operation"]`; its members in order.
#[derive(Serialize)]
#[expect(clippy::struct_excessive_bools, reason = "what a declaration says")]
pub(crate) struct Described<'d> {
    approval: bool,
    cancellation: Cancellation,
    confirmation: bool,
    context: bool,
    description: &'d str,
    destructive: Option<bool>,
    effect: Effect,
    method: &'d str,
    output: Option<&'d str>,
    plugin: &'d str,
    retry: Retry,
    schema: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<&'d str>,
}

impl<'d> Described<'d> {
    pub(crate) fn of(declaration: &'d Declaration) -> Self {
        Self {
            approval: declaration.approval,
            cancellation: declaration.cancellation,
            confirmation: declaration.confirmation,
            context: declaration.context,
            description: &declaration.description,
            destructive: declaration.destructive,
            effect: declaration.effect,
            method: &declaration.method,
            output: declaration.output.as_deref(),
            plugin: &declaration.plugin,
            retry: declaration.retry,
            schema: true,
            source: declaration.source.as_deref(),
        }
    }
}

/// The four hints, always all of them: clients differ in what they assume of an absent one. They describe; nothing in
/// the gate reads them back. The title is beside them for clients that know no other.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_excessive_bools, reason = "the protocol's own members")]
pub(crate) struct Hints<'d> {
    destructive_hint: bool,
    idempotent_hint: bool,
    open_world_hint: bool,
    read_only_hint: bool,
    title: &'d str,
}

impl<'d> Hints<'d> {
    pub(crate) fn of(declaration: &Declaration, title: &'d str) -> Self {
        Self {
            destructive_hint: declaration.destructive.unwrap_or(true),
            idempotent_hint: declaration.retry == Retry::Safe,
            open_world_hint: true,
            read_only_hint: declaration.effect == Effect::Read,
            title,
        }
    }
}
