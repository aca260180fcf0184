//! Whether a validator can look at some input in bounded time: alternatives that lead into the same member again multiply
//! with each level, whatever the validator.

use serde_json::Value;

use crate::schema::located;

/// Schemas that may be looked at for one input.
const MOST: usize = 200_000;

/// Whether `schema` can multiply at all.
pub(super) fn can_multiply(schema: &Value) -> bool {
    fn has(value: &Value, wanted: &[&str]) -> bool {
        match value {
            Value::Array(items) => items.iter().any(|item| has(item, wanted)),
            Value::Object(keywords) => {
                keywords.iter().any(|(keyword, value)| wanted.contains(&keyword.as_str()) || has(value, wanted))
            }
            _ => false,
        }
    }
    has(schema, &["$ref"]) && has(schema, &["anyOf", "oneOf", "allOf", "if", "not"])
}

/// Whether all that the schema `root` says of `input` can be looked at in so many steps.
pub(super) fn is_bounded(root: &Value, input: &Value) -> bool {
    let mut left = MOST;
    visit(root, input, root, &mut left)
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
        assert!(!can_multiply(&json!({"anyOf": [{"type": "string"}, {"type": "integer"}]})));
    }
}
