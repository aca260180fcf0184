//! Values of a launch file that nobody may see: covered in the text whose lines refusals show.

use std::ops::Range;
use std::sync::Arc;

use redact_json::MASK;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Stands for each byte of what is covered: places keep their offsets.
const COVER: u8 = 0;

/// `text` with these parts covered, line by line.
pub(super) fn covered(text: &str, parts: &[Range<usize>]) -> Arc<str> {
    let mut bytes = text.as_bytes().to_vec();
    for part in parts {
        let part = bytes.get_mut(part.clone()).unwrap_or_default();
        part.iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = COVER);
    }
    // A part is a whole token, and its bytes are ASCII now.
    String::from_utf8(bytes).unwrap_or_default().into()
}

/// What is shown of a line: a mask for each part that is covered.
pub(super) fn masked(line: &str) -> String {
    let mut shown = String::with_capacity(line.len());
    let mut is_covered = false;
    for character in line.chars() {
        let covers = character == char::from(COVER);
        if !covers {
            shown.push(character);
        } else if !is_covered {
            shown.push_str(MASK);
        }
        is_covered = covers;
    }
    shown
}

/// The values of a launch file's contexts, and what may be one under a wrong name.
pub(super) fn contexts(root: &DeTable<'_>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for value in ["binding", "cli"].into_iter().filter_map(|key| root.get(key)) {
        match value.get_ref() {
            DeValue::Table(table) => of_binding(table, &mut found),
            _ => add_leaves(value, &mut found),
        }
    }
    found
}

fn of_binding(table: &DeTable<'_>, found: &mut Vec<Range<usize>>) {
    for (key, value) in table {
        match (key.get_ref().as_ref(), value.get_ref()) {
            ("confirm" | "approve", _) => {}
            ("binding", DeValue::Table(inner)) => of_binding(inner, found),
            _ => add_leaves(value, found),
        }
    }
}

/// Whatever is no table within `value`.
pub(super) fn leaves(value: &Spanned<DeValue<'_>>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    add_leaves(value, &mut found);
    found
}

fn add_leaves(value: &Spanned<DeValue<'_>>, found: &mut Vec<Range<usize>>) {
    match value.get_ref() {
        DeValue::Table(table) => table.values().for_each(|value| add_leaves(value, found)),
        DeValue::Array(items) => items.iter().for_each(|item| add_leaves(item, found)),
        _ => found.push(value.span()),
    }
}
