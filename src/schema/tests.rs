use serde_json::json;

use super::*;

fn served(declared: &Value) -> Value {
    check(declared).expect("a valid schema");
    InputSchema::new(declared.clone()).expect("a schema that can be served").served
}

#[test]
fn refused_schemas_say_why() {
    let deep = (0..70).fold(json!({}), |inner, _| json!({"items": inner}));
    let many: Value = (0..2000).map(|n| (format!("p{n}"), json!({}))).collect::<Map<_, _>>().into();
    for (schema, expected) in [
        (Value::Null, "missing"),
        (json!(true), "missing"),
        (json!({"type": "string"}), "not an object at its root"),
        (json!({"type": ["object", "null"]}), "not an object at its root"),
        (json!({"properties": {"a": {}}}), "not an object at its root"),
        (json!({"oneOf": [{"type": "object"}, {"type": "string"}]}), "not an object at its root"),
        (
            json!({"type": "object", "$schema": "http://json-schema.org/draft-04/schema#"}),
            "supported are JSON Schema 2020-12 and draft-07",
        ),
        (json!({"type": "object", "properties": {"a": {"$ref": "https://example.com/x"}}}), "refers outside itself"),
        (json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/no"}}}), "which is not in it"),
        (json!({"type": "object", "$ref": "#"}), "without consuming"),
        (
            json!({"type": "object", "allOf": [{"$ref": "#/$defs/a"}], "$defs": {"a": {"anyOf": [{"$ref": "#/$defs/a"}]}}}),
            "without consuming",
        ),
        (
            json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}),
            "without consuming",
        ),
        (json!({"type": "object", "properties": {"a": deep}}), "nested deeper"),
        (json!({"type": "object", "properties": many}), "at most 2000"),
        (json!({"type": "object", "description": "x".repeat(1 << 16)}), "at most 65536"),
        (json!({"type": "object", "$id": "https://example.com/x"}), "uses $id"),
        (json!({"type": "object", "properties": {"a": {"items": [{}]}}}), "a list of items is prefixItems"),
        (json!({"type": "object", "properties": {"a": {"additionalItems": false}}}), "uses additionalItems"),
        (json!({"type": "object", "dependencies": {"a": ["b"]}}), "uses dependencies"),
        (json!({"type": "object", "properties": {"a": {"exclusiveMinimum": true}}}), "the bound itself"),
        (json!({"type": "object", "properties": {"a": {"type": "string", "nullable": true}}}), "uses nullable"),
        (
            json!({"type": "object", "properties": {"a": {"$schema": "http://json-schema.org/draft-04/schema#"}}}),
            "in one dialect",
        ),
        (
            json!({"type": "object", "properties": {"a": {"$ref": "#/components/schemas/A"}},
                "components": {"schemas": {"A": {"$ref": "https://example.com/x"}}}}),
            "refers outside itself",
        ),
        (
            json!({"type": "object", "properties": {"a": {"$ref": "#/x-mine/A"}}, "x-mine": {"A": {"$ref": "https://example.com/x"}}}),
            "no place for a schema",
        ),
    ] {
        let refused = check(&schema).expect_err("must be refused");
        assert!(refused.contains(expected), "{refused}");
    }
}

#[test]
fn recursion_through_members_and_names_like_keywords_are_fine() {
    for schema in [
        json!({"type": "object", "properties": {"child": {"$ref": "#"}}}),
        json!({"type": "object", "properties": {"list": {"$ref": "#/$defs/l"}}, "$defs": {"l": {"items": {"$ref": "#/$defs/l"}}}}),
        json!({"type": "object", "properties": {"$ref": {"type": "string"}, "$id": {"type": "string"}}}),
        json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/s"}, "b": {"$ref": "#/$defs/s"}}, "$defs": {"s": {"type": "string"}}}),
        json!({"oneOf": [{"type": "object"}, {"$ref": "#/$defs/A%20b"}], "$defs": {"A b": {"type": "object"}}}),
        json!({"type": "object", "properties": {"nullable": true, "items": {"type": ["string", "null"], "nullable": true}}}),
        json!({"type": "object", "$schema": "https://json-schema.org/draft/2020-12/schema#", "properties": {"a": {"$ref": "#/items"}}, "items": true}),
    ] {
        assert_eq!(check(&schema), Ok(()), "{schema}");
    }
}

#[test]
fn the_root_is_closed_where_it_says_nothing() {
    let effective = |declared| effective::effective(declared).expect("a schema");
    assert_eq!(effective(json!({"type": "object"}))["additionalProperties"], json!(false));
    assert_eq!(effective(json!({"type": "object", "additionalProperties": true}))["additionalProperties"], json!(true));
    let composed = effective(json!({"type": "object", "allOf": [{"properties": {"a": {}}}]}));
    assert_eq!((&composed["unevaluatedProperties"], composed.get("additionalProperties")), (&json!(false), None));
}

#[test]
fn annotations_go_and_members_of_the_same_name_stay() {
    let schema = json!({"type": "object", "title": "T", "$schema": "https://json-schema.org/draft/2020-12/schema",
        "required": ["title", "default"],
        "properties": {"default": {"type": "string", "default": "x"}, "title": {"examples": [1], "type": "integer"}}});
    assert_eq!(
        served(&schema),
        json!({"type": "object", "required": ["default", "title"],
        "properties": {"default": {"type": "string"}, "title": {"type": "integer"}}, "additionalProperties": false})
    );
}

#[test]
fn inlining_ends_within_its_bounds() {
    // Each definition holds two of the next: 2^40 schemas without references.
    let mut definitions = Map::new();
    for level in 0..40 {
        let next = json!({"$ref": format!("#/$defs/d{}", level + 1)});
        let next = if level == 39 { json!({"type": "string"}) } else { next };
        definitions.insert(format!("d{level}"), json!({"type": "object", "properties": {"a": next, "b": next}}));
    }
    let exploding = json!({"type": "object", "properties": {"d": {"$ref": "#/$defs/d0"}}, "$defs": definitions});
    let text = served(&exploding).to_string();
    assert!(text.len() < 1 << 15 && text.contains("what it holds is checked"), "{} bytes", text.len());

    // Each refers to the other through a list, a map and a union.
    let mutual = json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/A"}}, "$defs": {
        "A": {"type": "object", "properties": {"list": {"type": "array", "items": {"$ref": "#/$defs/B"}}}},
        "B": {"type": "object", "additionalProperties": {"anyOf": [{"$ref": "#/$defs/A"}, {"type": "string"}]}},
    }});
    let text = served(&mutual).to_string();
    assert!(text.contains("again A, as above") && !text.contains("$ref"), "{text}");
}

#[test]
fn nulls_of_optional_members_go_and_other_nulls_stay() {
    let nullable = json!({"type": ["string", "null"]});
    let schema = json!({"type": "object", "required": ["needed"], "properties": {
        "needed": nullable, "optional": nullable, "strict": {"type": "string"}, "any": {}, "list": {"items": nullable},
        "map": {"additionalProperties": nullable}, "inner": {"$ref": "#/$defs/Inner"},
        "either": {"anyOf": [{"required": ["x"], "properties": {"x": nullable}}, {"properties": {"y": nullable}}]}},
        "$defs": {"Inner": {"type": "object", "properties": {"optional": nullable}}}});
    let mut input = json!({"needed": null, "optional": null, "strict": null, "any": null, "list": [null], "map": {"k": null},
        "inner": {"optional": null, "undeclared": null}, "either": {"x": null, "y": null}});
    remove_optional_nulls(&schema, &mut input);
    assert_eq!(
        input,
        json!({"needed": null, "strict": null, "any": null, "list": [null], "map": {"k": null},
            "inner": {"undeclared": null}, "either": {"x": null}})
    );
}

mod laws;
mod real;
mod subset;
