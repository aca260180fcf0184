//! Which kinds of JSON values a schema can accept, as a set.

use serde_json::{Number, Value};

use super::resolve;

/// A set of kinds. Integers and other numbers are told apart, as JSON Schema's `integer` is a part of `number`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kinds(u8);

impl Kinds {
    pub(super) const NONE: Self = Self(0);
    pub(super) const NULL: Self = Self(1);
    pub(super) const BOOLEAN: Self = Self(2);
    pub(super) const INTEGER: Self = Self(4);
    pub(super) const FRACTION: Self = Self(8);
    pub(super) const NUMBER: Self = Self(4 | 8);
    pub(super) const STRING: Self = Self(16);
    pub(super) const ARRAY: Self = Self(32);
    pub(super) const OBJECT: Self = Self(64);
    pub(super) const ALL: Self = Self(127);

    /// The kinds that a `type` keyword names, one or several.
    pub(super) fn named(types: &Value) -> Self {
        match types {
            Value::String(name) => match name.as_str() {
                "null" => Self::NULL,
                "boolean" => Self::BOOLEAN,
                "integer" => Self::INTEGER,
                "number" => Self::NUMBER,
                "string" => Self::STRING,
                "array" => Self::ARRAY,
                "object" => Self::OBJECT,
                _ => Self::NONE,
            },
            Value::Array(names) => names.iter().map(Self::named).fold(Self::NONE, Self::or),
            _ => Self::ALL,
        }
    }

    pub(super) fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::NULL,
            Value::Bool(_) => Self::BOOLEAN,
            Value::Number(number) if is_integer(number) => Self::INTEGER,
            Value::Number(_) => Self::FRACTION,
            Value::String(_) => Self::STRING,
            Value::Array(_) => Self::ARRAY,
            Value::Object(_) => Self::OBJECT,
        }
    }

    pub(super) fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(super) fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    pub(super) fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    pub(super) fn within(self, other: Self) -> bool {
        self.without(other) == Self::NONE
    }
}

/// Whether JSON Schema counts `number` as an integer: `1.0` is one.
fn is_integer(number: &Number) -> bool {
    number.is_i64() || number.is_u64() || number.as_f64().is_some_and(|float| float.fract() == 0.0)
}

/// References within each other are followed so far; beyond it, any kind may come.
const FOLLOWED: usize = 16;

/// The kinds that `schema` may accept; never too few.
pub(super) fn accepted(schema: &Value, root: &Value) -> Kinds {
    fn visit(schema: &Value, root: &Value, left: usize) -> Kinds {
        let keywords = match schema {
            Value::Bool(false) => return Kinds::NONE,
            Value::Object(keywords) if left > 0 => keywords,
            _ => return Kinds::ALL,
        };
        let visit = |schema| visit(schema, root, left - 1);
        let mut kinds = Kinds::ALL;
        for (keyword, value) in keywords {
            kinds = kinds.and(match (keyword.as_str(), value) {
                ("type", types) => Kinds::named(types),
                ("const", value) => Kinds::of(value),
                ("enum", Value::Array(values)) => values.iter().map(Kinds::of).fold(Kinds::NONE, Kinds::or),
                ("allOf", Value::Array(all)) => all.iter().map(visit).fold(Kinds::ALL, Kinds::and),
                ("anyOf" | "oneOf", Value::Array(some)) => some.iter().map(visit).fold(Kinds::NONE, Kinds::or),
                ("$ref", reference) => resolve(reference, root).map_or(Kinds::ALL, visit),
                _ => Kinds::ALL,
            });
        }
        kinds
    }
    visit(schema, root, FOLLOWED)
}
