//! What an operation says about itself. Descriptions only: nothing in the gate reads effect, retry or cancellation
//! back, and declaring exposes nothing.

use serde::Serialize;
use serde_json::Value;

/// What an operation does to the application's data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Effect {
    /// Changes nothing.
    Read,
    /// Changes something.
    Write,
    /// Nobody said; treated as a write.
    #[default]
    Unknown,
}

/// Whether the same call may be made again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Retry {
    /// A second identical call has no further effect.
    Safe,
    /// A second identical call acts again.
    Unsafe,
    /// Nobody said; treated as unsafe.
    #[default]
    Unknown,
}

/// What happens to the work when its caller gives up. A description: cancelling a request never stops the work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Cancellation {
    /// The work cannot be cancelled.
    None,
    /// Another operation records a request to stop.
    RequestOnly,
    /// The work looks for such a request and stops by itself.
    Cooperative,
    /// Nobody said.
    #[default]
    Unknown,
}

/// The declaration of one operation, as a binding sees it in [`Call::operation`](crate::Call::operation).
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a declaration of its own")]
pub struct Declaration {
    pub(crate) plugin: String,
    pub(crate) method: String,
    pub(crate) description: String,
    pub(crate) effect: Effect,
    pub(crate) destructive: Option<bool>,
    pub(crate) retry: Retry,
    pub(crate) cancellation: Cancellation,
    pub(crate) output: Option<String>,
    pub(crate) context: bool,
    pub(crate) confirmation: bool,
    pub(crate) approval: bool,
    pub(crate) secret_output: Vec<String>,
    pub(crate) accepts_redacted: bool,
    pub(crate) source: Option<String>,
    pub(crate) reconcile: Option<String>,
    pub(crate) schema: Value,
    /// For a process application: what runs it, for reviewers alone.
    pub(crate) program: Option<Value>,
}

impl Declaration {
    pub(crate) fn new(plugin: &str, method: &str, schema: Value, context: bool) -> Self {
        Self {
            plugin: plugin.to_owned(),
            method: method.to_owned(),
            description: String::new(),
            effect: Effect::default(),
            destructive: None,
            retry: Retry::default(),
            cancellation: Cancellation::default(),
            output: None,
            context,
            confirmation: false,
            approval: false,
            secret_output: Vec::new(),
            accepts_redacted: false,
            source: None,
            reconcile: None,
            schema,
            program: None,
        }
    }

    /// The plugin id, for example `orders`.
    #[must_use]
    pub fn plugin(&self) -> &str {
        &self.plugin
    }

    /// The method, for example `refund`.
    #[must_use]
    pub fn method(&self) -> &str {
        &self.method
    }

    /// `plugin.method`, as written in an allowlist.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{}.{}", self.plugin, self.method)
    }

    /// The description, as declared.
    #[must_use]
    pub fn description(&self) -> &str {
        &self.description
    }

    /// What the operation does to data.
    #[must_use]
    pub fn effect(&self) -> Effect {
        self.effect
    }
}
