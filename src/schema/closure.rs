//! Which members a schema evaluates, whatever it is composed of: what `unevaluatedProperties` is about.

use std::collections::BTreeMap;
use std::rc::Rc;

use serde_json::{Map, Value};

use super::parts::{Members, Term, Trail};
use super::shape::{Reader, Result};

impl<'s> Reader<'s> {
    /// What `unevaluatedProperties` says: which members are known, and what the others may be.
    pub(super) fn closure(
        &self,
        keywords: &'s Map<String, Value>,
        others: &'s Value,
        trail: &Trail,
    ) -> Result<Members<'s>> {
        let mut known = Known::default();
        self.know(keywords, trail, When::Itself, &mut known)?;
        if known.all {
            return Ok(Members { is_closure: true, ..Members::default() });
        }
        let own = Term::Schema(others, Rc::clone(trail));
        let others: Vec<Term<'s>> = known.patterns.into_iter().chain([own]).collect();
        // A member that some alternative declares may be one of the others where another alternative holds.
        let or_other = |terms: Vec<Term<'s>>| Term::Either(terms.into_iter().chain(others.iter().cloned()).collect());
        let named = known.named.into_iter().map(|(name, terms)| (name, terms.map(or_other))).collect();
        let others = Some(Term::Either(others));
        Ok(Members { named, others, is_closure: true })
    }

    /// The members that `schema` declares, whichever of its conditions hold.
    pub(super) fn member_names(&self, schema: &'s Value, trail: &Trail) -> Result<Vec<&'s str>> {
        let mut known = Known::default();
        self.know_each([schema], trail, When::Always, &mut known)?;
        Ok(known.named.into_keys().collect())
    }

    /// Collects the members that `keywords` may evaluate, whichever of its conditions hold.
    fn know(&self, keywords: &'s Map<String, Value>, trail: &Trail, when: When, known: &mut Known<'s>) -> Result<()> {
        self.spend()?;
        let term = |schema| Term::Schema(schema, Rc::clone(trail));
        for (keyword, value) in keywords {
            match (keyword.as_str(), value) {
                ("properties", Value::Object(properties)) => {
                    for (name, schema) in properties {
                        let terms = known.named.entry(name).or_insert_with(|| Some(Vec::new()));
                        match terms {
                            Some(terms) if when == When::Sometimes => terms.push(term(schema)),
                            _ => *terms = None,
                        }
                    }
                }
                ("patternProperties", Value::Object(patterns)) => known.patterns.extend(patterns.values().map(term)),
                ("additionalProperties", others) if *others != Value::Bool(false) => known.all = true,
                ("unevaluatedProperties", others) if when != When::Itself && *others != Value::Bool(false) => {
                    known.all = true;
                }
                ("$ref", reference) => match self.enter(reference, trail) {
                    Some((Value::Object(target), Ok(trail))) => self.know(target, &trail, when.inside(), known)?,
                    // Cut there: it may evaluate any member.
                    Some((_, Err(_))) => known.all = true,
                    _ => {}
                },
                ("allOf", Value::Array(list)) => self.know_each(list, trail, when.inside(), known)?,
                ("anyOf" | "oneOf", Value::Array(list)) => self.know_each(list, trail, When::Sometimes, known)?,
                ("if" | "then" | "else", schema) => self.know_each([schema], trail, When::Sometimes, known)?,
                ("dependentSchemas", Value::Object(map)) => {
                    self.know_each(map.values(), trail, When::Sometimes, known)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn know_each(
        &self,
        schemas: impl IntoIterator<Item = &'s Value>,
        trail: &Trail,
        when: When,
        known: &mut Known<'s>,
    ) -> Result<()> {
        let objects = schemas.into_iter().filter_map(Value::as_object);
        objects.into_iter().try_for_each(|keywords| self.know(keywords, trail, when, known))
    }
}

/// When a schema applies, seen from the one whose `unevaluatedProperties` is asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum When {
    /// It is that one.
    Itself,
    Always,
    Sometimes,
}

impl When {
    /// When what it is composed of applies.
    fn inside(self) -> Self {
        if self == Self::Itself { Self::Always } else { self }
    }
}

/// The members that some schemas evaluate.
#[derive(Default)]
struct Known<'s> {
    /// With what they may be where that depends; without it, another part says it.
    named: BTreeMap<&'s str, Option<Vec<Term<'s>>>>,
    patterns: Vec<Term<'s>>,
    all: bool,
}
