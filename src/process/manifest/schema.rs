//! The input schema of an operation: written in the application file, or in a file of its own.

use std::path::{Path, PathBuf};

use serde_json::{Map, Number, Value};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::launch::section::Section;
use crate::launch::{Place, Refusal, text};
use crate::scan::scan;

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
        return object(section, table);
    };
    let path = folder.join(file);
    if !path.exists() {
        return Err(section
            .refuse("input", format!("there is no file {file:?}"))
            .advice("the path stands against this file's folder"));
    }
    let text = text::read(&path, "a schema", "name a file that holds a JSON Schema")?;
    files.push(path.clone());
    json(&path, &text)
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
        DeValue::String(text) => Value::from(text.as_ref()),
        DeValue::Boolean(flag) => Value::from(*flag),
        DeValue::Integer(integer) => i64::from_str_radix(integer.as_str(), integer.radix())
            .map(Value::from)
            .map_err(|_| refuse("the number does not fit 64 bits"))?,
        DeValue::Float(float) => float
            .as_str()
            .parse()
            .ok()
            .and_then(Number::from_f64)
            .map(Value::Number)
            .ok_or_else(|| refuse("JSON has no such number"))?,
        DeValue::Array(items) => Value::Array(items.iter().map(|item| value(section, item)).collect::<Result<_, _>>()?),
        DeValue::Table(table) => object(section, table)?,
        DeValue::Datetime(_) => return Err(refuse("JSON has no dates: write it as a text")),
    })
}
