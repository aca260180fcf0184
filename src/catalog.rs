//! The tools of one process: the allowed operations, in allowlist order, as clients see them.
//!
//! Invariant: fixed for the life of the process; the same bytes in every launch of the same configuration.

pub(crate) mod description;
mod reviewed;

use std::sync::OnceLock;
use std::time::Duration;

use redact_json::Budget;
use serde_json::{Map, Value, json};

use crate::door::Revision;
use crate::operation::Declaration;
use crate::schema::InputSchema;

pub(crate) use reviewed::fingerprint;

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
    description: String,
    hints: Value,
    operation: Value,
    input_schema: Value,
}

impl Tool {
    pub(crate) fn new(name: String, declaration: &Declaration, schema: &InputSchema) -> Self {
        Self {
            name,
            title: declaration.name(),
            description: description::text(declaration),
            hints: description::hints(declaration),
            operation: description::canonical(declaration),
            input_schema: schema.served.clone(),
        }
    }

    /// The tool with what clients of `revision` know.
    fn render(&self, revision: Revision) -> Value {
        let mut tool = Map::new();
        tool.insert("name".to_owned(), json!(self.name));
        tool.insert("description".to_owned(), json!(self.description));
        tool.insert("inputSchema".to_owned(), self.input_schema.clone());
        if revision >= Revision::V2025_03_26 {
            let mut annotations = self.hints.clone();
            annotations["title"] = json!(self.title);
            tool.insert("annotations".to_owned(), annotations);
        }
        if revision >= Revision::V2025_06_18 {
            tool.insert("title".to_owned(), json!(self.title));
            tool.insert("_meta".to_owned(), json!({ "opgate/operation": self.operation }));
        }
        Value::Object(tool)
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

    /// The result of tools/list, as text. Rendered once a revision.
    pub(crate) fn list(&self, revision: Revision) -> &str {
        self.rendered[revision.index()].get_or_init(|| {
            let tools: Vec<Value> = self.tools.iter().map(|tool| tool.render(revision)).collect();
            let mut result = json!({ "tools": tools });
            if revision.is_stateless() {
                result["ttlMs"] = json!(self.keep.as_millis());
                result["cacheScope"] = json!("private");
                revision.complete(&mut result);
            }
            canonical(&result)
        })
    }
}

/// Protocol text that we made ourselves, without masking.
pub(crate) fn canonical(value: &Value) -> String {
    // Depth and numbers are our own; a value cannot fail to be written.
    redact_json::to_string(value, crate::redaction::nothing(), Budget::bytes(usize::MAX)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_list_is_the_largest() {
        let declaration = Declaration::new("a", "b", json!({ "type": "object" }), false);
        let tool = Tool::new(
            "operation_0".to_owned(),
            &declaration,
            &InputSchema::new(&declaration.schema).expect("a schema"),
        );
        let catalog = Catalog::new(vec![tool], Duration::ZERO);
        let newest = catalog.list(Revision::V2026_07_28).len();
        assert!(Revision::ALL.into_iter().all(|revision| catalog.list(revision).len() <= newest));
    }
}
