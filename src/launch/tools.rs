//! `[tools]`: how operations are listed and how results are given.

use super::refusal::Refusal;
use super::section::Section;

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ToolOptions {
    pub(crate) names: Names,
    /// Results are given as structured content, too.
    pub(crate) structured: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Names {
    /// `operation_0`, `operation_1`, .. in the order of the allowlist.
    #[default]
    Index,
    /// `plugin_method`.
    Canonical,
}

const NAMES: [(&str, Names); 2] = [("index", Names::Index), ("canonical", Names::Canonical)];
/// The longest tool name that every client takes.
const LONGEST: usize = 64;

impl ToolOptions {
    pub(super) fn read(section: Section<'_, '_>) -> Result<Self, Refusal> {
        let names = section.choice("names", &NAMES)?.unwrap_or_default();
        let structured = section.flag("structured")?.unwrap_or(false);
        section.finish()?;
        Ok(Self { names, structured })
    }
}

impl Names {
    /// The names of tools for `operations`, each a `plugin.method`, in their order.
    ///
    /// # Errors
    /// Which of them cannot have a name of its own, and why.
    pub(super) fn of(self, operations: &[String]) -> Result<Vec<String>, (usize, String)> {
        if self == Self::Index {
            return Ok((0..operations.len()).map(|index| format!("operation_{index}")).collect());
        }
        let mut names: Vec<String> = Vec::with_capacity(operations.len());
        for (index, operation) in operations.iter().enumerate() {
            let is_kept = |character: char| character.is_ascii_alphanumeric() || matches!(character, '_' | '-');
            let name: String =
                operation.chars().map(|character| if is_kept(character) { character } else { '_' }).collect();
            if name.len() > LONGEST {
                let problem = format!("its tool name {name:?} has {} characters; clients take {LONGEST}", name.len());
                return Err((index, problem));
            }
            if let Some(other) = names.iter().position(|other| *other == name) {
                return Err((index, format!("its tool name {name:?} is that of {:?}, too", operations[other])));
            }
            names.push(name);
        }
        Ok(names)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn canonical_names_are_unique_and_short() {
        let names = |operations: &[&str]| {
            let operations: Vec<String> = operations.iter().map(ToString::to_string).collect();
            Names::Canonical.of(&operations)
        };
        assert_eq!(
            names(&["orders.find", "my-shop.v2.find"]),
            Ok(vec!["orders_find".into(), "my-shop_v2_find".into()])
        );
        assert!(
            names(&["a.b_c", "a_b.c"]).is_err_and(|(index, problem)| index == 1 && problem.contains("\"a.b_c\", too"))
        );
        assert!(
            names(&[&format!("{}.b", "a".repeat(63))]).is_err_and(|(_, problem)| problem.contains("65 characters"))
        );
        assert!(names(&[&format!("{}.b", "a".repeat(62))]).is_ok());
    }
}
