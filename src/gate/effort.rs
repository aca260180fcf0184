//! Whether a validator can look at some input in bounded time: alternatives that lead into the same member again multiply
//! with each level, whatever the validator.

use serde_json::Value;

use crate::schema::{located, mentions};

/// Schemas that may be looked at for any input.
const MOST: usize = 200_000;

/// Whether `schema` can multiply at all.
pub(super) fn can_multiply(schema: &Value) -> bool {
    mentions(schema, &["$ref"]) && mentions(schema, &["anyOf", "oneOf", "allOf", "if", "not"])
}

/// Whether all that the schema `root` says of `input` can be looked at in so many steps, or without looking at any value
/// with any schema twice, as is the case for input that is only large.
pub(super) fn is_bounded(root: &Value, input: &Value) -> bool {
    let within = |mut left| visit(root, input, root, &mut left);
    let each_once = || {
        let schemas = count(root, |place| place.is_object() || place.is_boolean());
        schemas.saturating_mul(count(input, |_| true))
    };
    within(MOST) || within(each_once())
}

fn count(value: &Value, counts: fn(&Value) -> bool) -> usize {
    let inside = match value {
        Value::Array(items) => items.iter().map(|item| count(item, counts)).sum(),
        Value::Object(members) => members.values().map(|member| count(member, counts)).sum(),
        _ => 0,
    };
    inside + usize::from(counts(value))
}

fn visit(schema: &Value, value: &Value, root: &Value, left: &mut usize) -> bool {
    let Some(less) = left.checked_sub(1) else { return false };
    *left = less;
    let Value::Object(keywords) = schema else { return true };
    keywords.iter().all(|(keyword, inside)| {
        let mut with = |value: &Value| visit(inside, value, root, left);
        match (keyword.as_str(), inside, value) {
            ("$ref", reference, _) => {
                located(reference, root).is_none_or(|(target, _)| visit(target, value, root, left))
            }
            ("allOf" | "anyOf" | "oneOf", Value::Array(all), _) => {
                all.iter().all(|schema| visit(schema, value, root, left))
            }
            ("if" | "then" | "else" | "not", ..) => with(value),
            ("properties", Value::Object(properties), Value::Object(members)) => properties
                .iter()
                .all(|(name, schema)| members.get(name).is_none_or(|value| visit(schema, value, root, left))),
            ("dependentSchemas" | "patternProperties", Value::Object(schemas), Value::Object(members)) => {
                schemas.values().all(|schema| {
                    let values = members.values().chain((keyword == "dependentSchemas").then_some(value));
                    values.into_iter().all(|value| visit(schema, value, root, left))
                })
            }
            ("additionalProperties" | "unevaluatedProperties", Value::Object(_), Value::Object(members)) => {
                members.values().all(with)
            }
            ("items" | "contains" | "unevaluatedItems", Value::Object(_), Value::Array(items)) => {
                items.iter().all(with)
            }
            ("prefixItems", Value::Array(first), Value::Array(items)) => {
                first.iter().zip(items).all(|(schema, value)| visit(schema, value, root, left))
            }
            _ => true,
        }
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Expressions told apart by `kind`, which comes after the member that leads deeper.
    fn expressions() -> Value {
        let node = |kind: &str| {
            json!({"type": "object", "properties": {
            "args": {"type": "array", "items": {"$ref": "#/$defs/E"}}, "kind": {"const": kind}}, "required": ["kind"]})
        };
        json!({"type": "object", "properties": {"e": {"$ref": "#/$defs/E"}},
            "$defs": {"E": {"oneOf": [node("and"), node("or"), node("not")]}}})
    }

    #[test]
    fn what_multiplies_is_refused_and_what_is_only_large_is_not() {
        let schema = expressions();
        assert!(can_multiply(&schema));
        let nested = |depth| json!({"e": (0..depth).fold(json!({"kind": "and"}), |inner, _| json!({"args": [inner], "kind": "or"}))});
        assert!(is_bounded(&schema, &nested(6)));
        assert!(!is_bounded(&schema, &nested(30)));
        let wide: Vec<Value> = (0..5000).map(|_| json!({"kind": "and"})).collect();
        assert!(is_bounded(&schema, &json!({"e": {"kind": "or", "args": wide}})));
        let item = json!({"anyOf": [{"type": "string"}, {"type": "integer"}, {"$ref": "#/$defs/Row"}]});
        let row = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
        let flat =
            json!({"type": "object", "properties": {"rows": {"type": "array", "items": item}}, "$defs": {"Row": row}});
        let rows: Vec<Value> = (0..100_000).map(|n| json!({"n": n})).collect();
        assert!(can_multiply(&flat) && is_bounded(&flat, &json!({"rows": rows})));
        assert!(!can_multiply(&json!({"anyOf": [{"type": "string"}, {"type": "integer"}]})));
    }
}
