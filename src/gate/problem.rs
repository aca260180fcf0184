//! What is wrong with arguments, told so that a model mends its call in one step.
//!
//! Invariant: no value and no undeclared name of the input appears. A member the schema does not declare is named as its
//! parent.

use std::collections::BTreeSet;

use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use jsonschema::paths::LocationSegment;
use serde::Serialize;
use serde_json::Value;

/// The longest description, in characters, of what was expected.
const EXPECTED: usize = 300;
/// Alternatives within each other are looked into so far.
const DEEPEST: usize = 8;
/// What to do about the commonest mistake of models.
const NOT_AS_TEXT: &str = "; send it as a JSON value, not as text";

/// One thing to change in the arguments.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(crate) struct Problem {
    /// A JSON Pointer of declared names and item numbers.
    path: String,
    keyword: String,
    expected: String,
}

impl Problem {
    /// A problem of the arguments as a whole.
    pub(crate) fn new(keyword: &str, expected: &str) -> Self {
        Self::at(String::new(), keyword, expected)
    }

    fn at(path: String, keyword: &str, expected: &str) -> Self {
        let mut expected = expected.to_owned();
        if let Some((cut, _)) = expected.char_indices().nth(EXPECTED) {
            expected.truncate(cut);
            expected.push_str(" ..");
        }
        Self { path, keyword: keyword.to_owned(), expected }
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
    pub(super) fn at(&self, way: &[String], expected: &str) -> Problem {
        self.told(way, "type", expected)
    }

    /// What an error of `schema` means: several problems where one alternative was clearly meant.
    pub(super) fn problems(&self, error: &ValidationError<'_>, schema: &Value) -> Vec<Problem> {
        self.look(error, schema, DEEPEST)
    }

    fn look(&self, error: &ValidationError<'_>, schema: &Value, deeper: usize) -> Vec<Problem> {
        let alternatives = match error.kind() {
            Kind::AnyOf { context } | Kind::OneOfNotValid { context } if deeper > 0 => context,
            _ => return vec![self.problem(error, schema)],
        };
        let here = error.instance_path().as_str();
        let meant: Vec<_> =
            alternatives.iter().filter(|errors| !errors.iter().any(|error| is_another(error, here))).collect();
        if let [errors] = meant.as_slice() {
            return errors.iter().flat_map(|error| self.look(error, schema, deeper - 1)).collect();
        }
        let keyword = error.kind().keyword();
        if meant.is_empty()
            && let Some(problem) = self.choice(error, alternatives)
        {
            return vec![problem];
        }
        let among = if meant.is_empty() { alternatives.iter().collect() } else { meant };
        let mut ways: Vec<String> = Vec::new();
        for problem in
            among.iter().filter_map(|errors| self.look(errors.first()?, schema, deeper - 1).into_iter().next())
        {
            let place = problem.path.strip_prefix(here).filter(|rest| !rest.is_empty());
            let way =
                place.map_or_else(|| problem.expected.clone(), |place| format!("at {place} {}", problem.expected));
            if !ways.contains(&way) {
                ways.push(way);
            }
        }
        let expected = format!("one of the alternatives: {}", ways.join("; or "));
        vec![Problem::at(self.path_of(error), keyword, &expected)]
    }

    /// What must be chosen when no alternative was meant: a type, or the member that tells the alternatives apart.
    fn choice(&self, error: &ValidationError<'_>, alternatives: &[Vec<ValidationError<'_>>]) -> Option<Problem> {
        let here = error.instance_path().as_str();
        let telling = |errors: &Vec<ValidationError<'_>>| errors.iter().position(|error| is_another(error, here));
        let deciding: Option<Vec<_>> = alternatives.iter().map(|errors| Some(&errors[telling(errors)?])).collect();
        let deciding = deciding?;
        let first = deciding.first()?;
        if deciding.iter().all(|error| matches!(error.kind(), Kind::Type { .. })) {
            let mut kinds: Vec<String> = Vec::new();
            for kind in deciding.iter().flat_map(|error| types(error)) {
                if !kinds.contains(&kind) {
                    kinds.push(kind);
                }
            }
            let hint = if first.instance().is_string() { NOT_AS_TEXT } else { "" };
            return Some(Problem::at(self.path_of(error), "type", &format!("{}{hint}", kinds.join(" or "))));
        }
        let is_same = |other: &&&ValidationError<'_>| other.instance_path().as_str() == first.instance_path().as_str();
        if !deciding.iter().all(|error| is_same(&error)) {
            return None;
        }
        let values: Option<Vec<String>> = deciding
            .iter()
            .map(|error| match error.kind() {
                Kind::Constant { expected_value } => Some(expected_value.to_string()),
                Kind::Enum { options } => Some(options.to_string().trim_matches(['[', ']']).to_owned()),
                _ => None,
            })
            .collect();
        Some(Problem::at(self.path_of(first), "enum", &format!("one of [{}]", values?.join(","))))
    }

    fn problem(&self, error: &ValidationError<'_>, schema: &Value) -> Problem {
        let keyword = match error.kind() {
            // A member that `additionalProperties: false` forbids where nothing is declared.
            Kind::FalseSchema => "additionalProperties",
            kind => kind.keyword(),
        };
        self.told(&way_to(error), keyword, &self.expected(error, schema))
    }

    fn path_of(&self, error: &ValidationError<'_>) -> String {
        self.path(way_to(error).iter().map(String::as_str))
    }

    /// A problem whose path ends where the first name is that the schema does not declare: it is about each member there.
    fn told(&self, way: &[String], keyword: &str, expected: &str) -> Problem {
        let declared = way.iter().take_while(|segment| self.may_be_told(segment)).count();
        let path = self.path(way[..declared].iter().map(String::as_str));
        let Some(inside) = way.get(declared + 1..) else { return Problem::at(path, keyword, expected) };
        let place = inside
            .iter()
            .fold(String::new(), |place, segment| place + "/" + if self.may_be_told(segment) { segment } else { "*" });
        let at = if place.is_empty() { String::new() } else { format!(", at {place}") };
        Problem::at(path, keyword, &format!("in each member{at}: {expected}"))
    }

    fn may_be_told(&self, segment: &str) -> bool {
        self.0.contains(segment) || segment.parse::<usize>().is_ok()
    }

    fn path<'a>(&self, segments: impl Iterator<Item = &'a str>) -> String {
        let mut path = String::new();
        for segment in segments {
            if !self.may_be_told(segment) {
                break;
            }
            path.push('/');
            path.push_str(&segment.replace('~', "~0").replace('/', "~1"));
        }
        path
    }

    /// What the schema wanted; made of the schema alone, save for the kind of the value that stands there.
    fn expected(&self, error: &ValidationError<'_>, schema: &Value) -> String {
        match error.kind() {
            Kind::Type { .. } => {
                let types = types(error).join(" or ");
                if error.instance().is_string() { types + NOT_AS_TEXT } else { types }
            }
            Kind::Required { property } => match property {
                Value::String(name) if self.0.contains(name) => format!("the member {name}"),
                _ => "a further member".to_owned(),
            },
            Kind::AdditionalProperties { .. } | Kind::UnevaluatedProperties { .. } | Kind::FalseSchema => {
                match declared_there(schema, error.schema_path().as_str()) {
                    Some(names) if !names.is_empty() => format!("no members but {}", names.join(", ")),
                    _ => "no such member".to_owned(),
                }
            }
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
            Kind::MinProperties { limit } => match declared_there(schema, error.schema_path().as_str()) {
                Some(names) if !names.is_empty() => format!("at least {limit} members; declared: {}", names.join(", ")),
                _ => format!("at least {limit} members"),
            },
            Kind::PropertyNames { error } => format!("member names: {}", self.expected(error, schema)),
            Kind::MaxProperties { limit } => format!("at most {limit} members"),
            Kind::Pattern { pattern } => format!("text that matches {pattern}"),
            Kind::Format { format } => format!("text in the format {format}"),
            Kind::UniqueItems => "items that differ from each other".to_owned(),
            Kind::AnyOf { .. } | Kind::OneOfNotValid { .. } => "one of the alternatives in the schema".to_owned(),
            Kind::OneOfMultipleValid { .. } => "exactly one of the alternatives in the schema".to_owned(),
            _ => "what the schema says".to_owned(),
        }
    }
}

/// Whether `error` says that the value at `here` belongs to another alternative: another type, or another value of a
/// member that tells alternatives apart.
fn is_another(error: &ValidationError<'_>, here: &str) -> bool {
    let path = error.instance_path().as_str();
    match error.kind() {
        Kind::Type { .. } => path == here,
        Kind::Constant { .. } | Kind::Enum { .. } => {
            path.strip_prefix(here).is_some_and(|rest| rest.matches('/').count() <= 1)
        }
        _ => false,
    }
}

/// Where the value stands that an error is about.
fn way_to(error: &ValidationError<'_>) -> Vec<String> {
    let segments = error.instance_path().into_iter().map(|segment| match segment {
        LocationSegment::Property(name) => name.into_owned(),
        LocationSegment::Index(index) => index.to_string(),
    });
    segments.collect()
}

fn types(error: &ValidationError<'_>) -> Vec<String> {
    match error.kind() {
        Kind::Type { kind: TypeKind::Single(one) } => vec![one.to_string()],
        Kind::Type { kind: TypeKind::Multiple(several) } => several.iter().map(|one| one.to_string()).collect(),
        _ => Vec::new(),
    }
}

/// The members that are declared where `keyword_location` closes an object.
fn declared_there<'s>(schema: &'s Value, keyword_location: &str) -> Option<Vec<&'s str>> {
    let (closed, _) = keyword_location.rsplit_once('/')?;
    let properties = schema.pointer(closed)?.get("properties")?.as_object()?;
    Some(properties.keys().map(String::as_str).collect())
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::Validator;
    use super::*;

    fn problems(schema: &Value, input: &Value) -> Vec<(String, String, String)> {
        Validator::new(schema.clone()).problems(input).into_iter().map(Problem::into_parts).collect()
    }

    fn one(path: &str, keyword: &str, expected: &str) -> Vec<(String, String, String)> {
        vec![(path.to_owned(), keyword.to_owned(), expected.to_owned())]
    }

    fn shapes() -> Value {
        json!({"type": "object", "properties": {"shape": {"oneOf": [
            {"type": "object", "properties": {"kind": {"const": "circle"}, "radius": {"type": "number"}},
                "required": ["kind", "radius"], "additionalProperties": false},
            {"type": "object", "properties": {"kind": {"const": "box"}, "width": {"type": "integer"}},
                "required": ["kind", "width"], "additionalProperties": false}]},
            "id": {"anyOf": [{"type": "integer"}, {"type": "object"}]},
            "either": {"anyOf": [{"type": "object", "required": ["a"], "properties": {"a": {}}},
                {"type": "object", "required": ["b"], "properties": {"b": {}}}]}}})
    }

    #[test]
    fn the_alternative_that_was_meant_is_explained() {
        assert_eq!(
            problems(&shapes(), &json!({"shape": {"kind": "circle", "radius": "5"}})),
            one("/shape/radius", "type", "number; send it as a JSON value, not as text")
        );
        assert_eq!(
            problems(&shapes(), &json!({"shape": {"kind": "box"}})),
            one("/shape", "required", "the member width")
        );
    }

    #[test]
    fn without_a_meant_alternative_the_choice_is_explained() {
        assert_eq!(
            problems(&shapes(), &json!({"shape": {"kind": "secret"}})),
            one("/shape/kind", "enum", r#"one of ["circle","box"]"#)
        );
        assert_eq!(
            problems(&shapes(), &json!({"id": "{\"secret\":1}"})),
            one("/id", "type", "integer or object; send it as a JSON value, not as text")
        );
        assert_eq!(
            problems(&shapes(), &json!({"either": {"secret": 1}})),
            one("/either", "anyOf", "one of the alternatives: the member a; or the member b")
        );
    }
}
