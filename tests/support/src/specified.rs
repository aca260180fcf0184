//! MCP's own JSON schemas, one a revision, and what they say of a value.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use jsonschema::Validator;
use serde_json::{Value, json};

/// By revision and definition.
type Validators = HashMap<(String, String), Arc<Validator>>;

/// Compiled once a process.
static VALIDATORS: OnceLock<Mutex<Validators>> = OnceLock::new();

/// Validates a value with a definition of a revision's schema (`"2025-11-25"`, `"CallToolResult"`).
///
/// # Errors
///
/// What is wrong with it, and where.
///
/// # Panics
///
/// If there is no such definition.
pub fn validate(revision: &str, definition: &str, value: &Value) -> Result<(), String> {
    let problems: Vec<String> = validator(revision, definition)
        .iter_errors(value)
        .map(|problem| format!("{problem} at {:?}", problem.instance_path().to_string()))
        .collect();
    if problems.is_empty() { Ok(()) } else { Err(format!("no {definition} of {revision}: {}", problems.join("; "))) }
}

fn validator(revision: &str, definition: &str) -> Arc<Validator> {
    let all = VALIDATORS.get_or_init(Mutex::default);
    let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
    let key = (revision.to_owned(), definition.to_owned());
    Arc::clone(all.entry(key).or_insert_with(|| Arc::new(compile(revision, definition))))
}

fn compile(revision: &str, definition: &str) -> Validator {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../clients/mcp-schema/{revision}.json"));
    let mut schema: Value =
        serde_json::from_slice(&std::fs::read(file).expect("a revision's schema")).expect("a schema is JSON");
    let definitions = if schema.get("$defs").is_some() { "$defs" } else { "definitions" };
    assert!(schema[definitions].get(definition).is_some(), "{revision} has no {definition}");
    schema["$ref"] = json!(format!("#/{definitions}/{definition}"));
    jsonschema::validator_for(&schema).expect("a schema")
}
