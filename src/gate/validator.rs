//! Validation of arguments against the effective schema, and a description of what is wrong that a model can act on.
//!
//! Invariant: no value and no undeclared name of the input appears in a description. A member the schema does not
//! declare is named as its parent.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::paths::LocationSegment;
use jsonschema::{Draft, PatternOptions, ValidationError};
use serde::Serialize;
use serde_json::Value;

/// At most this many problems are described.
const PROBLEMS: usize = 10;
/// The longest description, in characters, of what was expected.
const EXPECTED: usize = 200;
/// The largest compiled pattern, in bytes.
const PATTERN_SIZE: usize = 1 << 20;

pub(crate) struct Validator {
    /// Compiled when it is first needed: a launch with many operations must not wait for it.
    compiled: OnceLock<Result<jsonschema::Validator, String>>,
    schema: Value,
    declared: OnceLock<BTreeSet<String>>,
}

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
        Self { path: String::new(), keyword: keyword.to_owned(), expected: expected.to_owned() }
    }
}

impl Validator {
    /// A validator of an effective schema whose references have been checked.
    pub(crate) fn new(schema: Value) -> Self {
        Self { compiled: OnceLock::new(), schema, declared: OnceLock::new() }
    }

    pub(crate) fn schema(&self) -> &Value {
        &self.schema
    }

    /// Compiles the schema now, if that has not been done.
    ///
    /// # Errors
    /// The place in the schema that is no JSON Schema, and the keyword there.
    pub(crate) fn compiled(&self) -> Result<&jsonschema::Validator, &str> {
        self.compiled.get_or_init(|| compile(&self.schema)).as_ref().map_err(String::as_str)
    }

    /// Whether the schema holds what people write by hand and get wrong, so that a launch should compile it at once.
    pub(crate) fn has_patterns(&self) -> bool {
        fn has(value: &Value) -> bool {
            match value {
                Value::Array(items) => items.iter().any(has),
                Value::Object(keywords) => keywords
                    .iter()
                    .any(|(keyword, value)| matches!(keyword.as_str(), "pattern" | "patternProperties") || has(value)),
                _ => false,
            }
        }
        has(&self.schema)
    }

    fn declared(&self) -> &BTreeSet<String> {
        self.declared.get_or_init(|| {
            let mut declared = BTreeSet::new();
            declared_names(&self.schema, &mut declared);
            declared
        })
    }

    /// What is wrong with `input`, in a stable order; empty if it is valid.
    pub(crate) fn problems(&self, input: &Value) -> Vec<Problem> {
        let compiled = match self.compiled() {
            Ok(compiled) => compiled,
            // A schema that nobody can check accepts nothing.
            Err(problem) => {
                tracing::error!(target: "opgate::call", problem, "an input schema cannot be used: its calls are refused");
                return vec![Problem::new("$schema", "a schema that can be used; `check` says what is wrong with it")];
            }
        };
        if compiled.is_valid(input) {
            return Vec::new();
        }
        // The bound is on what is kept, not on what is looked at: the order must not depend on the schema's own.
        let mut problems: BTreeSet<Problem> = BTreeSet::new();
        for error in compiled.iter_errors(input) {
            problems.insert(self.problem(&error));
            if problems.len() > PROBLEMS {
                problems.pop_last();
            }
        }
        if problems.is_empty() {
            problems.insert(Problem::new("type", "other arguments"));
        }
        problems.into_iter().collect()
    }

    /// What is wrong when the operation's own type refuses what the schema accepts.
    pub(crate) fn refused_by_type(&self, way: &[String]) -> Problem {
        self.at(way, "a value of the operation's own type")
    }

    /// What is wrong when a text holds a mask where the operation writes.
    pub(crate) fn masked(&self, way: &[String]) -> Problem {
        self.at(way, "the value itself, not a mask that an answer put in its place")
    }

    fn at(&self, way: &[String], expected: &str) -> Problem {
        let path = self.declared_path(way.iter().map(|segment| match segment.parse() {
            Ok(index) => Segment::Item(index),
            Err(_) => Segment::Member(segment),
        }));
        Problem { path, keyword: "type".to_owned(), expected: expected.to_owned() }
    }

    fn problem(&self, error: &ValidationError<'_>) -> Problem {
        let location = error.instance_path();
        let segments = location.into_iter().map(|segment| match segment {
            LocationSegment::Property(name) => Segment::MemberOwned(name.into_owned()),
            LocationSegment::Index(index) => Segment::Item(index),
        });
        let mut expected = self.expected(error);
        if let Some((cut, _)) = expected.char_indices().nth(EXPECTED) {
            expected.truncate(cut);
            expected.push_str(" ..");
        }
        let keyword = match error.kind() {
            // A member that `additionalProperties: false` forbids where nothing is declared.
            ValidationErrorKind::FalseSchema => "additionalProperties",
            kind => kind.keyword(),
        };
        Problem { path: self.declared_path(segments), keyword: keyword.to_owned(), expected }
    }

    /// The members that are declared where `keyword_location` closes an object.
    fn declared_there(&self, keyword_location: &str) -> Option<Vec<&str>> {
        let (closed, _) = keyword_location.rsplit_once('/')?;
        let properties = self.schema.pointer(closed)?.get("properties")?.as_object()?;
        Some(properties.keys().map(String::as_str).collect())
    }

    fn declared_path<'a>(&self, segments: impl Iterator<Item = Segment<'a>>) -> String {
        let mut path = String::new();
        for segment in segments {
            let name = match segment {
                Segment::Item(index) => index.to_string(),
                Segment::Member(name) if self.declared().contains(name) => name.to_owned(),
                Segment::MemberOwned(name) if self.declared().contains(&name) => name,
                Segment::Member(_) | Segment::MemberOwned(_) => break,
            };
            path.push('/');
            path.push_str(&name.replace('~', "~0").replace('/', "~1"));
        }
        path
    }

    /// What the schema wanted; made of the schema alone, save for the kind of the value that stands there.
    fn expected(&self, error: &ValidationError<'_>) -> String {
        use ValidationErrorKind as Kind;
        match error.kind() {
            Kind::Type { kind } => {
                let types = match kind {
                    TypeKind::Single(one) => one.to_string(),
                    TypeKind::Multiple(several) => {
                        several.iter().map(|one| one.to_string()).collect::<Vec<_>>().join(" or ")
                    }
                };
                if error.instance().is_string() {
                    format!("{types}; send it as a JSON value, not as text")
                } else {
                    types
                }
            }
            Kind::Required { property } => match property {
                Value::String(name) if self.declared().contains(name) => format!("the member {name}"),
                _ => "a further member".to_owned(),
            },
            Kind::AdditionalProperties { .. } | Kind::UnevaluatedProperties { .. } | Kind::FalseSchema => {
                match self.declared_there(error.schema_path().as_str()) {
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
            Kind::MinProperties { limit } => format!("at least {limit} members"),
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

fn compile(schema: &Value) -> Result<jsonschema::Validator, String> {
    jsonschema::options()
        .with_draft(Draft::Draft202012)
        .should_validate_formats(true)
        .with_pattern_options(PatternOptions::regex().size_limit(PATTERN_SIZE))
        .build(schema)
        .map_err(|error| match error.kind() {
            ValidationErrorKind::Format { format } if format == "regex" => format!(
                "the pattern at {} cannot be matched in linear time (no look-around, no back-references) or is too large",
                error.instance_path()
            ),
            _ => format!("it is no JSON Schema 2020-12 at {} ({})", error.instance_path(), error.kind().keyword()),
        })
}

enum Segment<'a> {
    Member(&'a str),
    MemberOwned(String),
    Item(usize),
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
    use super::*;
    use serde_json::json;

    fn problems(schema: &Value, input: &Value) -> Vec<(String, String, String)> {
        let validator = Validator::new(schema.clone());
        validator.problems(input).into_iter().map(|problem| (problem.path, problem.keyword, problem.expected)).collect()
    }

    fn schema() -> Value {
        json!({"type": "object", "properties": {
            "rows": {"type": "array", "items": {"type": "object", "properties": {"n": {"type": "integer", "minimum": 1}}}},
            "mode": {"enum": ["a", "b"]}}, "required": ["rows"], "additionalProperties": false})
    }

    #[test]
    fn valid_input_has_no_problems() {
        assert!(problems(&schema(), &json!({"rows": [{"n": 1}], "mode": "a"})).is_empty());
    }

    #[test]
    fn a_problem_names_declared_paths_and_never_a_value() {
        assert_eq!(
            problems(&schema(), &json!({"rows": [{"n": "secret"}], "owner": "mallory"})),
            [
                (String::new(), "additionalProperties".into(), "no members but mode, rows".into()),
                ("/rows/0/n".into(), "type".into(), "integer; send it as a JSON value, not as text".into()),
            ]
        );
        assert_eq!(
            problems(&schema(), &json!({"mode": "secret"})),
            [
                (String::new(), "required".into(), "the member rows".into()),
                ("/mode".into(), "enum".into(), r#"one of ["a","b"]"#.into()),
            ]
        );
    }

    #[test]
    fn a_member_too_many_is_told_the_members_of_its_own_object() {
        let line = json!({"type": "object", "properties": {"id": {}}, "additionalProperties": false});
        let schema =
            json!({"type": "object", "properties": {"line": {"$ref": "#/$defs/Line"}}, "$defs": {"Line": line}});
        assert_eq!(
            problems(&schema, &json!({"line": {"secret": 1}})),
            [("/line".into(), "additionalProperties".into(), "no members but id".into())]
        );
        let nothing = json!({"type": "object", "additionalProperties": false});
        assert_eq!(
            problems(&nothing, &json!({"secret": 1})),
            [(String::new(), "additionalProperties".into(), "no such member".into())]
        );
    }

    #[test]
    fn a_dynamic_key_is_named_as_its_parent() {
        let schema = json!({"type": "object", "properties": {"map": {"additionalProperties": {"type": "integer"}}}});
        assert_eq!(
            problems(&schema, &json!({"map": {"secret-key": true}})),
            [("/map".into(), "type".into(), "integer".into())]
        );
    }

    #[test]
    fn at_most_ten_problems_in_a_stable_order() {
        let rows: Vec<Value> = (0..50).map(|_| json!({"n": 0})).collect();
        let found = problems(&schema(), &json!({"rows": rows}));
        assert_eq!(found.len(), PROBLEMS);
        assert!(found.is_sorted());
    }

    #[test]
    fn a_pattern_that_may_backtrack_is_refused() {
        let validator = Validator::new(json!({"pattern": "(?=x)"}));
        assert!(validator.has_patterns());
        assert!(validator.compiled().is_err_and(|message| message.contains("linear time")));
        assert_eq!(validator.problems(&json!({})).len(), 1, "nothing is accepted");
    }
}
