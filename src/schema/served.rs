//! The schema that clients see, for the weakest of them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::emit::emit_object;
use super::kinds::{Kinds, accepted};
use super::parts::{Members, Term};
use super::places::{Wrong, each};
use super::shape::{Reader, Result, Shape, Unservable};

/// References within each other are followed so far, and less far where the result would become too large.
const DEPTH: usize = 8;
/// Steps that one schema may take.
const BUDGET: usize = 20_000;
/// The largest served schema, in bytes of canonical JSON.
const LARGEST: usize = 1 << 15;
/// The longest account of alternatives, in characters.
const ACCOUNT: usize = 1500;

/// # Errors
/// The place and the rule that make it unservable.
pub(super) fn served(effective: &Value) -> std::result::Result<Value, String> {
    let mut fault = Unservable::TooLarge;
    for depth in (0..=DEPTH).rev() {
        match root(&Reader::new(effective, depth, BUDGET)) {
            Ok(Some(schema)) if depth == 0 || crate::gate::canonical_length(&schema) <= LARGEST => return Ok(schema),
            Ok(Some(_)) => {}
            Ok(None) => return Err(nothing(effective).told()),
            Err(found) => fault = found,
        }
    }
    Err(match fault {
        Unservable::TooLarge => "its input schema becomes too large when it is written without references; split the operation, or use an open object".to_owned(),
        Unservable::TooManyAlternatives => "its input schema multiplies out to more than 64 alternatives at one place; write fewer anyOf and oneOf beside each other".to_owned(),
    })
}

/// Why no object is accepted: the innermost place that needs what it forbids, or accepts no value.
fn nothing(effective: &Value) -> Wrong {
    let mut innermost =
        Wrong { pointer: String::new(), problem: "accepts nothing: two of its rules exclude each other".to_owned() };
    let mut seen = 0;
    // Each round stops one schema further on.
    while let Err(wrong) = {
        let mut left = seen;
        each(effective, &mut |schema| match accepts_nothing(schema, effective) {
            Some(problem) if left == 0 => Err(problem),
            Some(_) => {
                left -= 1;
                Ok(())
            }
            None => Ok(()),
        })
    } {
        seen += 1;
        if wrong.pointer.starts_with(&innermost.pointer) {
            innermost = wrong;
        }
    }
    innermost
}

fn accepts_nothing(schema: &Value, root: &Value) -> Option<String> {
    if schema["additionalProperties"] == Value::Bool(false) && schema.get("patternProperties").is_none() {
        let is_declared = |name: &str| schema["properties"].get(name).is_some();
        let mut needed = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
        if let Some(name) = needed.find(|name| !is_declared(name)) {
            return Some(format!("accepts nothing: it requires the member {name:?} and does not declare it"));
        }
    }
    (schema.is_object() && accepted(schema, root) == Kinds::NONE)
        .then(|| "accepts nothing: two of its rules exclude each other".to_owned())
}

/// One object, whatever it is composed of: alternatives are served as the union of their members.
fn root(reader: &Reader<'_>) -> Result<Option<Value>> {
    let mut shape = reader.shape(reader.root())?;
    let mut words = shape.words.take();
    let mut alternatives = reader.alternatives(shape)?;
    alternatives.retain(|shape| shape.kinds.has(Kinds::OBJECT));
    let Some(required) = alternatives.iter().map(|shape| shape.required.clone()).reduce(|a, b| &a & &b) else {
        return Ok(None);
    };
    let schema = if let [only] = alternatives.as_slice() {
        emit_object(reader, &only.members, &required)?
    } else {
        words.rule(account(&alternatives, &required));
        emit_object(reader, &[union(&alternatives)], &required)?
    };
    Ok(schema.map(|mut schema| {
        if let [only] = alternatives.as_slice() {
            only.words.write_to(&mut schema);
        }
        words.write_to(&mut schema);
        schema
    }))
}

/// The members of all alternatives, each as any alternative allows it.
fn union<'s>(alternatives: &[Shape<'s>]) -> Members<'s> {
    let all = |shape: &Shape<'s>, name: Option<&str>| {
        let declared = |members: &Members<'s>| name.is_some_and(|name| members.named.contains_key(name));
        let is_declared = shape.members.iter().any(|members| !members.is_closure && declared(members));
        let parts = shape.members.iter().filter(|members| !(members.is_closure && is_declared && declared(members)));
        let term = |members: &Members<'s>| match name {
            Some(name) => members.term(name).cloned(),
            None => members.others.clone(),
        };
        Term::All(parts.filter_map(term).collect())
    };
    let names: BTreeSet<&'s str> = alternatives
        .iter()
        .flat_map(|shape| {
            shape.members.iter().flat_map(|members| members.named.keys().copied()).chain(shape.required.iter().copied())
        })
        .collect();
    let either = |name: Option<&str>| Term::Either(alternatives.iter().map(|shape| all(shape, name)).collect());
    let members: BTreeMap<_, _> = names.into_iter().map(|name| (name, Some(either(Some(name))))).collect();
    Members { named: members, others: Some(either(None)), is_closure: false }
}

/// Which members belong together, for people and models.
fn account(alternatives: &[Shape<'_>], common: &BTreeSet<&str>) -> String {
    let mut account: Vec<String> = Vec::new();
    let everywhere = alternatives.iter().map(declared).reduce(|a, b| &a & &b).unwrap_or_default();
    for shape in alternatives {
        let fixed = |name: &str| {
            let terms = shape.members.iter().filter_map(|members| members.named.get(name)?.as_ref());
            terms.into_iter().find_map(|term| match term {
                Term::Schema(schema, _) => {
                    schema.get("const").or_else(|| match schema.get("enum")?.as_array()?.as_slice() {
                        [only] => Some(only),
                        _ => None,
                    })
                }
                _ => None,
            })
        };
        let mut needed = Vec::new();
        for name in &shape.required {
            match fixed(name) {
                Some(value) => needed.insert(0, format!("{name} = {value}")),
                None if common.contains(name) => {}
                None => needed.push((*name).to_owned()),
            }
        }
        let optional: Vec<&str> =
            declared(shape).difference(&shape.required).copied().filter(|name| !everywhere.contains(name)).collect();
        let mut text = if needed.is_empty() { "no further member".to_owned() } else { needed.join(", ") };
        if !optional.is_empty() {
            text = format!("{text} (optional: {})", optional.join(", "));
        }
        if let Some(words) = shape.words.text() {
            text = format!("{text}: {}", words.trim_end_matches('.'));
        }
        if !account.contains(&text) {
            account.push(text);
        }
    }
    let text = format!("one of these: {}", account.join("; or "));
    match text.char_indices().nth(ACCOUNT) {
        Some((cut, _)) => format!("{} ..", &text[..cut]),
        None => text,
    }
}

/// The members that an alternative declares.
fn declared<'s>(shape: &Shape<'s>) -> BTreeSet<&'s str> {
    let open = shape.members.iter().filter(|members| !members.is_closure);
    open.flat_map(|members| members.named.keys().copied()).collect()
}
