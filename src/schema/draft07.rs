//! Documents that say they are draft-07, in the words of 2020-12.
//!
//! Source: json-schema.org, "Migrating from Draft 7 to Draft 2019-09" and "from 2019-09 to 2020-12".

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use super::{LIST, MAP, ONE};

const CURRENT: &str = "https://json-schema.org/draft/2020-12/schema";
const DRAFT_07: [&str; 2] = ["http://json-schema.org/draft-07/schema", "https://json-schema.org/draft-07/schema"];

/// The document in 2020-12; the same one where it is written in it or says nothing.
///
/// # Errors
/// The dialect, if it is another one; what has no translation.
pub(super) fn translated(document: &Value) -> Result<Cow<'_, Value>, String> {
    match document.get("$schema").map(|dialect| dialect.as_str().map(|text| text.trim_end_matches('#'))) {
        None | Some(Some(CURRENT)) => Ok(Cow::Borrowed(document)),
        Some(Some(draft)) if DRAFT_07.contains(&draft) => {
            let mut translated = document.clone();
            translate(&mut translated)?;
            Ok(Cow::Owned(translated))
        }
        Some(_) => Err(format!(
            "its input schema is written in {}; supported are JSON Schema 2020-12 and draft-07",
            document["$schema"]
        )),
    }
}

fn translate(schema: &mut Value) -> Result<(), String> {
    let Value::Object(keywords) = schema else { return Ok(()) };
    keywords.remove("$schema");
    if let Some(reference) = keywords.remove("$ref") {
        refuse_moved(&reference)?;
        // In draft-07 a reference stands for the whole schema; definitions beside it can still be referred to.
        keywords.retain(|keyword, _| matches!(keyword.as_str(), "definitions" | "description" | "title"));
        keywords.insert("$ref".to_owned(), reference);
    }
    match keywords.remove("items") {
        Some(list @ Value::Array(_)) => {
            keywords.insert("prefixItems".to_owned(), list);
            if let Some(rest) = keywords.remove("additionalItems") {
                keywords.insert("items".to_owned(), rest);
            }
        }
        // Beside one schema for all items, additionalItems means nothing.
        Some(all) => {
            keywords.remove("additionalItems");
            keywords.insert("items".to_owned(), all);
        }
        None => {
            keywords.remove("additionalItems");
        }
    }
    if let Some(Value::Object(dependencies)) = keywords.remove("dependencies") {
        translate_dependencies(keywords, dependencies)?;
    }
    for (keyword, value) in keywords {
        let keyword = keyword.as_str();
        match value {
            Value::Array(list) if LIST.contains(&keyword) => list.iter_mut().try_for_each(translate)?,
            Value::Object(map) if MAP.contains(&keyword) => map.values_mut().try_for_each(translate)?,
            value if ONE.contains(&keyword) => translate(value)?,
            _ => {}
        }
    }
    Ok(())
}

/// Refuses a reference into what the translation moves.
fn refuse_moved(reference: &Value) -> Result<(), String> {
    let text = reference.as_str().unwrap_or_default();
    let segments: Vec<&str> = text.split('/').collect();
    let moved = segments.iter().any(|segment| matches!(*segment, "additionalItems" | "dependencies"))
        || segments.windows(2).any(|pair| pair[0] == "items" && pair[1].bytes().all(|byte| byte.is_ascii_digit()));
    if moved {
        return Err(format!(
            "its input schema refers to {text:?}, which has another place in 2020-12: write it under definitions"
        ));
    }
    Ok(())
}

fn translate_dependencies(keywords: &mut Map<String, Value>, dependencies: Map<String, Value>) -> Result<(), String> {
    for (name, needed) in dependencies {
        let keyword = match &needed {
            Value::Array(_) => "dependentRequired",
            Value::Object(_) | Value::Bool(_) => "dependentSchemas",
            _ => return Err("its input schema has dependencies that are neither a list nor a schema".to_owned()),
        };
        keywords.entry(keyword).or_insert_with(|| json!({}))[name] = needed;
    }
    Ok(())
}
