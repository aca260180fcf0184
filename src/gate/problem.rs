//! One thing that is wrong with arguments, told so that a model mends its call in one step.
//!
//! Invariant: no value and no undeclared name of the input appears. A member the schema does not declare is named as its
//! parent.

use std::collections::BTreeSet;

use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use redact_json::Rules;
use serde::Serialize;
use serde_json::Value;

use crate::redaction::shortened;
use crate::way::Step;

/// The longest description, in characters, of what was expected.
const EXPECTED: usize = 300;
/// What to do about the commonest mistake of models.
pub(super) const NOT_AS_TEXT: &str = "; send it as a JSON value, not as text";

/// One thing to change in the arguments.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(crate) struct Problem {
    /// A JSON Pointer of declared names and item numbers.
    pub(super) path: String,
    pub(super) keyword: String,
    pub(super) expected: String,
}

impl Problem {
    /// A problem of the arguments as a whole.
    pub(crate) fn new(keyword: &str, expected: &str) -> Self {
        Self::at(String::new(), keyword, expected)
    }

    pub(super) fn at(path: String, keyword: &str, expected: &str) -> Self {
        Self { path, keyword: keyword.to_owned(), expected: expected.to_owned() }
    }

    /// The same as a caller sees it.
    pub(super) fn shortened(&self, rules: &Rules) -> Self {
        Self { expected: shortened(&self.expected, EXPECTED, rules), ..self.clone() }
    }

    #[cfg(test)]
    pub(crate) fn into_parts(self) -> (String, String, String) {
        (self.path, self.keyword, self.expected)
    }
}

/// The names that a schema declares anywhere, which may be told.
pub(super) struct Names(BTreeSet<String>);

impl Names {
    pub(super) fn of(schema: &Value) -> Self {
        let mut names = BTreeSet::new();
        declared_names(schema, &mut names);
        Self(names)
    }

    /// A problem at a way of member names and item numbers.
    pub(super) fn at(&self, way: &[Step], expected: &str) -> Problem {
        self.told(way, "type", expected)
    }

    /// A problem whose path ends where the first name is that the schema does not declare: it is about each member there.
    pub(super) fn told(&self, way: &[Step], keyword: &str, expected: &str) -> Problem {
        let declared = way.iter().take_while(|step| self.may_be_told(step)).count();
        let path = self.path(way);
        let Some(inside) = way.get(declared + 1..) else { return Problem::at(path, keyword, expected) };
        let place = inside.iter().fold(String::new(), |place, step| {
            place + "/" + &if self.may_be_told(step) { step.segment() } else { "*".to_owned() }
        });
        let at = if place.is_empty() { String::new() } else { format!(", at {place}") };
        Problem::at(path, keyword, &format!("in each member{at}: {expected}"))
    }

    fn may_be_told(&self, step: &Step) -> bool {
        match step {
            Step::Member(name) => self.0.contains(name),
            Step::Item(_) => true,
        }
    }

    /// The way, as far as it may be told.
    pub(super) fn path(&self, way: &[Step]) -> String {
        let told = way.iter().take_while(|step| self.may_be_told(step));
        told.fold(String::new(), |path, step| path + "/" + &step.segment())
    }

    /// What the schema wanted; made of the schema alone, save for the kind of the value that stands there.
    pub(super) fn expected(&self, error: &ValidationError<'_>) -> String {
        match error.kind() {
            Kind::Type { .. } => {
                let types = types(error).join(" or ");
                if error.instance().is_string() { types + NOT_AS_TEXT } else { types }
            }
            Kind::Required { property } => match property {
                Value::String(name) if self.0.contains(name) => format!("the member {name}"),
                _ => "a further member".to_owned(),
            },
            Kind::Enum { options } => format!("one of {options}"),
            Kind::Constant { expected_value } => format!("exactly {expected_value}"),
            Kind::Minimum { limit } => format!("at least {limit}"),
            Kind::Maximum { limit } => format!("at most {limit}"),
            Kind::ExclusiveMinimum { limit } => format!("more than {limit}"),
            Kind::ExclusiveMaximum { limit } => format!("less than {limit}"),
            Kind::MultipleOf { multiple_of } => format!("a multiple of {multiple_of}"),
            Kind::MinLength { limit } => format!("at least {limit} characters"),
            Kind::MaxLength { limit } => format!("at most {limit} characters"),
            Kind::MinItems { limit } => format!("at least {limit} items"),
            Kind::MaxItems { limit } => format!("at most {limit} items"),
            Kind::MinProperties { limit } => format!("at least {limit} members"),
            Kind::MaxProperties { limit } => format!("at most {limit} members"),
            Kind::Pattern { pattern } => format!("text that matches {pattern}"),
            Kind::Format { format } => format!("text in the format {format}"),
            Kind::UniqueItems => "items that differ from each other".to_owned(),
            _ => "what the schema says".to_owned(),
        }
    }
}

/// The types that a type error names.
pub(super) fn types(error: &ValidationError<'_>) -> Vec<String> {
    match error.kind() {
        Kind::Type { kind: TypeKind::Single(one) } => vec![one.to_string()],
        Kind::Type { kind: TypeKind::Multiple(several) } => several.iter().map(|one| one.to_string()).collect(),
        _ => Vec::new(),
    }
}

/// Every name under a `properties` keyword anywhere in the schema.
fn declared_names(schema: &Value, names: &mut BTreeSet<String>) {
    match schema {
        Value::Array(items) => items.iter().for_each(|item| declared_names(item, names)),
        Value::Object(keywords) => {
            for (keyword, value) in keywords {
                if keyword == "properties"
                    && let Value::Object(properties) = value
                {
                    names.extend(properties.keys().cloned());
                    properties.values().for_each(|property| declared_names(property, names));
                } else {
                    declared_names(value, names);
                }
            }
        }
        _ => {}
    }
}
