//! The input schema of an operation: written in the application file, or in a file of its own.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::operation::KEYS;
use crate::launch::section::{Section, scalar};
use crate::launch::{Place, Refusal, text};
use crate::scan::scan;
use crate::schema::operation_key;

const ADVICE: &str = "add input = { file = \"schema.json\" }, or a table [operations.input] with the JSON Schema itself; for an operation without input write input = { type = \"object\" }";

/// The schema under `input`.
pub(super) fn written(section: &Section<'_, '_>, folder: &Path, files: &mut Vec<PathBuf>) -> Result<Value, Refusal> {
    let value = section.value("input").ok_or_else(|| section.missing("input").advice(ADVICE))?;
    let table = value.get_ref().as_table().ok_or_else(|| section.wrong("input", value, "a table").advice(ADVICE))?;
    if table.len() > 1 && table.get("file").is_some_and(|file| file.get_ref().is_str()) {
        return Err(section
            .refuse("input", "a schema is in a file or written here, not both")
            .advice("write input = { file = \"schema.json\" } without other keys, or the schema without `file`"));
    }
    let Some(file) = only_file(table) else {
        let schema = object(section, table)?;
        // In TOML a key belongs to the table above it, wherever that ends: a gate must not get lost in a schema.
        return match operation_key(&schema, &KEYS) {
            None => Ok(schema),
            Some((pointer, key)) => Err(misplaced(section, table, &pointer, key)),
        };
    };
    let path = folder.join(file);
    if !path.exists() {
        return Err(section
            .refuse("input", format!("there is no file {file:?}"))
            .advice("the path stands against this file's folder"));
    }
    let text = text::read(&path, "a schema", "name a file that holds a JSON Schema")?;
    files.push(path.clone());
    let schema = json(&path, &text)?;
    without_keys_at_its_root(section, &schema).map(|()| schema)
}

/// Refuses a schema from elsewhere that holds what belongs into the entry around it.
pub(super) fn without_keys_at_its_root(section: &Section<'_, '_>, schema: &Value) -> Result<(), Refusal> {
    match KEYS.into_iter().find(|key| schema.get(key).is_some()) {
        None => Ok(()),
        Some(key) => Err(section
            .refuse("input", format!("{key} stands in the schema, where it means nothing"))
            .advice(format!("write {key} beside `input`, as a key of the operation"))),
    }
}

fn misplaced(section: &Section<'_, '_>, table: &DeTable<'_>, pointer: &str, key: &str) -> Refusal {
    let segments = pointer.split('/').skip(1).map(|segment| segment.replace("~1", "/").replace("~0", "~"));
    let mut place = Some(table);
    let mut open: Option<&DeValue<'_>> = None;
    for segment in segments {
        let inside = match (open, place) {
            (Some(DeValue::Array(items)), _) => segment.parse::<usize>().ok().and_then(|index| items.get(index)),
            (_, Some(table)) => table.get(segment.as_str()),
            _ => None,
        };
        open = inside.map(Spanned::get_ref);
        place = open.and_then(DeValue::as_table);
    }
    let span = place.and_then(|table| table.keys().find(|name| name.get_ref() == key)).map(Spanned::span);
    let entry = section.entry(&format!("input{}.{key}", pointer.replace('/', ".")));
    section
        .source
        .refuse_at(span.unwrap_or_default(), format!("{key} is a key of the operation, and stands in its schema"))
        .entry(entry)
        .advice("move it above [operations.input]: what follows that line belongs to the schema")
}

/// The file that the schema is in, where the table says nothing else.
fn only_file<'t>(table: &'t DeTable<'_>) -> Option<&'t str> {
    let (name, value) = table.iter().next().filter(|_| table.len() == 1)?;
    value.get_ref().as_str().filter(|_| name.get_ref() == "file")
}

fn json(path: &Path, text: &str) -> Result<Value, Refusal> {
    let advice = "write one JSON Schema whose root is an object";
    match serde_json::from_str(text) {
        // The scanner is stricter than the parser.
        Ok(value) => match scan(text.as_bytes()) {
            Ok(_) => Ok(value),
            Err(fault) => {
                let problem = fault.message().trim_start_matches("Parse error: ");
                Err(Refusal::new(format!("it cannot be used: {problem}")).file(path).advice(advice))
            }
        },
        Err(error) => {
            let place = Place::in_line(path, text, error.line(), error.column());
            let said = error.to_string();
            let problem = said.split(" at line").next().unwrap_or_default();
            Err(Refusal::new(format!("it is not JSON: {problem}")).at(place).advice(advice))
        }
    }
}

/// A TOML table as the JSON object it stands for.
fn object(section: &Section<'_, '_>, table: &DeTable<'_>) -> Result<Value, Refusal> {
    let members = table.iter().map(|(name, item)| Ok((name.get_ref().to_string(), value(section, item)?)));
    members.collect::<Result<Map<_, _>, Refusal>>().map(Value::Object)
}

fn value(section: &Section<'_, '_>, item: &Spanned<DeValue<'_>>) -> Result<Value, Refusal> {
    let refuse = |problem: &str| section.source.refuse_at(item.span(), problem).entry(section.entry("input"));
    Ok(match item.get_ref() {
        DeValue::Array(items) => Value::Array(items.iter().map(|item| value(section, item)).collect::<Result<_, _>>()?),
        DeValue::Table(table) => object(section, table)?,
        DeValue::Datetime(_) => return Err(refuse("JSON has no dates: write it as a text")),
        other => scalar(other).unwrap_or(Ok(Value::Null)).map_err(refuse)?,
    })
}
