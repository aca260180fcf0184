//! What values the keywords of JSON Schema 2020-12 take. A validator is compiled only when it is needed; what it would
//! stumble over is told at launch all the same, by this table.

use serde_json::{Map, Value};

use super::kinds::Kinds;
use super::{LIST, MAP, ONE};
use crate::launch::nearest;

/// What a keyword's value must be, and how that is told.
type Kind = (fn(&Value) -> bool, &'static str);

const COUNT: Kind = (is_count, "a whole number that is not negative");
const NUMBER: Kind = (Value::is_number, "a number");
const TEXT: Kind = (Value::is_string, "a text");
const FLAG: Kind = (Value::is_boolean, "true or false");
const NAMES: Kind = (is_names, "a list of different names");
const ANYTHING: Kind = (|_| true, "anything");
const SCHEMA: Kind = (is_schema, "a schema: an object, true or false");
const SCHEMAS: Kind = (|value| value.as_array().is_some_and(|list| !list.is_empty()), "a list of one schema or more");
const NAMED_SCHEMAS: Kind = (Value::is_object, "an object whose members are schemas");

const KINDS: [(&str, Kind); 38] = [
    (
        "type",
        (
            is_type,
            "one or several of \"array\", \"boolean\", \"integer\", \"null\", \"number\", \"object\", \"string\"",
        ),
    ),
    ("enum", (Value::is_array, "a list")),
    ("const", ANYTHING),
    ("default", ANYTHING),
    ("examples", (Value::is_array, "a list")),
    ("multipleOf", (|value| value.as_f64().is_some_and(|number| number > 0.0), "a number above 0")),
    ("minimum", NUMBER),
    ("maximum", NUMBER),
    ("exclusiveMinimum", NUMBER),
    ("exclusiveMaximum", NUMBER),
    ("minLength", COUNT),
    ("maxLength", COUNT),
    ("minItems", COUNT),
    ("maxItems", COUNT),
    ("minContains", COUNT),
    ("maxContains", COUNT),
    ("minProperties", COUNT),
    ("maxProperties", COUNT),
    ("required", NAMES),
    ("dependentRequired", (is_named_names, "an object whose members are lists of different names")),
    ("uniqueItems", FLAG),
    ("deprecated", FLAG),
    ("readOnly", FLAG),
    ("writeOnly", FLAG),
    ("pattern", TEXT),
    ("format", TEXT),
    ("title", TEXT),
    ("description", TEXT),
    ("contentEncoding", TEXT),
    ("contentMediaType", TEXT),
    ("$comment", TEXT),
    ("$schema", TEXT),
    ("$ref", TEXT),
    ("$id", TEXT),
    ("$anchor", TEXT),
    ("$dynamicRef", TEXT),
    ("$dynamicAnchor", TEXT),
    ("$vocabulary", (Value::is_object, "an object")),
];

/// What other tools write into schemas for readers of their own.
const OF_OTHERS: [&str; 6] = ["components", "discriminator", "example", "externalDocs", "nullable", "xml"];

/// Formats that are checked.
const CHECKED: [&str; 19] = [
    "date",
    "date-time",
    "duration",
    "email",
    "hostname",
    "idn-email",
    "idn-hostname",
    "ipv4",
    "ipv6",
    "iri",
    "iri-reference",
    "json-pointer",
    "regex",
    "relative-json-pointer",
    "time",
    "uri",
    "uri-reference",
    "uri-template",
    "uuid",
];
/// Formats that say how a value is held and check nothing, as type systems and `OpenAPI` write them.
const INFORMATIVE: [&str; 20] = [
    "binary",
    "byte",
    "char",
    "decimal",
    "double",
    "float",
    "int",
    "int128",
    "int16",
    "int32",
    "int64",
    "int8",
    "password",
    "uint",
    "uint128",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
    "partial-date-time",
];

/// Refuses what is no schema, and a keyword with a value that JSON Schema does not know. Those inside are not looked at.
pub(super) fn judge(schema: &Value) -> Result<(), String> {
    let keywords = match schema {
        Value::Object(keywords) => keywords,
        Value::Bool(_) => return Ok(()),
        other => return Err(format!("is no schema: it must be an object, true or false, and is {}", found(other))),
    };
    for (keyword, value) in keywords {
        if let Some((takes, expected)) = kind(keyword)
            && !takes(value)
        {
            return Err(format!("is no JSON Schema: {keyword} must be {expected}, and is {}", found(value)));
        }
    }
    Ok(())
}

/// A value that is wrong, as far as it is short.
fn found(value: &Value) -> String {
    let text = value.to_string();
    match value {
        _ if text.len() <= 40 => text,
        Value::Array(_) => "another list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        _ => "another text".to_owned(),
    }
}

/// What of one schema is passed over without a check, for its author.
pub(super) fn passed_over(keywords: &Map<String, Value>) -> Vec<String> {
    let unknown = keywords.keys().filter(|keyword| !is_known(keyword));
    let mut oddities: Vec<String> = unknown
        .map(|keyword| {
            let known = KINDS.iter().map(|(known, _)| *known).chain(ONE).chain(LIST).chain(MAP);
            advised(format!("{keyword:?} is no keyword of JSON Schema, and nothing checks it"), nearest(keyword, known))
        })
        .collect();
    let format = keywords.get("format").and_then(Value::as_str);
    let unknown = format.filter(|format| !CHECKED.contains(format) && !INFORMATIVE.contains(format));
    oddities.extend(
        unknown.map(|format| advised(format!("nothing checks the format {format:?}"), nearest(format, CHECKED))),
    );
    oddities
}

fn advised(problem: String, near: Option<&str>) -> String {
    match near {
        Some(near) => format!("{problem}: did you mean {near:?}?"),
        None => problem,
    }
}

fn is_known(keyword: &str) -> bool {
    kind(keyword).is_some() || OF_OTHERS.contains(&keyword) || keyword.starts_with("x-")
}

fn kind(keyword: &str) -> Option<Kind> {
    if let Some((_, kind)) = KINDS.iter().find(|(known, _)| *known == keyword) {
        return Some(*kind);
    }
    [(&ONE[..], SCHEMA), (&LIST, SCHEMAS), (&MAP, NAMED_SCHEMAS)]
        .into_iter()
        .find_map(|(keywords, kind)| keywords.contains(&keyword).then_some(kind))
}

pub(super) fn is_schema(value: &Value) -> bool {
    value.is_object() || value.is_boolean()
}

fn is_count(value: &Value) -> bool {
    Kinds::of(value) == Kinds::INTEGER && value.as_f64().is_some_and(|number| number >= 0.0)
}

fn is_names(value: &Value) -> bool {
    value.as_array().is_some_and(|names| names.iter().all(Value::is_string) && all_differ(names))
}

fn is_named_names(value: &Value) -> bool {
    value.as_object().is_some_and(|map| map.values().all(is_names))
}

fn is_type(value: &Value) -> bool {
    let is_one = |name: &Value| name.is_string() && Kinds::named(name) != Kinds::NONE;
    match value {
        Value::Array(names) => !names.is_empty() && names.iter().all(is_one) && all_differ(names),
        name => is_one(name),
    }
}

fn all_differ(values: &[Value]) -> bool {
    values.iter().enumerate().all(|(index, value)| !values[..index].contains(value))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::places::each;
    use super::*;

    /// An independent judge: JSON Schema's own schema.
    #[test]
    fn every_keyword_takes_what_the_schema_of_schemas_says() {
        let values = [
            json!(null),
            json!(true),
            json!(0),
            json!(1),
            json!(-1),
            json!(1.5),
            json!(2.0),
            json!(-0.5),
            json!("x"),
            json!("string"),
            json!("#/x"),
            json!([]),
            json!(["a", "b"]),
            json!(["a", "a"]),
            json!(["string", "null"]),
            json!(["string", "string"]),
            json!([1]),
            json!([{}]),
            json!([true, {"type": "string"}]),
            json!({}),
            json!({"a": 1}),
            json!({"a": true}),
            json!({"a": {"type": "string"}}),
            json!({"a": ["b"]}),
            json!({"a": ["b", "b"]}),
            json!({"a": []}),
        ];
        let keywords = KINDS.iter().map(|(keyword, _)| *keyword).chain(ONE).chain(LIST).chain(MAP);
        // Their texts are of a form of their own; all of them but references inside are refused anyhow.
        for keyword in keywords.filter(|keyword| !keyword.starts_with('$') || *keyword == "$defs") {
            for value in &values {
                let schema = json!({ keyword: value });
                let wrong = each(&schema, &mut judge);
                assert_eq!(wrong.is_ok(), jsonschema::draft202012::meta::is_valid(&schema), "{schema}: {wrong:?}");
            }
        }
    }

    #[test]
    fn what_nothing_checks_is_named_with_what_may_be_meant() {
        let of = |schema: Value| passed_over(schema.as_object().expect("an object"));
        assert_eq!(
            of(json!({"maxLenght": 3, "format": "emial"})),
            [
                "\"maxLenght\" is no keyword of JSON Schema, and nothing checks it: did you mean \"maxLength\"?",
                "nothing checks the format \"emial\": did you mean \"email\"?",
            ]
        );
        assert_eq!(of(json!({"zzz": 1})), ["\"zzz\" is no keyword of JSON Schema, and nothing checks it"]);
        assert!(of(json!({"x-order": 1, "example": 2, "format": "uint32", "title": "T", "items": {}})).is_empty());
    }
}
