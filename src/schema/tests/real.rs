//! Schemas as tools emit them, each with arguments that it accepts and refuses, and a snapshot of what is served.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use super::super::{InputSchema, check, passed_over, remove_optional_nulls};
use super::subset::assert_served;
use crate::gate::Validator;

/// One file of `tests/schemas`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Real {
    /// The tool, and what is special.
    from: String,
    declared: Value,
    /// Part of the refusal of the declaration itself.
    unusable: Option<String>,
    #[serde(default)]
    accepted: Vec<Value>,
    #[serde(default)]
    refused: Vec<Refused>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Refused {
    arguments: Value,
    path: String,
    /// Absent where alternatives fail: then the problem may lie anywhere below the path.
    keyword: Option<String>,
    /// The rule is served in words alone.
    #[serde(default)]
    in_words: bool,
}

impl Refused {
    fn is_told(&self, problem: &Value) -> bool {
        let path = problem["path"].as_str().expect("a path");
        match &self.keyword {
            Some(keyword) => path == self.path && problem["keyword"] == keyword.as_str(),
            None => path.strip_prefix(&self.path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')),
        }
    }
}

/// As a launch does it, pattern compilation included.
fn launched(declared: &Value) -> Result<(InputSchema, Validator), String> {
    check(declared)?;
    let schema = InputSchema::new(declared.clone())?;
    let validator = Validator::new(schema.effective.clone());
    validator.compiled()?;
    Ok((schema, validator))
}

/// As a call does it.
fn problems(validator: &Validator, arguments: &Value) -> (Value, Vec<Value>) {
    let mut input = arguments.clone();
    remove_optional_nulls(validator.schema(), &mut input);
    let problems = validator.problems(&input);
    (input, problems.iter().map(|problem| serde_json::to_value(problem).expect("a problem is JSON")).collect())
}

/// What is wrong with one file, besides its snapshot.
fn faults(name: &str, real: &Real) -> Vec<String> {
    let (schema, validator) = match (launched(&real.declared), &real.unusable) {
        (Ok(launched), None) => launched,
        (Err(refusal), Some(expected)) if refusal.contains(expected) => return Vec::new(),
        (launched, expected) => return vec![format!("{:?} instead of {expected:?}", launched.err())],
    };
    snapshots(&real.from).bind(|| insta::assert_json_snapshot!(name, schema.served));
    assert_served(&schema.served);
    let served = Validator::new(schema.served.clone());
    // A warning at every launch would be read by nobody.
    let mut faults = passed_over(&schema.effective);
    if real.accepted.is_empty() || real.refused.is_empty() {
        faults.push("no arguments".to_owned());
    }
    for arguments in &real.accepted {
        let (input, problems) = problems(&validator, arguments);
        let as_served = served.problems(&input);
        if !problems.is_empty() || !as_served.is_empty() {
            faults.push(format!("{arguments} is refused: {problems:?}, as served: {as_served:?}"));
        }
    }
    for refused in &real.refused {
        let (input, problems) = problems(&validator, &refused.arguments);
        if !problems.iter().any(|problem| refused.is_told(problem)) {
            faults.push(format!("{} is not refused as expected: {problems:?}", refused.arguments));
        }
        if served.problems(&input).is_empty() != refused.in_words {
            faults.push(format!("{} as served: in words is {}", refused.arguments, refused.in_words));
        }
    }
    faults
}

fn snapshots(from: &str) -> insta::Settings {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../../../tests/schemas/served");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.set_description(from);
    settings
}

#[test]
fn schemas_as_tools_emit_them_are_enforced_as_declared_and_served_for_everyone() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/schemas");
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).expect("tests/schemas") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "json") {
            let name = path.file_stem().and_then(|name| name.to_str()).expect("a name").to_owned();
            let text = std::fs::read_to_string(&path).expect("a file");
            let real = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
            found.insert(name.clone(), faults(&name, &real));
        }
    }
    assert!(found.len() >= 25, "only {} files in tests/schemas", found.len());
    found.retain(|_, faults| !faults.is_empty());
    assert!(found.is_empty(), "{found:#?}");
}
