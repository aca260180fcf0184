//! The tools of one process: the allowed operations, in allowlist order, as clients see them.
//!
//! Invariant: fixed for the life of the process; the same bytes in every launch of the same configuration.

pub(crate) mod description;
mod reviewed;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use redact_json::Budget;
use serde::Serialize;
use serde_json::Value;

use crate::door::Revision;
use crate::operation::Declaration;

pub(crate) use reviewed::{Reviewed, fingerprint};

use description::{Described, Hints};

pub(crate) struct Catalog {
    tools: Vec<Tool>,
    /// So long a client may keep the list.
    keep: Duration,
    rendered: [OnceLock<String>; Revision::ALL.len()],
}

/// One allowed operation as a tool.
pub(crate) struct Tool {
    pub(crate) name: String,
    pub(crate) title: String,
    declaration: Arc<Declaration>,
    /// As served.
    input_schema: Value,
}

/// The list as it is sent, its members in order. Written without masking: a launch refuses a list with a known secret.
#[derive(Serialize)]
struct List<'t> {
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    meta: Option<Value>,
    #[serde(rename = "cacheScope", skip_serializing_if = "Option::is_none")]
    cache_scope: Option<&'static str>,
    #[serde(rename = "resultType", skip_serializing_if = "Option::is_none")]
    result_type: Option<&'static str>,
    tools: Vec<Listed<'t>>,
    #[serde(rename = "ttlMs", skip_serializing_if = "Option::is_none")]
    ttl_ms: Option<u64>,
}

/// A tool with what clients of one revision know, its members in order.
#[derive(Serialize)]
struct Listed<'t> {
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    meta: Option<Meta<'t>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    annotations: Option<Hints<'t>>,
    description: String,
    #[serde(rename = "inputSchema")]
    input_schema: &'t Value,
    name: &'t str,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'t str>,
}

#[derive(Serialize)]
struct Meta<'t> {
    #[serde(rename = "opgate/operation")]
    operation: Described<'t>,
}

impl Tool {
    pub(crate) fn new(name: String, declaration: Arc<Declaration>, input_schema: Value) -> Self {
        Self { name, title: declaration.name(), declaration, input_schema }
    }

    fn listed(&self, revision: Revision) -> Listed<'_> {
        let from = |first| revision >= first;
        let declaration = &*self.declaration;
        Listed {
            meta: from(Revision::V2025_06_18).then(|| Meta { operation: Described::of(declaration) }),
            annotations: from(Revision::V2025_03_26).then(|| Hints::of(declaration, &self.title)),
            description: description::text(declaration),
            input_schema: &self.input_schema,
            name: &self.name,
            title: from(Revision::V2025_06_18).then_some(&self.title),
        }
    }
}

impl Catalog {
    pub(crate) fn new(tools: Vec<Tool>, keep: Duration) -> Self {
        Self { tools, keep, rendered: std::array::from_fn(|_| OnceLock::new()) }
    }

    pub(crate) fn tools(&self) -> &[Tool] {
        &self.tools
    }

    /// The position of the tool called `name`.
    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        self.tools.iter().position(|tool| tool.name == name)
    }

    /// The list that holds all that any holds: later revisions only add.
    pub(crate) fn largest(&self) -> &str {
        self.list(Revision::V2026_07_28)
    }

    /// The result of tools/list, as text. Rendered once a revision.
    pub(crate) fn list(&self, revision: Revision) -> &str {
        self.rendered[revision.index()].get_or_init(|| {
            let tools = self.tools.iter().map(|tool| tool.listed(revision)).collect();
            let stateless = revision.is_stateless();
            let list = List {
                meta: stateless.then(|| revision.identity()),
                cache_scope: stateless.then_some("private"),
                result_type: stateless.then_some("complete"),
                tools,
                ttl_ms: stateless.then(|| u64::try_from(self.keep.as_millis()).unwrap_or(u64::MAX)),
            };
            // It has only text keys: it cannot fail.
            serde_json::to_string(&list).unwrap_or_default()
        })
    }
}

/// Protocol text that we made ourselves, without masking.
pub(crate) fn canonical(value: &(impl Serialize + ?Sized)) -> String {
    // Depth and numbers are our own; it cannot fail to be written.
    redact_json::to_string(value, crate::redaction::nothing(), Budget::bytes(usize::MAX)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_list_is_the_largest() {
        let declaration = Declaration::new("a", "b", Value::Null, false);
        let tool = Tool::new("operation_0".to_owned(), Arc::new(declaration), Value::Null);
        let catalog = Catalog::new(vec![tool], Duration::ZERO);
        let newest = catalog.largest().len();
        assert!(Revision::ALL.into_iter().all(|revision| catalog.list(revision).len() <= newest));
    }
}
