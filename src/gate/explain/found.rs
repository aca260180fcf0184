//! A problem, and what it says about the alternative in which it was found.

use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind as Kind;
use serde_json::Value;

use crate::gate::problem::{Names, Problem, types};
use crate::way::{Step, Way};

pub(super) struct Found {
    pub(super) way: Way,
    pub(super) problem: Problem,
    pub(super) says: Says,
}

pub(super) enum Says {
    /// The value is of another type; whether it is a text.
    Types(Vec<String>, bool),
    /// The value is another one than these.
    Values(Vec<String>),
    Else,
}

impl Found {
    pub(super) fn new(names: &Names, way: &[Step], keyword: &str, expected: &str) -> Self {
        Self { way: way.to_vec(), problem: names.told(way, keyword, expected), says: Says::Else }
    }

    /// Whether this says that the value at `way` belongs to another alternative: another type, or another value of a member
    /// that tells alternatives apart.
    pub(super) fn is_another(&self, way: &[Step]) -> bool {
        match self.says {
            Says::Types(..) => self.way == way,
            Says::Values(_) => self.way.starts_with(way) && self.way.len() <= way.len() + 1,
            Says::Else => false,
        }
    }
}

impl Says {
    pub(super) fn of(error: &ValidationError<'_>) -> Self {
        match error.kind() {
            Kind::Type { .. } => Self::Types(types(error), error.instance().is_string()),
            Kind::Constant { expected_value } => Self::Values(vec![expected_value.to_string()]),
            Kind::Enum { options } => {
                Self::Values(options.as_array().into_iter().flatten().map(Value::to_string).collect())
            }
            _ => Self::Else,
        }
    }
}
