//! What is wrong with arguments that the validator refused.
//!
//! The validator's own account of alternatives within each other grows without bound, so this one walks schema and input
//! itself: a few problems, within a number of steps, in a stable order.

use std::collections::HashMap;

use jsonschema::error::ValidationErrorKind as Kind;
use serde_json::{Map, Value, json};

use super::problem::{NOT_AS_TEXT, Names, Problem, types};
use super::validator::options;
use crate::schema::{as_fragment, escaped, located};

/// Steps that one explanation may take.
const STEPS: usize = 10_000;
/// Problems that are looked for.
const MOST: usize = 10;
/// Keywords that look at one value and at nothing inside it.
const LOCAL: [&str; 18] = [
    "type",
    "enum",
    "const",
    "multipleOf",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
    "required",
];

/// Why `input` is not what the schema `root` wants.
pub(super) fn explain(root: &Value, names: &Names, input: &Value) -> Vec<Problem> {
    let mut explainer = Explainer { root, names, local: HashMap::new(), whole: HashMap::new(), steps: STEPS };
    let found = explainer.look(&Place { schema: root, pointer: String::new() }, input, &mut Vec::new());
    found.into_iter().map(|found| found.problem).collect()
}

/// A schema, and where it stands in the document.
struct Place<'s> {
    schema: &'s Value,
    pointer: String,
}

impl<'s> Place<'s> {
    /// A schema inside this one.
    fn inside(&self, schema: &'s Value, way: &[&str]) -> Self {
        let pointer = way.iter().fold(self.pointer.clone(), |pointer, segment| pointer + "/" + &escaped(segment));
        Self { schema, pointer }
    }
}

/// A problem, and what it says about the alternative it was found in.
struct Found {
    way: Vec<String>,
    problem: Problem,
    says: Says,
}

#[derive(PartialEq)]
enum Says {
    /// The value is of another type; whether it is a text.
    Types(Vec<String>, bool),
    /// The value is another one than these.
    Values(Vec<String>),
    Else,
}

struct Explainer<'s> {
    root: &'s Value,
    names: &'s Names,
    /// Validators of the local keywords of schemas, by the schemas' addresses.
    local: HashMap<usize, Option<jsonschema::Validator>>,
    /// Validators of whole schemas, by their pointers.
    whole: HashMap<String, Option<jsonschema::Validator>>,
    steps: usize,
}

impl<'s> Explainer<'s> {
    fn look(&mut self, place: &Place<'s>, value: &Value, way: &mut Vec<String>) -> Vec<Found> {
        let Some(steps) = self.steps.checked_sub(1) else { return Vec::new() };
        self.steps = steps;
        let keywords = match place.schema {
            Value::Object(keywords) => keywords,
            Value::Bool(false) => return vec![self.found(way, "additionalProperties", "no such member")],
            _ => return Vec::new(),
        };
        let mut found = self.local(keywords, value, way);
        self.in_place(place, keywords, value, way, &mut found);
        match value {
            Value::Object(members) => self.members(place, keywords, members, way, &mut found),
            Value::Array(items) => self.items(place, keywords, items, way, &mut found),
            _ => {}
        }
        found.truncate(MOST);
        found
    }

    fn found(&self, way: &[String], keyword: &str, expected: &str) -> Found {
        Found::new(self.names, way, keyword, expected)
    }

    /// What is wrong with the value itself.
    fn local(&mut self, keywords: &'s Map<String, Value>, value: &Value, way: &[String]) -> Vec<Found> {
        let validator = self.local.entry(std::ptr::from_ref(keywords).addr()).or_insert_with(|| {
            let own = keywords.iter().filter(|(keyword, _)| LOCAL.contains(&keyword.as_str()));
            let own: Map<String, Value> = own.map(|(keyword, value)| (keyword.clone(), value.clone())).collect();
            (!own.is_empty()).then(|| options().build(&Value::Object(own)).ok()).flatten()
        });
        let Some(validator) = validator else { return Vec::new() };
        let names = self.names;
        let mut found = Vec::new();
        for error in validator.iter_errors(value).take(MOST) {
            let says = match error.kind() {
                Kind::Type { .. } => Says::Types(types(&error), value.is_string()),
                Kind::Constant { expected_value } => Says::Values(vec![expected_value.to_string()]),
                Kind::Enum { options } => {
                    Says::Values(options.as_array().into_iter().flatten().map(Value::to_string).collect())
                }
                _ => Says::Else,
            };
            let (keyword, mut expected) = (error.kind().keyword(), names.expected(&error));
            if let (Kind::MinProperties { .. }, Some(Value::Object(properties))) =
                (error.kind(), keywords.get("properties"))
            {
                let declared: Vec<&str> = properties.keys().map(String::as_str).collect();
                expected = format!("{expected}; declared: {}", declared.join(", "));
            }
            found.push(Found { says, ..Found::new(names, way, keyword, &expected) });
        }
        found
    }

    /// What the schemas say that apply to the same value.
    fn in_place(
        &mut self,
        place: &Place<'s>,
        keywords: &'s Map<String, Value>,
        value: &Value,
        way: &mut Vec<String>,
        found: &mut Vec<Found>,
    ) {
        if let Some(reference) = keywords.get("$ref")
            && let Some((schema, pointer)) = located(reference, self.root)
        {
            found.extend(self.look(&Place { schema, pointer }, value, way));
        }
        for (index, schema) in list(keywords, "allOf").iter().enumerate() {
            found.extend(self.look(&place.inside(schema, &["allOf", &index.to_string()]), value, way));
        }
        for keyword in ["anyOf", "oneOf"] {
            let alternatives: Vec<Place<'s>> = list(keywords, keyword)
                .iter()
                .enumerate()
                .map(|(index, schema)| place.inside(schema, &[keyword, &index.to_string()]))
                .collect();
            if !alternatives.is_empty() {
                found.extend(self.alternatives(keyword, &alternatives, value, way));
            }
        }
        if let Some(condition) = keywords.get("if") {
            let branch = if self.holds(&place.inside(condition, &["if"]), value) { "then" } else { "else" };
            if let Some(schema) = keywords.get(branch) {
                found.extend(self.look(&place.inside(schema, &[branch]), value, way));
            }
        }
        if let Some(schema) = keywords.get("not")
            && self.holds(&place.inside(schema, &["not"]), value)
        {
            found.push(self.found(way, "not", &format!("not what the schema excludes: {schema}")));
        }
    }

    /// The alternative that was meant, if one clearly was; else what there is to choose from.
    fn alternatives(
        &mut self,
        keyword: &'static str,
        alternatives: &[Place<'s>],
        value: &Value,
        way: &mut Vec<String>,
    ) -> Vec<Found> {
        let mut accounts = Vec::with_capacity(alternatives.len());
        for alternative in alternatives {
            let account = self.look(alternative, value, way);
            if account.is_empty() && keyword == "anyOf" {
                return Vec::new();
            }
            accounts.push(account);
        }
        let fitting = accounts.iter().filter(|account| account.is_empty()).count();
        if fitting > 0 {
            let expected = "exactly one of the alternatives in the schema";
            return if fitting > 1 { vec![self.found(way, keyword, expected)] } else { Vec::new() };
        }
        let is_meant = |account: &Vec<Found>| !account.iter().any(|found| found.is_another(way));
        // What is right by itself and wrong inside is nearer than what is wrong by itself.
        let is_near = |account: &Vec<Found>| is_meant(account) && account.iter().all(|found| found.way != *way);
        for nearest in [&is_near as &dyn Fn(&Vec<Found>) -> bool, &is_meant] {
            if accounts.iter().filter(|account| nearest(account)).count() == 1 {
                return accounts.into_iter().find(nearest).unwrap_or_default();
            }
        }
        if !accounts.iter().any(is_meant)
            && let Some(found) = self.choice(&accounts, way)
        {
            return vec![found];
        }
        let any_meant = accounts.iter().any(is_meant);
        let here = self.names.path(way);
        let mut ways: Vec<String> = Vec::new();
        for account in accounts.iter().filter(|account| !any_meant || is_meant(account)) {
            let Some(Found { problem, .. }) = account.first() else { continue };
            let place = problem.path.strip_prefix(&here).filter(|rest| !rest.is_empty());
            let told =
                place.map_or_else(|| problem.expected.clone(), |place| format!("at {place} {}", problem.expected));
            if !ways.contains(&told) && ways.len() < MOST {
                ways.push(told);
            }
        }
        vec![self.found(way, keyword, &format!("one of the alternatives: {}", ways.join("; or ")))]
    }

    /// What must be chosen when no alternative was meant: a type, or the member that tells the alternatives apart.
    fn choice(&self, accounts: &[Vec<Found>], way: &[String]) -> Option<Found> {
        let deciding: Option<Vec<&Found>> =
            accounts.iter().map(|account| account.iter().find(|found| found.is_another(way))).collect();
        let deciding = deciding?;
        let first = deciding.first()?;
        if deciding.iter().any(|found| found.way != first.way) {
            return None;
        }
        let (mut kinds, mut values) = (Vec::new(), Vec::new());
        let mut is_text = false;
        for found in &deciding {
            match &found.says {
                Says::Types(types, text) => {
                    is_text |= *text;
                    kinds.extend(types.iter().filter(|kind| !kinds.contains(*kind)).cloned().collect::<Vec<_>>());
                }
                Says::Values(some) => values.extend(some.iter().cloned()),
                Says::Else => return None,
            }
        }
        match (kinds.is_empty(), values.is_empty()) {
            (false, true) => {
                let hint = if is_text { NOT_AS_TEXT } else { "" };
                Some(self.found(&first.way, "type", &format!("{}{hint}", kinds.join(" or "))))
            }
            (true, false) => Some(self.found(&first.way, "enum", &format!("one of [{}]", values.join(",")))),
            _ => None,
        }
    }

    fn members(
        &mut self,
        place: &Place<'s>,
        keywords: &'s Map<String, Value>,
        members: &Map<String, Value>,
        way: &mut Vec<String>,
        found: &mut Vec<Found>,
    ) {
        let properties = keywords.get("properties").and_then(Value::as_object);
        let patterns = keywords.get("patternProperties").and_then(Value::as_object);
        let mut too_many = false;
        for (name, value) in members {
            if found.len() >= MOST {
                return;
            }
            let mut schemas: Vec<Place<'s>> = Vec::new();
            schemas.extend(
                properties.and_then(|all| all.get(name)).map(|schema| place.inside(schema, &["properties", name])),
            );
            for (pattern, schema) in patterns.into_iter().flatten() {
                if self.matches(pattern, name) {
                    schemas.push(place.inside(schema, &["patternProperties", pattern]));
                }
            }
            if schemas.is_empty() {
                match keywords.get("additionalProperties") {
                    Some(Value::Bool(false)) => too_many = true,
                    Some(schema) => schemas.push(place.inside(schema, &["additionalProperties"])),
                    None => {}
                }
            }
            way.push(name.clone());
            for schema in schemas {
                found.extend(self.look(&schema, value, way));
            }
            way.pop();
            if let Some(schema) = keywords.get("dependentSchemas").and_then(|schemas| schemas.get(name)) {
                found.extend(self.look(
                    &place.inside(schema, &["dependentSchemas", name]),
                    &Value::Object(members.clone()),
                    way,
                ));
            }
            let needed =
                keywords.get("dependentRequired").and_then(|needed| needed.get(name)).and_then(Value::as_array);
            for missing in
                needed.into_iter().flatten().filter_map(Value::as_str).filter(|name| !members.contains_key(*name))
            {
                found.push(self.found(way, "dependentRequired", &format!("the member {missing}, as {name} is there")));
            }
            if let Some(schema) = keywords.get("propertyNames") {
                let name = Value::String(name.clone());
                let wrong = self.look(&place.inside(schema, &["propertyNames"]), &name, &mut Vec::new());
                found.extend(wrong.first().map(|wrong| {
                    self.found(way, "propertyNames", &format!("member names: {}", wrong.problem.expected))
                }));
            }
        }
        let known = || {
            let known: Vec<&str> = properties.into_iter().flatten().map(|(name, _)| name.as_str()).collect();
            if known.is_empty() { "no such member".to_owned() } else { format!("no members but {}", known.join(", ")) }
        };
        if too_many {
            found.push(self.found(way, "additionalProperties", &known()));
        }
        // Which members are evaluated depends on more than this schema: whether all are, the validator says.
        if found.is_empty()
            && keywords.contains_key("unevaluatedProperties")
            && !self.holds(place, &Value::Object(members.clone()))
        {
            found.push(self.found(way, "unevaluatedProperties", &known()));
        }
    }

    fn matches(&mut self, pattern: &'s String, name: &str) -> bool {
        let place = std::ptr::from_ref(pattern).addr();
        let validator = self.local.entry(place).or_insert_with(|| options().build(&json!({ "pattern": pattern })).ok());
        validator.as_ref().is_some_and(|validator| validator.is_valid(&Value::from(name)))
    }

    fn items(
        &mut self,
        place: &Place<'s>,
        keywords: &'s Map<String, Value>,
        items: &[Value],
        way: &mut Vec<String>,
        found: &mut Vec<Found>,
    ) {
        let first = list(keywords, "prefixItems");
        for (index, value) in items.iter().enumerate() {
            if found.len() >= MOST || self.steps == 0 {
                return;
            }
            let number = index.to_string();
            let schema = match (first.get(index), keywords.get("items")) {
                (Some(schema), _) => place.inside(schema, &["prefixItems", &number]),
                (None, Some(schema)) => place.inside(schema, &["items"]),
                (None, None) => break,
            };
            way.push(number);
            found.extend(self.look(&schema, value, way));
            way.pop();
        }
        if let Some(schema) = keywords.get("contains")
            && found.is_empty()
            && !self.holds(place, &Value::Array(items.to_vec()))
        {
            found.push(self.found(way, "contains", &format!("items that fit {schema}")));
        }
    }

    /// Whether the whole schema at `place` accepts `value`.
    fn holds(&mut self, place: &Place<'s>, value: &Value) -> bool {
        const DOCUMENT: &str = "opgate:document";
        let root = self.root;
        let validator = self.whole.entry(place.pointer.clone()).or_insert_with(|| {
            let registry = jsonschema::Registry::new().add(DOCUMENT, root.clone()).ok()?.prepare().ok()?;
            let schema = json!({ "$ref": format!("{DOCUMENT}#{}", as_fragment(&place.pointer)) });
            options().with_registry(&registry).build(&schema).ok()
        });
        validator.as_ref().is_none_or(|validator| validator.is_valid(value))
    }
}

impl Found {
    fn new(names: &Names, way: &[String], keyword: &str, expected: &str) -> Self {
        Self { way: way.to_vec(), problem: names.told(way, keyword, expected), says: Says::Else }
    }

    /// Whether this says that the value at `way` belongs to another alternative: another type, or another value of a member
    /// that tells alternatives apart.
    fn is_another(&self, way: &[String]) -> bool {
        match self.says {
            Says::Types(..) => self.way == way,
            Says::Values(_) => self.way.starts_with(way) && self.way.len() <= way.len() + 1,
            Says::Else => false,
        }
    }
}

fn list<'s>(keywords: &'s Map<String, Value>, keyword: &str) -> &'s [Value] {
    keywords.get(keyword).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::Validator;
    use super::super::problem::Problem;
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

    /// The usual filter: and, or, or a leaf.
    fn filter(alternatives: &str) -> Value {
        json!({"type": "object", "properties": {"filter": {"$ref": "#/$defs/Filter"}}, "$defs": {"Filter": {alternatives: [
            {"type": "object", "properties": {"and": {"type": "array", "items": {"$ref": "#/$defs/Filter"}}}, "required": ["and"], "additionalProperties": false},
            {"type": "object", "properties": {"or": {"type": "array", "items": {"$ref": "#/$defs/Filter"}}}, "required": ["or"], "additionalProperties": false},
            {"type": "object", "properties": {"field": {"type": "string"}}, "required": ["field"], "additionalProperties": false}]}}})
    }

    #[test]
    fn a_deep_tree_with_a_wrong_leaf_is_explained_at_once() {
        for alternatives in ["anyOf", "oneOf"] {
            let deep = (0..40).fold(json!({"field": 1}), |inner, _| json!({ "and": [inner] }));
            let began = std::time::Instant::now();
            let found = problems(&filter(alternatives), &json!({ "filter": deep }));
            assert!(began.elapsed() < std::time::Duration::from_secs(2), "{alternatives}: {:?}", began.elapsed());
            assert!(found.iter().any(|(path, ..)| path.ends_with("/field")), "{found:?}");
        }
    }

    #[test]
    fn many_bad_items_times_many_alternatives_are_explained_at_once() {
        let alternatives: Vec<Value> =
            (0..50).map(|n| json!({"type": "object", "required": [format!("m{n}")]})).collect();
        let schema =
            json!({"type": "object", "properties": {"items": {"type": "array", "items": {"anyOf": alternatives}}}});
        let items: Vec<Value> = (0..80_000).map(|_| json!({})).collect();
        let began = std::time::Instant::now();
        let found = problems(&schema, &json!({ "items": items }));
        assert!(began.elapsed() < std::time::Duration::from_secs(5), "{:?}", began.elapsed());
        assert!(!found.is_empty() && found.len() <= 10);
    }
}
