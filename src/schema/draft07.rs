//! Documents that say they are draft-07, in the words of 2020-12.
//!
//! Source: json-schema.org, "Migrating from Draft 7 to Draft 2019-09" and "from 2019-09 to 2020-12".

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use super::{LIST, MAP, change_each, percent_decoded};

const CURRENT: &str = "https://json-schema.org/draft/2020-12/schema";
const DRAFT_07: [&str; 2] = ["http://json-schema.org/draft-07/schema", "https://json-schema.org/draft-07/schema"];
/// Keywords with a meaning that they do not have in draft-07, where a validator passes over them.
const LATER: [&str; 10] = [
    "$anchor",
    "$dynamicRef",
    "$recursiveRef",
    "dependentRequired",
    "dependentSchemas",
    "maxContains",
    "minContains",
    "prefixItems",
    "unevaluatedItems",
    "unevaluatedProperties",
];
/// What still counts beside a reference: definitions, which can be referred to, and what is read by people.
const BESIDE_REFERENCE: [&str; 5] = ["$defs", "components", "definitions", "description", "title"];

/// The document in 2020-12; the same one where it is written in it or says nothing.
///
/// # Errors
/// The dialect, if it is another one; what has no translation.
pub(super) fn translated(document: &Value) -> Result<Cow<'_, Value>, String> {
    match document.get("$schema") {
        None => Ok(Cow::Borrowed(document)),
        Some(dialect) if is_current(dialect) => Ok(Cow::Borrowed(document)),
        Some(dialect) if is_draft07(dialect) => {
            let mut translated = document.clone();
            change_each(&mut translated, &mut |keywords| translate(keywords, document))?;
            Ok(Cow::Owned(translated))
        }
        Some(dialect) => {
            Err(format!("its input schema is written in {dialect}; supported are JSON Schema 2020-12 and draft-07"))
        }
    }
}

pub(super) fn is_current(dialect: &Value) -> bool {
    dialect.as_str().is_some_and(|text| text.trim_end_matches('#') == CURRENT)
}

fn is_draft07(dialect: &Value) -> bool {
    dialect.as_str().is_some_and(|text| DRAFT_07.contains(&text.trim_end_matches('#')))
}

fn translate(keywords: &mut Map<String, Value>, document: &Value) -> Result<(), String> {
    if let Some(other) = keywords.remove("$schema").filter(|dialect| !is_draft07(dialect)) {
        return Err(format!("its input schema is draft-07, and a part of it is written in {other}"));
    }
    if let Some(keyword) = LATER.into_iter().find(|keyword| keywords.contains_key(*keyword)) {
        return Err(format!(
            "its input schema uses {keyword}, which draft-07 does not know: say with \"$schema\" that it is 2020-12"
        ));
    }
    if let Some(reference) = keywords.remove("$ref") {
        // In draft-07 a reference stands for the whole schema.
        keywords.retain(|keyword, _| BESIDE_REFERENCE.contains(&keyword.as_str()));
        let moved = reference.as_str().and_then(|text| moved(text, document));
        keywords.insert("$ref".to_owned(), moved.map_or(reference, Value::String));
    }
    // Beside one schema for all items, or none, additionalItems means nothing.
    let rest = keywords.remove("additionalItems");
    let (first, all) = match keywords.remove("items") {
        Some(first @ Value::Array(_)) => (Some(first), rest),
        all => (None, all),
    };
    keywords.extend(all.map(|all| ("items".to_owned(), all)));
    keywords.extend(first.filter(|first| *first != json!([])).map(|first| ("prefixItems".to_owned(), first)));
    match keywords.remove("dependencies") {
        Some(Value::Object(dependencies)) => translate_dependencies(keywords, dependencies),
        Some(_) => Err("its input schema has dependencies that are no object".to_owned()),
        None => Ok(()),
    }
}

/// Where the translation puts what `reference` refers to; nothing if that is not in the document.
fn moved(reference: &str, document: &Value) -> Option<String> {
    let mut schema = document;
    let mut moved = "#".to_owned();
    let mut segments = reference.strip_prefix("#/")?.split('/');
    while let Some(keyword) = segments.next() {
        let place = match keyword {
            "items" if schema["items"].is_array() => "prefixItems",
            "additionalItems" if schema["items"].is_array() => "items",
            "dependencies" => "dependentSchemas",
            other => other,
        };
        let is_named = MAP.contains(&place) || LIST.contains(&place);
        let name = if is_named { Some(segments.next()?) } else { None };
        for (segment, place) in [(Some(keyword), Some(place)), (name, name)] {
            if let (Some(segment), Some(place)) = (segment, place) {
                schema = schema.pointer(&format!("/{}", percent_decoded(segment)?))?;
                moved = format!("{moved}/{place}");
            }
        }
    }
    Some(moved)
}

fn translate_dependencies(keywords: &mut Map<String, Value>, dependencies: Map<String, Value>) -> Result<(), String> {
    for (name, needed) in dependencies {
        let keyword = match &needed {
            Value::Array(_) => "dependentRequired",
            Value::Object(_) | Value::Bool(_) => "dependentSchemas",
            _ => return Err("its input schema has dependencies that are neither a list nor a schema".to_owned()),
        };
        keywords.entry(keyword).or_insert_with(|| json!({}))[name] = needed;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::{InputSchema, check};
    use super::*;

    /// `document`, said to be draft-07, in 2020-12.
    fn translation(mut document: Value) -> Result<Value, String> {
        document["$schema"] = json!("http://json-schema.org/draft-07/schema#");
        translated(&document).map(Cow::into_owned)
    }

    #[test]
    fn each_keyword_that_changed_is_written_as_it_is_now() {
        for (draft07, expected) in [
            (json!({"items": [{"type": "string"}, true]}), json!({"prefixItems": [{"type": "string"}, true]})),
            (json!({"items": [{}], "additionalItems": false}), json!({"prefixItems": [{}], "items": false})),
            (json!({"items": [], "additionalItems": {"type": "null"}}), json!({"items": {"type": "null"}})),
            (json!({"items": []}), json!({})),
            (json!({"items": {"type": "string"}, "additionalItems": false}), json!({"items": {"type": "string"}})),
            (json!({"items": false}), json!({"items": false})),
            (json!({"additionalItems": false}), json!({})),
            (
                json!({"dependencies": {"a": ["b"], "c": {"required": ["d"]}, "e": false, "f": []}}),
                json!({"dependentRequired": {"a": ["b"], "f": []}, "dependentSchemas": {"c": {"required": ["d"]}, "e": false}}),
            ),
            (json!({"dependencies": {}}), json!({})),
            (
                json!({"definitions": {"A": {"items": [true]}}, "not": {"items": [{}]}}),
                json!({"definitions": {"A": {"prefixItems": [true]}}, "not": {"prefixItems": [{}]}}),
            ),
            (
                json!({"properties": {"a": {"$schema": "http://json-schema.org/draft-07/schema"}, "b": true}}),
                json!({"properties": {"a": {}, "b": true}}),
            ),
            // Values and names are no schemas.
            (
                json!({"const": {"items": [1], "$ref": "#/x"}, "properties": {"dependencies": {}, "$ref": {"items": {}}}}),
                json!({"const": {"items": [1], "$ref": "#/x"}, "properties": {"dependencies": {}, "$ref": {"items": {}}}}),
            ),
        ] {
            assert_eq!(translation(draft07.clone()), Ok(expected), "{draft07}");
        }
    }

    #[test]
    fn a_reference_stands_for_the_whole_schema() {
        let document = json!({"$ref": "#/definitions/A", "type": "string", "minLength": 1, "items": [{}],
            "description": "d", "$defs": {"B": {"items": [{}]}}, "definitions": {"A": {"type": "object"}}});
        let expected = json!({"$ref": "#/definitions/A", "description": "d", "$defs": {"B": {"prefixItems": [{}]}},
            "definitions": {"A": {"type": "object"}}});
        assert_eq!(translation(document), Ok(expected));
    }

    #[test]
    fn a_reference_follows_what_the_translation_moves() {
        let string = json!({"type": "string"});
        for (reference, expected) in [
            ("#/properties/pair/items/0", "#/properties/pair/prefixItems/0"),
            ("#/properties/pair/additionalItems", "#/properties/pair/items"),
            ("#/properties/list/items", "#/properties/list/items"),
            ("#/dependencies/d", "#/dependentSchemas/d"),
            ("#/dependencies/d/properties/x", "#/dependentSchemas/d/properties/x"),
            ("#/definitions/items", "#/definitions/items"),
            ("#/definitions/a~1b%20c/items/0", "#/definitions/a~1b%20c/prefixItems/0"),
            ("#/properties/dependencies", "#/properties/dependencies"),
            ("#/allOf/0", "#/allOf/0"),
        ] {
            let document = json!({"type": "object", "allOf": [{}], "properties": {"r": {"$ref": reference},
                "pair": {"items": [string], "additionalItems": string}, "list": {"items": string}, "dependencies": string},
                "dependencies": {"d": {"properties": {"x": string}}},
                "definitions": {"items": string, "a/b c": {"items": [string]}}});
            let translated = translation(document).expect("a translation");
            assert_eq!(translated["properties"]["r"]["$ref"], expected);
            assert_eq!(check(&translated), Ok(()), "{expected}");
        }
    }

    #[test]
    fn what_has_no_translation_is_refused_by_name() {
        for (document, expected) in [
            (json!({"properties": {"a": {"prefixItems": [{}]}}}), "uses prefixItems, which draft-07 does not know"),
            (json!({"unevaluatedProperties": false}), "uses unevaluatedProperties, which draft-07"),
            (json!({"properties": {"a": {"minContains": 2, "contains": {}}}}), "uses minContains, which draft-07"),
            (json!({"dependencies": ["a"]}), "dependencies that are no object"),
            (json!({"dependencies": {"a": "b"}}), "neither a list nor a schema"),
            (json!({"properties": {"a": {"$schema": CURRENT}}}), "a part of it is written in"),
            (json!({"properties": {"a": {"$id": "#a"}}}), "uses $id"),
            (json!({"properties": {"a": {"$ref": "#a"}}}), "which is not in it"),
            (json!({"properties": {"a": {"$ref": "#/properties"}}}), "no place for a schema"),
            // In draft-07 nothing beside a reference counts, so nothing there can be referred to.
            (
                json!({"properties": {"a": {"$ref": "#/properties/b/not"}, "b": {"$ref": "#/properties/c", "not": {}}, "c": {}}}),
                "which is not in it",
            ),
        ] {
            let mut document = document;
            document["type"] = json!("object");
            document["$schema"] = json!(DRAFT_07[0]);
            let refused = check(&document).expect_err("must be refused");
            assert!(refused.contains(expected), "{refused}");
        }
    }

    #[test]
    fn its_meaning_is_what_is_validated_and_served() {
        let document = json!({"$schema": DRAFT_07[1], "type": "object", "properties": {
            "pair": {"type": "array", "items": [{"type": "string"}, {"type": "integer"}], "additionalItems": false},
            "a": {"$ref": "#/properties/pair/items/1", "minimum": 5}}, "dependencies": {"a": ["pair"]}});
        check(&document).expect("a valid schema");
        let schema = InputSchema::new(document.clone()).expect("a schema that can be served");
        let effective = jsonschema::draft202012::new(&schema.effective).expect("a schema");
        for (input, expected) in [
            (json!({"pair": ["a", 1], "a": 1}), true),
            (json!({"pair": ["a", 1, 2]}), false),
            (json!({"pair": [1, "a"]}), false),
            (json!({"a": 1}), false),
            (json!({"pair": [], "a": "1"}), false),
        ] {
            assert_eq!(effective.is_valid(&input), expected, "{input}");
        }
        assert_eq!(schema.served["properties"]["a"], json!({"type": "integer"}));
        assert_eq!(schema.served["properties"]["pair"]["maxItems"], 2);
    }
}
