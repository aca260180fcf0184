//! What is wrong with arguments that the validator refused.
//!
//! The validator's own account of alternatives within each other grows without bound, so this one walks schema and input
//! itself: a few problems, within a number of steps, in a stable order.

mod alternatives;
mod compiled;
mod found;
#[cfg(test)]
mod tests;

use jsonschema::error::ValidationErrorKind as Kind;
use serde_json::{Map, Value};

use self::compiled::Compiled;
use self::found::{Found, Says};
use super::problem::{Names, Problem};
use crate::schema::{escaped, located, member_names};
use crate::way::{Step, Way};

/// Steps that one explanation may take.
const STEPS: usize = 10_000;
/// Problems that are looked for.
const MOST: usize = 10;

/// Why `input` is not what the schema `root` wants.
pub(super) fn explain(root: &Value, names: &Names, input: &Value) -> Vec<Problem> {
    let mut explainer = Explainer { root, names, compiled: Compiled::new(root), steps: STEPS };
    let found = explainer.look(&Place { schema: root, pointer: String::new() }, input, &mut Way::new());
    found.into_iter().map(|found| found.problem).collect()
}

/// A schema, and where it stands in the document.
struct Place<'s> {
    schema: &'s Value,
    pointer: String,
}

impl<'s> Place<'s> {
    /// A schema inside this one.
    fn inside(&self, schema: &'s Value, way: &[&str]) -> Self {
        let pointer = way.iter().fold(self.pointer.clone(), |pointer, segment| pointer + "/" + &escaped(segment));
        Self { schema, pointer }
    }
}

struct Explainer<'s> {
    root: &'s Value,
    names: &'s Names,
    compiled: Compiled<'s>,
    steps: usize,
}

impl<'s> Explainer<'s> {
    /// What is wrong with the value at `way`. When the steps have run out, it may be less than everything, or nothing.
    fn look(&mut self, place: &Place<'s>, value: &Value, way: &mut Way) -> Vec<Found> {
        let Some(steps) = self.steps.checked_sub(1) else { return Vec::new() };
        self.steps = steps;
        let keywords = match place.schema {
            Value::Object(keywords) => keywords,
            Value::Bool(false) => return vec![self.found(way, "additionalProperties", "no such member")],
            _ => return Vec::new(),
        };
        let mut found = self.local(keywords, value, way);
        self.in_place(place, keywords, value, way, &mut found);
        match value {
            Value::Object(members) => self.members(place, keywords, members, way, &mut found),
            Value::Array(items) => self.items(place, keywords, items, way, &mut found),
            _ => {}
        }
        if found.is_empty() && self.steps > 0 {
            found.extend(self.unevaluated(place, keywords, value, way));
        }
        found.truncate(MOST);
        found
    }

    fn found(&self, way: &[Step], keyword: &str, expected: &str) -> Found {
        Found::new(self.names, way, keyword, expected)
    }

    /// What is wrong with the value by itself.
    fn local(&mut self, keywords: &'s Map<String, Value>, value: &Value, way: &[Step]) -> Vec<Found> {
        let Some(validator) = self.compiled.local(keywords) else { return Vec::new() };
        let mut found = Vec::new();
        for error in validator.iter_errors(value).take(MOST) {
            let mut expected = self.names.expected(&error);
            if matches!(error.kind(), Kind::MinProperties { .. }) && keywords.contains_key("properties") {
                expected = format!("{expected}; declared: {}", joined(declared(keywords)));
            }
            let says = Says::of(&error);
            found.push(Found { says, ..Found::new(self.names, way, error.kind().keyword(), &expected) });
        }
        found
    }

    /// What the schemas say that apply to the same value.
    fn in_place(
        &mut self,
        place: &Place<'s>,
        keywords: &'s Map<String, Value>,
        value: &Value,
        way: &mut Way,
        found: &mut Vec<Found>,
    ) {
        if let Some(reference) = keywords.get("$ref")
            && let Some((schema, pointer)) = located(reference, self.root)
        {
            found.extend(self.look(&Place { schema, pointer }, value, way));
        }
        for (index, schema) in list(keywords, "allOf").iter().enumerate() {
            found.extend(self.look(&place.inside(schema, &["allOf", &index.to_string()]), value, way));
        }
        for keyword in ["anyOf", "oneOf"] {
            let alternatives: Vec<Place<'s>> = list(keywords, keyword)
                .iter()
                .enumerate()
                .map(|(index, schema)| place.inside(schema, &[keyword, &index.to_string()]))
                .collect();
            if !alternatives.is_empty() {
                found.extend(self.alternatives(keyword, &alternatives, value, way));
            }
        }
        if let Some(condition) = keywords.get("if") {
            let branch = if self.holds(&place.inside(condition, &["if"]), value) { "then" } else { "else" };
            if let Some(schema) = keywords.get(branch) {
                found.extend(self.look(&place.inside(schema, &[branch]), value, way));
            }
        }
        if let Some(schema) = keywords.get("not")
            && self.holds(&place.inside(schema, &["not"]), value)
        {
            found.push(self.found(way, "not", &format!("not what the schema excludes: {schema}")));
        }
        let is_there = |name: &str| value.get(name).is_some();
        for (name, schema) in map(keywords, "dependentSchemas").filter(|(name, _)| is_there(name)) {
            found.extend(self.look(&place.inside(schema, &["dependentSchemas", name]), value, way));
        }
        for (name, needed) in map(keywords, "dependentRequired").filter(|(name, _)| is_there(name)) {
            let needed = needed.as_array().into_iter().flatten().filter_map(Value::as_str);
            for missing in needed.filter(|name| !is_there(name)) {
                found.push(self.found(way, "dependentRequired", &format!("the member {missing}, as {name} is there")));
            }
        }
    }

    fn members(
        &mut self,
        place: &Place<'s>,
        keywords: &'s Map<String, Value>,
        members: &Map<String, Value>,
        way: &mut Way,
        found: &mut Vec<Found>,
    ) {
        let mut too_many = false;
        for (name, value) in members {
            if found.len() >= MOST || self.steps == 0 {
                return;
            }
            let schemas = self.of_member(place, keywords, name);
            too_many |= schemas.is_empty() && keywords.get("additionalProperties") == Some(&Value::Bool(false));
            way.push(Step::Member(name.clone()));
            for schema in schemas {
                found.extend(self.look(&schema, value, way));
            }
            way.pop();
            if let Some(schema) = keywords.get("propertyNames") {
                let wrong =
                    self.look(&place.inside(schema, &["propertyNames"]), &Value::from(name.as_str()), &mut Way::new());
                found.extend(wrong.first().map(|wrong| {
                    self.found(way, "propertyNames", &format!("member names: {}", wrong.problem.expected))
                }));
            }
        }
        if too_many {
            found.push(self.found(way, "additionalProperties", &none_but(declared(keywords))));
        }
    }

    /// The schemas for the value of a member; none if it is one too many, or one that may be anything.
    fn of_member(&mut self, place: &Place<'s>, keywords: &'s Map<String, Value>, name: &str) -> Vec<Place<'s>> {
        let own = map(keywords, "properties").find(|(declared, _)| *declared == name);
        let mut schemas: Vec<Place<'s>> =
            own.map(|(name, schema)| place.inside(schema, &["properties", name])).into_iter().collect();
        for (pattern, schema) in map(keywords, "patternProperties") {
            if self.compiled.matches(pattern, name) {
                schemas.push(place.inside(schema, &["patternProperties", pattern]));
            }
        }
        match keywords.get("additionalProperties") {
            Some(schema) if schemas.is_empty() && *schema != Value::Bool(false) => {
                schemas.push(place.inside(schema, &["additionalProperties"]));
            }
            _ => {}
        }
        schemas
    }

    fn items(
        &mut self,
        place: &Place<'s>,
        keywords: &'s Map<String, Value>,
        items: &[Value],
        way: &mut Way,
        found: &mut Vec<Found>,
    ) {
        let first = list(keywords, "prefixItems");
        for (index, value) in items.iter().enumerate() {
            if found.len() >= MOST || self.steps == 0 {
                return;
            }
            let schema = match (first.get(index), keywords.get("items")) {
                (Some(schema), _) => place.inside(schema, &["prefixItems", &index.to_string()]),
                (None, Some(schema)) => place.inside(schema, &["items"]),
                (None, None) => break,
            };
            way.push(Step::Item(index));
            found.extend(self.look(&schema, value, way));
            way.pop();
        }
        if let Some(schema) = keywords.get("contains") {
            let limit = |keyword: &str| keywords.get(keyword).and_then(Value::as_u64);
            let contained = place.inside(schema, &["contains"]);
            let count = items.iter().map(|item| u64::from(self.holds(&contained, item))).sum::<u64>();
            let (least, most) = (limit("minContains").unwrap_or(1), limit("maxContains").unwrap_or(u64::MAX));
            if count < least {
                found.push(self.found(way, "contains", &format!("at least {least} items that fit {schema}")));
            } else if count > most {
                found.push(self.found(way, "contains", &format!("at most {most} items that fit {schema}")));
            }
        }
    }

    /// What no schema in place is about, where all else is right: which members and items those are, the validator says.
    fn unevaluated(
        &mut self,
        place: &Place<'s>,
        keywords: &'s Map<String, Value>,
        value: &Value,
        way: &[Step],
    ) -> Option<Found> {
        let keyword = match value {
            Value::Object(_) => "unevaluatedProperties",
            Value::Array(_) => "unevaluatedItems",
            _ => return None,
        };
        let schema = keywords.get(keyword).filter(|_| !self.holds(place, value))?;
        let expected = match (value, schema) {
            (Value::Object(_), Value::Bool(_)) => none_but(member_names(place.schema, self.root).into_iter()),
            (Value::Object(_), schema) => format!("members, beside the declared ones, that fit {schema}"),
            (_, Value::Bool(_)) => "no further items".to_owned(),
            (_, schema) => format!("further items that fit {schema}"),
        };
        Some(self.found(way, keyword, &expected))
    }

    /// Whether the whole schema at `place` accepts `value`.
    fn holds(&mut self, place: &Place<'s>, value: &Value) -> bool {
        self.compiled.holds(&place.pointer, value)
    }
}

fn list<'s>(keywords: &'s Map<String, Value>, keyword: &str) -> &'s [Value] {
    keywords.get(keyword).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn map<'s>(keywords: &'s Map<String, Value>, keyword: &str) -> impl Iterator<Item = (&'s String, &'s Value)> {
    keywords.get(keyword).and_then(Value::as_object).into_iter().flatten()
}

fn declared(keywords: &Map<String, Value>) -> impl Iterator<Item = &str> {
    map(keywords, "properties").map(|(name, _)| name.as_str())
}

fn joined<'s>(names: impl Iterator<Item = &'s str>) -> String {
    names.collect::<Vec<_>>().join(", ")
}

fn none_but<'s>(names: impl Iterator<Item = &'s str>) -> String {
    let known = joined(names);
    if known.is_empty() { "no such member".to_owned() } else { format!("no members but {known}") }
}
