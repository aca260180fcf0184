//! The laws between the effective and the served schema, over generated schemas and instances.

use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, RngSeed, TestRunner};
use serde_json::{Map, Value, json};

use super::super::{InputSchema, check, remove_optional_nulls};
use super::subset::assert_served;

const NAMES: [&str; 5] = ["a", "b", "c", "kind", "x-1"];

fn leaf() -> BoxedStrategy<Value> {
    prop_oneof![
        Just(json!({"type": "string"})),
        (0..3_u64, 1..4_u64).prop_map(|(min, max)| json!({"type": "string", "minLength": min, "maxLength": max})),
        Just(json!({"type": "string", "pattern": "^a"})),
        Just(json!({"type": "string", "format": "date-time"})),
        Just(json!({"type": "string", "format": "uuid"})),
        (-2..2_i64, 0..4_i64).prop_map(|(min, max)| json!({"type": "integer", "minimum": min, "maximum": max})),
        (-2..2_i64).prop_map(|min| json!({"type": "number", "exclusiveMinimum": min})),
        (-2..3_i64).prop_map(|max| json!({"type": "integer", "exclusiveMaximum": max})),
        Just(json!({"type": "number", "multipleOf": 2})),
        Just(json!({"type": ["string", "null"]})),
        Just(json!({"type": ["integer", "string"], "minimum": 1, "minLength": 2})),
        Just(json!({"type": ["object", "null"], "properties": {"a": {"type": "string"}}})),
        Just(json!({"type": "boolean"})),
        Just(json!({"type": "null"})),
        Just(json!({"enum": ["a", "b", 1, null, [1]]})),
        Just(json!({"enum": [1.0, 2]})),
        select(vec![json!("a"), json!("b"), json!(1), json!(true), json!(null)])
            .prop_map(|value| json!({ "const": value })),
        Just(json!({})),
        Just(json!(true)),
        Just(json!({"minimum": 1})),
        Just(json!({"type": "string", "not": {"const": "a"}})),
        select(vec!["A", "B"]).prop_map(|name| json!({ "$ref": format!("#/$defs/{name}") })),
        select(vec!["A", "B"]).prop_map(|name| json!({"type": "array", "items": {"$ref": format!("#/$defs/{name}")}})),
        Just(json!({"$ref": "#/$defs/A", "type": "object", "required": ["a"]})),
    ]
    .boxed()
}

fn composed(inner: impl Strategy<Value = Value> + Clone + 'static) -> BoxedStrategy<Value> {
    let list = prop::collection::vec(inner.clone(), 1..4);
    prop_oneof![
        3 => object(inner.clone()),
        1 => (inner.clone(), 0..3_u64).prop_map(|(items, min)| json!({"type": "array", "items": items, "minItems": min})),
        1 => list.clone().prop_map(|first| json!({"type": "array", "prefixItems": first, "items": false})),
        1 => list.clone().prop_map(|first| json!({"type": "array", "prefixItems": first})),
        1 => list.clone().prop_map(|list| json!({"anyOf": list})),
        1 => list.clone().prop_map(|list| json!({"oneOf": list})),
        1 => list.clone().prop_map(|list| json!({"allOf": list})),
        1 => (object(inner.clone()), list).prop_map(|(mut base, list)| { base["anyOf"] = json!(list); base }),
    ]
    .boxed()
}

/// An object with any of the keywords that say something about members.
fn object(inner: impl Strategy<Value = Value> + Clone + 'static) -> BoxedStrategy<Value> {
    let properties = prop::collection::btree_map(select(&NAMES[..]), inner.clone(), 0..4);
    let required = prop::collection::btree_set(select(&NAMES[..]), 0..2);
    let others = prop_oneof![4 => Just(None), 2 => Just(Some(json!(false))), 1 => Just(Some(json!(true))), 1 => inner.clone().prop_map(Some)];
    let closed = prop_oneof![4 => Just(None), 2 => Just(Some(json!(false))), 1 => inner.clone().prop_map(Some)];
    let patterns = prop_oneof![4 => Just(None), 1 => inner.clone().prop_map(Some)];
    let condition = prop_oneof![4 => Just(None), 1 => (inner.clone(), inner.clone()).prop_map(Some)];
    let dependent = prop_oneof![4 => Just(None), 1 => inner.prop_map(Some)];
    (properties, required, others, closed, patterns, condition, dependent)
        .prop_map(|(properties, required, others, closed, patterns, condition, dependent)| {
            let mut schema = json!({"type": "object", "properties": properties, "required": required});
            if let Some(others) = others {
                schema["additionalProperties"] = others;
            }
            if let Some(closed) = closed {
                schema["unevaluatedProperties"] = closed;
            }
            if let Some(pattern) = patterns {
                schema["patternProperties"] = json!({ "^x-": pattern });
            }
            if let Some((first, second)) = condition {
                schema["if"] = json!({"properties": {"kind": {"const": "a"}}, "required": ["kind"]});
                schema["then"] = first;
                schema["else"] = second;
            }
            if let Some(dependent) = dependent {
                schema["dependentSchemas"] = json!({ "a": dependent });
            }
            schema
        })
        .boxed()
}

fn document() -> impl Strategy<Value = Value> {
    let schema = leaf().prop_recursive(3, 24, 4, composed);
    let root = prop_oneof![
        3 => object(schema.clone()),
        1 => prop::collection::vec(object(schema.clone()), 1..4).prop_map(|list| json!({"oneOf": list})),
        1 => (object(schema.clone()), prop::collection::vec(object(schema.clone()), 1..3))
            .prop_map(|(mut base, list)| { base["anyOf"] = json!(list); base }),
        1 => (object(schema.clone()), prop::collection::vec(object(schema.clone()), 1..3))
            .prop_map(|(mut base, list)| { base["allOf"] = json!(list); base }),
    ];
    (root, schema.clone(), schema).prop_map(|(mut root, a, b)| {
        root["$defs"] = json!({"A": a, "B": b});
        root
    })
}

/// Small numbers that decide what an instance looks like.
struct Choices<'c>(std::iter::Cycle<std::slice::Iter<'c, u8>>);

impl Choices<'_> {
    fn below(&mut self, count: usize) -> usize {
        usize::from(self.0.next().copied().unwrap_or_default()) % count.max(1)
    }
}

/// A value that is likely to satisfy `schema`.
fn instance(schema: &Value, root: &Value, choices: &mut Choices<'_>, depth: usize) -> Value {
    let Value::Object(keywords) = schema else { return anything(choices) };
    if depth == 0 || choices.below(16) == 0 {
        return anything(choices);
    }
    let mut value = match (keywords.get("const"), keywords.get("enum").and_then(Value::as_array)) {
        (Some(value), _) => return value.clone(),
        (_, Some(values)) => return values[choices.below(values.len())].clone(),
        _ => of_type(keywords, root, choices, depth),
    };
    let mut further: Vec<&Value> = Vec::new();
    for keyword in ["anyOf", "oneOf"] {
        if let Some(list) = keywords.get(keyword).and_then(Value::as_array) {
            further.push(&list[choices.below(list.len())]);
        }
    }
    further.extend(keywords.get("allOf").and_then(Value::as_array).into_iter().flatten());
    further.extend(keywords.get("$ref").and_then(|reference| super::super::resolve(reference, root)));
    further.extend(keywords.get(["then", "else"][choices.below(2)]));
    for schema in further {
        let other = instance(schema, root, choices, depth - 1);
        match (&mut value, other) {
            (Value::Object(value), Value::Object(other)) => value.extend(other),
            (value, other) if !keywords.contains_key("type") => *value = other,
            _ => {}
        }
    }
    value
}

fn of_type(keywords: &Map<String, Value>, root: &Value, choices: &mut Choices<'_>, depth: usize) -> Value {
    let kind = match keywords.get("type") {
        Some(Value::Array(kinds)) => kinds[choices.below(kinds.len())].as_str(),
        kind => kind.and_then(Value::as_str),
    };
    match kind {
        Some("object") => {
            let properties = keywords.get("properties").and_then(Value::as_object);
            let required = keywords.get("required").and_then(Value::as_array);
            let mut members = Map::new();
            for (name, schema) in properties.into_iter().flatten() {
                let is_required = required.is_some_and(|names| names.iter().any(|required| required == name));
                if is_required || choices.below(3) > 0 {
                    members.insert(name.clone(), instance(schema, root, choices, depth - 1));
                }
            }
            for name in required.into_iter().flatten().filter_map(Value::as_str) {
                if !members.contains_key(name) {
                    members.insert(name.to_owned(), anything(choices));
                }
            }
            if choices.below(4) == 0 {
                members.insert(NAMES[choices.below(NAMES.len())].to_owned(), anything(choices));
            }
            members.into()
        }
        Some("array") => {
            let first = keywords.get("prefixItems").and_then(Value::as_array);
            let mut items: Vec<Value> =
                first.into_iter().flatten().map(|schema| instance(schema, root, choices, depth - 1)).collect();
            if let Some(schema) = keywords.get("items").filter(|items| items.is_object()) {
                items.extend(
                    (0..choices.below(3)).map(|_| instance(schema, root, choices, depth - 1)).collect::<Vec<_>>(),
                );
            }
            items.into()
        }
        Some("string") if keywords.get("format") == Some(&json!("date-time")) => json!("2026-01-02T03:04:05Z"),
        Some("string") if keywords.contains_key("format") => json!("0f8fad5b-d9cb-469f-a165-70867728950e"),
        Some("string") => json!(["", "a", "ab", "abc"][choices.below(4)]),
        Some("integer" | "number") => json!(choices.below(6).cast_signed() - 2),
        Some("boolean") => json!(choices.below(2) == 0),
        Some("null") => Value::Null,
        _ => anything(choices),
    }
}

fn anything(choices: &mut Choices<'_>) -> Value {
    let few = [
        json!(null),
        json!(true),
        json!(0),
        json!(1),
        json!(2.5),
        json!(""),
        json!("a"),
        json!("ab"),
        json!([]),
        json!([1]),
        json!(["a", null]),
        json!({}),
        json!({"a": 1}),
        json!({"a": "a"}),
        json!({"kind": "a"}),
        json!({"x-1": 1}),
    ];
    few[choices.below(few.len())].clone()
}

fn validator(schema: &Value) -> jsonschema::Validator {
    jsonschema::options()
        .with_draft(jsonschema::Draft::Draft202012)
        .should_validate_formats(true)
        .build(schema)
        .expect("a valid schema")
}

/// `value` without some of its members that are null: those whose turn, in the order of the text, has its bit in `left`.
fn without(value: &Value, left: &mut u32) -> Value {
    match value {
        Value::Array(items) => items.iter().map(|item| without(item, left)).collect(),
        Value::Object(members) => {
            let mut kept = Map::new();
            for (name, value) in members {
                let goes = value.is_null() && {
                    let bit = *left & 1;
                    *left >>= 1;
                    bit == 1
                };
                if !goes {
                    kept.insert(name.clone(), without(value, left));
                }
            }
            kept.into()
        }
        other => other.clone(),
    }
}

#[test]
fn what_the_effective_schema_accepts_the_served_one_accepts() {
    let mut runner = TestRunner::new(Config { cases: 3000, rng_seed: RngSeed::Fixed(7), ..Config::default() });
    let choices = prop::collection::vec(prop::collection::vec(any::<u8>(), 40), 12);
    let (counted_schemas, counted_accepted) = (std::cell::Cell::new(0_u32), std::cell::Cell::new(0_u32));
    runner
        .run(&(document(), choices), |(declared, choices)| {
            if check(&declared).is_err() {
                return Ok(());
            }
            let Ok(schema) = InputSchema::new(declared.clone()) else { return Ok(()) };
            counted_schemas.set(counted_schemas.get() + 1);
            assert_served(&schema.served);
            let (effective, served) = (validator(&schema.effective), validator(&schema.served));
            for choices in &choices {
                let mut input = instance(&declared, &declared, &mut Choices(choices.iter().cycle()), 6);
                remove_optional_nulls(&schema.effective, &mut input);
                if effective.is_valid(&input) {
                    counted_accepted.set(counted_accepted.get() + 1);
                    prop_assert!(
                        (0..64).any(|left| served.is_valid(&without(&input, &mut { left }))),
                        "{input} is accepted by {} and not by {}",
                        schema.effective,
                        schema.served
                    );
                }
            }
            Ok(())
        })
        .unwrap_or_else(|error| panic!("{error}"));
    let (schemas, accepted) = (counted_schemas.get(), counted_accepted.get());
    assert!(
        schemas > 1000 && accepted > 4000,
        "only {schemas} schemas and {accepted} accepted instances were looked at"
    );
}

/// Schemas that are served exactly: what no rule lets the served schema accept more of.
fn exact() -> BoxedStrategy<Value> {
    let leaf = prop_oneof![
        (0..3_u64, 1..4_u64).prop_map(|(min, max)| json!({"type": "string", "minLength": min, "maxLength": max})),
        Just(json!({"type": "string", "pattern": "^a"})),
        (-2..2_i64, 0..4_i64)
            .prop_map(|(min, max)| json!({"type": "integer", "minimum": min, "exclusiveMaximum": max})),
        (-2..2_i64).prop_map(|min| json!({"type": "number", "minimum": min})),
        Just(json!({"allOf": [{"type": "integer", "minimum": 0}, {"maximum": 3}, {"type": "number"}]})),
        Just(json!({"type": ["integer", "string"], "minimum": 1, "minLength": 2})),
        Just(json!({"type": ["string", "null"]})),
        Just(json!({"type": "boolean"})),
        Just(json!({"enum": ["a", "b", 1, null]})),
        Just(json!({"oneOf": [{"const": "a"}, {"const": "b"}]})),
        Just(json!({})),
        Just(json!({"minimum": 1})),
        Just(json!({"$ref": "#/$defs/Leaf"})),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        let properties = prop::collection::btree_map(select(&NAMES[..]), inner.clone(), 0..4);
        let required = prop::collection::btree_set(select(&NAMES[..]), 0..2);
        let others = prop_oneof![Just(json!(false)), Just(json!(true)), inner.clone()];
        prop_oneof![
            3 => (properties, required, others).prop_map(|(properties, mut required, others)| {
                // A member that nothing satisfies cannot be told apart from one that is not declared.
                required.retain(|name| properties.contains_key(name) || others != json!(false));
                json!({"type": "object", "properties": properties, "required": required, "additionalProperties": others})
            }),
            1 => (inner.clone(), 0..3_u64).prop_map(|(items, min)| json!({"type": "array", "items": items, "minItems": min})),
            1 => prop::collection::vec(inner, 1..4).prop_map(|list| json!({"anyOf": list})),
        ]
    })
    .boxed()
}

#[test]
fn the_served_schema_accepts_no_more_where_no_rule_says_so() {
    let mut runner = TestRunner::new(Config { cases: 2000, rng_seed: RngSeed::Fixed(7), ..Config::default() });
    let choices = prop::collection::vec(prop::collection::vec(any::<u8>(), 40), 12);
    let refused = std::cell::Cell::new(0_u32);
    runner
        .run(&(prop::collection::btree_map(select(&NAMES[..]), exact(), 1..4), choices), |(properties, choices)| {
            let declared = json!({"type": "object", "properties": properties,
                "$defs": {"Leaf": {"type": "object", "properties": {"a": {"type": "string"}}}}});
            let schema = InputSchema::new(declared.clone()).expect("a schema that can be served");
            assert_served(&schema.served);
            let (effective, served) = (validator(&schema.effective), validator(&schema.served));
            for choices in &choices {
                let mut input = instance(&declared, &declared, &mut Choices(choices.iter().cycle()), 6);
                remove_optional_nulls(&schema.effective, &mut input);
                if !effective.is_valid(&input) {
                    refused.set(refused.get() + 1);
                    prop_assert!(
                        !served.is_valid(&input),
                        "{input} is refused by {} and not by {}",
                        schema.effective,
                        schema.served
                    );
                }
            }
            Ok(())
        })
        .unwrap_or_else(|error| panic!("{error}"));
    assert!(refused.get() > 2000, "only {} refused instances were looked at", refused.get());
}
