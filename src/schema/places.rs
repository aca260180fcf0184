//! Where the schemas of a document are.

use serde_json::{Map, Value};

use super::{LIST, MAP, ONE, escaped, keywords};

/// The way from one schema to another directly inside it.
#[derive(Clone, Copy)]
pub(super) enum Way<'s> {
    One(&'s str),
    Item(&'s str, usize),
    Member(&'s str, &'s str),
}

impl Way<'_> {
    fn pointer(self) -> String {
        match self {
            Self::One(keyword) => format!("/{keyword}"),
            Self::Item(keyword, index) => format!("/{keyword}/{index}"),
            Self::Member(keyword, name) => format!("/{keyword}/{}", escaped(name)),
        }
    }
}

/// Visits the schemas directly inside `schema`, as far as `wanted` names their keyword.
pub(super) fn visit_inside<'s>(
    schema: &'s Map<String, Value>,
    wanted: impl Fn(&str) -> bool,
    mut visit: impl FnMut(Way<'s>, &'s Value),
) {
    for (keyword, value) in schema.iter().filter(|(keyword, _)| wanted(keyword)) {
        match (keyword.as_str(), value) {
            (keyword, Value::Array(list)) if LIST.contains(&keyword) => {
                list.iter().enumerate().for_each(|(index, schema)| visit(Way::Item(keyword, index), schema));
            }
            (keyword, Value::Object(map)) if MAP.contains(&keyword) => {
                map.iter().for_each(|(name, schema)| visit(Way::Member(keyword, name), schema));
            }
            // Where OpenAPI keeps them.
            ("components", components) => {
                let schemas = components["schemas"].as_object().into_iter().flatten();
                schemas.for_each(|(name, schema)| visit(Way::Member("components/schemas", name), schema));
            }
            (keyword, value) if ONE.contains(&keyword) => visit(Way::One(keyword), value),
            _ => {}
        }
    }
}

/// What is wrong with a schema of a document, and where it is.
#[derive(Debug)]
pub(super) struct Wrong {
    pub(super) pointer: String,
    pub(super) problem: String,
}

impl Wrong {
    /// As a part of a sentence about the whole input schema.
    pub(super) fn told(self) -> String {
        match self.pointer.as_str() {
            "" => format!("its input schema {}", self.problem),
            pointer => format!("its input schema, at {pointer}, {}", self.problem),
        }
    }
}

/// Visits every schema of the document, each before those inside it, until one is wrong.
pub(super) fn each<'s>(
    schema: &'s Value,
    visit: &mut impl FnMut(&'s Value) -> Result<(), String>,
) -> Result<(), Wrong> {
    visit(schema).map_err(|problem| Wrong { pointer: String::new(), problem })?;
    let Value::Object(keywords) = schema else { return Ok(()) };
    let mut result = Ok(());
    visit_inside(
        keywords,
        |_| true,
        |way, schema| {
            if result.is_ok() {
                result =
                    each(schema, visit).map_err(|wrong| Wrong { pointer: way.pointer() + &wrong.pointer, ..wrong });
            }
        },
    );
    result
}

/// The place of one of `keys` that stands as a keyword in a schema of the document, or as a member that is no schema where
/// one must be; and which it is.
pub(crate) fn operation_key(schema: &Value, keys: &[&'static str]) -> Option<(String, &'static str)> {
    let mut found = None;
    let end = each(schema, &mut |schema| {
        let lost = |map: &&str, key: &str| schema[map].get(key).is_some_and(|member| !keywords::is_schema(member));
        for key in keys.iter().copied().filter(|_| schema.is_object()) {
            let map = MAP.into_iter().find(|map| lost(map, key));
            if map.is_some() || schema.get(key).is_some() {
                found = Some(key);
                return Err(map.map(|map| format!("/{map}")).unwrap_or_default());
            }
        }
        Ok(())
    });
    let Wrong { pointer, problem: further } = end.err()?;
    Some((pointer + &further, found?))
}

/// What of a schema is passed over without a check, for its author.
pub(crate) fn passed_over(schema: &Value) -> Vec<String> {
    fn visit(schema: &Value, pointer: &str, found: &mut Vec<String>) {
        let Value::Object(keywords) = schema else { return };
        let place = if pointer.is_empty() { "its root" } else { pointer };
        found.extend(keywords::passed_over(keywords).into_iter().map(|oddity| format!("at {place}, {oddity}")));
        visit_inside(keywords, |_| true, |way, schema| visit(schema, &(pointer.to_owned() + &way.pointer()), found));
    }
    let mut found = Vec::new();
    visit(schema, "", &mut found);
    found
}
