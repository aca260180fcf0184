//! Validation of arguments against the effective schema.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use jsonschema::error::ValidationErrorKind;
use jsonschema::{Draft, PatternOptions};
use serde_json::Value;

use super::effort::{can_multiply, is_bounded};
use super::explain::explain;
use super::problem::{Names, Problem};
use crate::schema::mentions;
use crate::way::Step;

/// At most this many problems are described.
const PROBLEMS: usize = 10;
/// The largest compiled pattern, in bytes.
const PATTERN_SIZE: usize = 1 << 20;

pub(crate) struct Validator {
    /// Compiled when it is first needed: a launch with many operations must not wait for it.
    compiled: OnceLock<Result<jsonschema::Validator, String>>,
    schema: Value,
    names: OnceLock<Names>,
    /// Whether looking at an input may take more steps than it is large.
    multiplies: OnceLock<bool>,
}

impl Validator {
    /// A validator of an effective schema whose references have been checked.
    pub(crate) fn new(schema: Value) -> Self {
        Self { compiled: OnceLock::new(), schema, names: OnceLock::new(), multiplies: OnceLock::new() }
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
        mentions(&self.schema, &["pattern", "patternProperties"])
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
        if *self.multiplies.get_or_init(|| can_multiply(&self.schema)) && !is_bounded(&self.schema, input) {
            return vec![Problem::new("anyOf", "alternatives within each other, nested less deep")];
        }
        if compiled.is_valid(input) {
            return Vec::new();
        }
        let problems: BTreeSet<Problem> = explain(&self.schema, self.names(), input).into_iter().collect();
        if problems.is_empty() {
            return vec![Problem::new("anyOf", "arguments that fit one of the alternatives in the schema")];
        }
        problems.into_iter().take(PROBLEMS).collect()
    }

    /// What is wrong when the operation's own type refuses what the schema accepts.
    pub(crate) fn refused_by_type(&self, way: &[Step]) -> Problem {
        self.names().at(way, "a value of the operation's own type")
    }

    /// What is wrong when a text holds a mask where the operation writes.
    pub(crate) fn masked(&self, way: &[Step]) -> Problem {
        self.names().at(way, "the value itself, not a mask that an answer put in its place")
    }

    /// What is wrong when a number is beyond every type.
    pub(crate) fn unholdable(&self, way: &[Step]) -> Problem {
        self.names().at(way, "a number that 64 bits or a double can hold")
    }

    fn names(&self) -> &Names {
        self.names.get_or_init(|| Names::of(&self.schema))
    }
}

/// How every schema is compiled.
pub(super) fn options<'i>() -> jsonschema::ValidationOptions<'i> {
    jsonschema::options()
        .with_draft(Draft::Draft202012)
        .should_validate_formats(true)
        .with_pattern_options(PatternOptions::regex().size_limit(PATTERN_SIZE))
}

fn compile(schema: &Value) -> Result<jsonschema::Validator, String> {
    options().build(schema).map_err(|error| match error.kind() {
        ValidationErrorKind::Format { format } if format == "regex" => {
            let pattern = error.instance().as_str().unwrap_or_default();
            let place = error.instance_path();
            if looks_around(pattern) {
                format!("the pattern at {place} cannot be matched in linear time (no look-around, no back-references)")
            } else {
                format!("the pattern at {place} is no regular expression, or is too large")
            }
        }
        _ => format!("it is no JSON Schema 2020-12 at {} ({})", error.instance_path(), error.kind().keyword()),
    })
}

/// Whether a pattern holds what only backtracking matches: `(?=`, `(?!`, `(?<=`, `(?<!`, `\1` to `\9`, `\k<`.
fn looks_around(pattern: &str) -> bool {
    let refers_back =
        pattern.as_bytes().windows(2).any(|pair| pair[0] == b'\\' && matches!(pair[1], b'1'..=b'9' | b'k'));
    refers_back || ["(?=", "(?!", "(?<=", "(?<!"].iter().any(|group| pattern.contains(group))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn problems(schema: &Value, input: &Value) -> Vec<(String, String, String)> {
        let validator = Validator::new(schema.clone());
        validator.problems(input).into_iter().map(Problem::into_parts).collect()
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
            [("/map".into(), "type".into(), "in each member: integer".into())]
        );
        let nested = json!({"type": "object", "properties": {"map": {"additionalProperties": {
            "properties": {"n": {"additionalProperties": {"type": "integer"}}}}}}});
        assert_eq!(
            problems(&nested, &json!({"map": {"secret-key": {"n": {"secret-too": true}}}})),
            [("/map".into(), "type".into(), "in each member, at /n/*: integer".into())]
        );
        let named =
            json!({"type": "object", "propertyNames": {"maxLength": 3}, "properties": {"a": {}}, "minProperties": 2});
        assert_eq!(
            problems(&named, &json!({"secret-key": 1})),
            [
                (String::new(), "minProperties".into(), "at least 2 members; declared: a".into()),
                (String::new(), "propertyNames".into(), "member names: at most 3 characters".into()),
            ]
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
