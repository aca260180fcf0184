//! A shape as a schema in the few keywords that every client understands: `type`, `description`, `enum`, `anyOf`,
//! `properties`, `required`, `additionalProperties`, `items`, `minimum`, `maximum`, `minLength`, `maxLength`, `minItems`,
//! `maxItems`, `pattern`, and `format: date-time`.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::kinds::Kinds;
use super::parts::{Members, Term};
use super::shape::{Bound, Reader, Result, Shape};
use super::words::Words;

/// The served schema of a value that satisfies `term`; nothing if no value does. An optional member loses its null: it
/// may as well be absent.
pub(super) fn emit<'s>(reader: &Reader<'s>, term: Term<'s>, optional: bool) -> Result<Option<Value>> {
    reader.spend()?;
    let mut shape = reader.shape(term)?;
    let words = shape.words.take();
    let mut alternatives = Vec::new();
    for shape in reader.alternatives(shape)? {
        if shape.is_any() {
            alternatives = vec![any(&shape.words)];
            break;
        }
        for (kind, values) in single_kinds(&shape) {
            if let Some(schema) = emit_kind(reader, &shape, kind, values)?
                && !alternatives.contains(&schema)
            {
                alternatives.push(schema);
            }
        }
    }
    if optional && alternatives.iter().any(|schema| schema["type"] != "null") {
        alternatives.retain(|schema| schema["type"] != "null");
    }
    let alternatives = with_joined_enums(alternatives);
    let mut schema = match alternatives.len() {
        0 => return Ok(None),
        1 => alternatives.into_iter().next().unwrap_or_default(),
        _ => json!({ "anyOf": alternatives }),
    };
    words.write_to(&mut schema);
    Ok(Some(schema))
}

/// A value of any kind. Some clients refuse an empty schema, so it says so.
fn any(words: &Words) -> Value {
    let mut schema = json!({});
    words.write_to(&mut schema);
    if schema.get("description").is_none() {
        schema["description"] = json!("Any JSON value.");
    }
    schema
}

pub(super) fn is_any(schema: &Value) -> bool {
    schema.get("type").is_none() && schema.get("anyOf").is_none()
}

/// The kinds that `shape` accepts, one by one, each with its values where they are listed.
fn single_kinds<'s>(shape: &Shape<'s>) -> Vec<(Kinds, Option<Vec<&'s Value>>)> {
    let number = if shape.kinds.has(Kinds::FRACTION) { Kinds::NUMBER } else { Kinds::INTEGER };
    let kinds = [Kinds::STRING, number, Kinds::BOOLEAN, Kinds::ARRAY, Kinds::OBJECT, Kinds::NULL];
    let values = |kind| {
        let values = shape.values.as_ref()?;
        Some(values.iter().copied().filter(|value| Kinds::of(value).within(kind)).collect())
    };
    kinds.into_iter().filter(|kind| shape.kinds.has(*kind)).map(|kind| (kind, values(kind))).collect()
}

fn emit_kind<'s>(
    reader: &Reader<'s>,
    shape: &Shape<'s>,
    kind: Kinds,
    values: Option<Vec<&'s Value>>,
) -> Result<Option<Value>> {
    let mut schema = match kind {
        Kinds::STRING => json!({ "type": "string" }),
        Kinds::INTEGER => json!({ "type": "integer" }),
        Kinds::NUMBER => json!({ "type": "number" }),
        Kinds::BOOLEAN => json!({ "type": "boolean" }),
        Kinds::NULL => json!({ "type": "null" }),
        Kinds::ARRAY => json!({ "type": "array" }),
        _ => json!({ "type": "object" }),
    };
    let mut words = shape.words.clone();
    match (kind, values) {
        (Kinds::NULL, _) => {}
        (Kinds::ARRAY | Kinds::OBJECT, Some(values)) => {
            words.keyword("one of", &json!(values));
            complete(&mut schema);
        }
        (_, Some(values)) => schema["enum"] = json!(values),
        (Kinds::STRING, None) => {
            copy_counts(shape, &["minLength", "maxLength"], &mut schema);
            for (keyword, value) in [("pattern", shape.pattern), ("format", shape.format)] {
                if let Some(value) = value {
                    schema[keyword] = json!(value);
                }
            }
        }
        (Kinds::INTEGER | Kinds::NUMBER, None) => {
            bound("minimum", shape.least, kind, 1, &mut schema, &mut words);
            bound("maximum", shape.greatest, kind, -1, &mut schema, &mut words);
        }
        (Kinds::ARRAY, None) => emit_array(reader, shape, &mut schema)?,
        (Kinds::OBJECT, None) => {
            let Some(object) = emit_object(reader, &shape.members, &shape.required)? else { return Ok(None) };
            schema = object;
        }
        _ => {}
    }
    words.write_to(&mut schema);
    Ok(Some(schema))
}

/// Gives a container the members that clients want to see.
fn complete(schema: &mut Value) {
    if schema["type"] == "array" {
        schema["items"] = any(&Words::default());
    } else {
        schema["properties"] = json!({});
        schema["required"] = json!([]);
        schema["additionalProperties"] = json!(true);
    }
}

fn copy_counts(shape: &Shape<'_>, keywords: &[&str], schema: &mut Value) {
    for keyword in keywords {
        if let Some(count) = shape.counts.get(keyword) {
            schema[*keyword] = json!(count);
        }
    }
}

/// An exclusive bound is served as the next integer, or as an inclusive one and in words.
fn bound(keyword: &str, bound: Option<Bound<'_>>, kind: Kinds, step: i64, schema: &mut Value, words: &mut Words) {
    let Some(Bound { limit, exclusive }) = bound else { return };
    let next = limit.as_i64().and_then(|limit| limit.checked_add(step)).filter(|_| kind == Kinds::INTEGER);
    schema[keyword] = match next {
        Some(next) if exclusive => json!(next),
        _ => limit.clone(),
    };
    if exclusive && next.is_none() {
        words.rule(format!("{} than {limit}", if step > 0 { "more" } else { "less" }));
    }
}

fn emit_array<'s>(reader: &Reader<'s>, shape: &Shape<'s>, schema: &mut Value) -> Result<()> {
    copy_counts(shape, &["minItems", "maxItems"], schema);
    let first = shape.items.iter().map(|items| items.first.len()).max().unwrap_or_default();
    let at = |place: usize| {
        Term::All(
            shape.items.iter().filter_map(|items| items.first.get(place).or(items.rest.as_ref())).cloned().collect(),
        )
    };
    let most = shape.counts.get("maxItems").copied().unwrap_or(u64::MAX);
    // Which place an item stands at is not served: an item may be any of what some place allows.
    let mut places = Vec::new();
    let mut told = Vec::new();
    for place in 0..first {
        let schema = emit(reader, at(place), false)?;
        let title = shape.items.iter().find_map(|items| items.first.get(place)?.title());
        let kind = schema.as_ref().map_or_else(|| "nothing".to_owned(), summary);
        told.push(title.map_or_else(|| kind.clone(), |title| format!("{title} ({kind})")));
        places.extend(schema);
    }
    let rest = if first > 0 && most <= first as u64 { None } else { emit(reader, at(first), false)? };
    if rest.is_none() {
        schema["maxItems"] = json!(most.min(first as u64));
    }
    if first > 0 {
        told.extend(rest.as_ref().map(|rest| format!("then {}", summary(rest))));
        let mut words = Words::default();
        words.rule(format!("items in this order: {}", told.join(", ")));
        words.write_to(schema);
    }
    places.extend(rest);
    schema["items"] = either(places);
    Ok(())
}

/// What a served schema is, in a word.
fn summary(schema: &Value) -> String {
    let either =
        |values: &[Value], text: fn(&Value) -> String| values.iter().map(text).collect::<Vec<_>>().join(" or ");
    match (&schema["type"], &schema["enum"], &schema["anyOf"]) {
        (_, Value::Array(values), _) if values.len() <= 3 => either(values, Value::to_string),
        (Value::String(kind), ..) => kind.clone(),
        (_, _, Value::Array(alternatives)) => either(alternatives, summary),
        _ => "any value".to_owned(),
    }
}

/// The union of schemas that were already emitted.
fn either(schemas: Vec<Value>) -> Value {
    let mut alternatives: Vec<Value> = Vec::new();
    for schema in schemas {
        if is_any(&schema) {
            return schema;
        }
        let parts = match schema.get("anyOf") {
            Some(Value::Array(parts)) => parts.clone(),
            _ => vec![schema],
        };
        for part in parts {
            if !alternatives.contains(&part) {
                alternatives.push(part);
            }
        }
    }
    let mut alternatives = with_joined_enums(alternatives);
    match alternatives.len() {
        0 => any(&Words::default()),
        1 => alternatives.remove(0),
        _ => json!({ "anyOf": alternatives }),
    }
}

/// An object; nothing if no object satisfies it.
pub(super) fn emit_object<'s>(
    reader: &Reader<'s>,
    members: &[Members<'s>],
    required: &BTreeSet<&'s str>,
) -> Result<Option<Value>> {
    let names: BTreeSet<&str> =
        members.iter().flat_map(|members| members.named.keys().copied()).chain(required.iter().copied()).collect();
    let mut properties = Map::new();
    for name in names {
        let is_declared = members.iter().any(|members| !members.is_closure && members.named.contains_key(name));
        let terms =
            members.iter().filter(|members| !(members.is_closure && is_declared && members.named.contains_key(name)));
        let term = Term::All(terms.filter_map(|members| members.term(name).cloned()).collect());
        match emit(reader, term, !required.contains(name))? {
            Some(schema) => {
                properties.insert(name.to_owned(), schema);
            }
            None if required.contains(name) => return Ok(None),
            None => {}
        }
    }
    let others = members.iter().filter_map(|members| members.others.clone()).collect();
    let additional = match emit(reader, Term::All(others), false)? {
        None => json!(false),
        Some(schema) if is_any(&schema) => json!(true),
        Some(schema) => schema,
    };
    Ok(Some(json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": additional,
    })))
}

/// Lists of values of one kind as one list; what each value means goes into the description.
fn with_joined_enums(schemas: Vec<Value>) -> Vec<Value> {
    let mut joined: Vec<Value> = Vec::new();
    for mut schema in schemas {
        if schema.get("enum").is_some() {
            explain_values(&mut schema);
        }
        let same = |other: &&mut Value| {
            schema.get("enum").is_some() && other.get("enum").is_some() && other["type"] == schema["type"]
        };
        let Some(known) = joined.iter_mut().find(same) else {
            joined.push(schema);
            continue;
        };
        if let (Value::Array(known), Value::Array(further)) = (&mut known["enum"], &schema["enum"]) {
            let new: Vec<Value> = further.iter().filter(|value| !known.contains(value)).cloned().collect();
            known.extend(new);
        }
        if let Some(meaning) = schema.get("description").and_then(Value::as_str) {
            let before = known.get("description").and_then(Value::as_str).map(|before| format!("{before} "));
            known["description"] = json!(before.unwrap_or_default() + meaning);
        }
    }
    joined
}

/// Says which value a description is about, before it stands beside others.
fn explain_values(schema: &mut Value) {
    if let (Some(Value::Array(values)), Some(Value::String(meaning))) = (schema.get("enum"), schema.get("description"))
        && let [value] = values.as_slice()
    {
        let lead = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        if !meaning.starts_with(&format!("{lead}: ")) {
            let text = format!("{lead}: {}", meaning.trim_end_matches('.').to_owned() + ".");
            schema["description"] = json!(text);
        }
    }
}
