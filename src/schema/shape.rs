//! Everything that the schemas of one place say about a value, put together.
//!
//! Invariant: a shape never accepts less than its schemas do. What it cannot hold goes into its words.

use std::cell::Cell;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

use serde_json::{Map, Value, json};

use super::kinds::{Kinds, accepted};
use super::parts::{Items, Members, Term, Trail};
use super::words::Words;
use super::{name, resolve};

/// The most alternatives of one place, after alternatives within each other have been multiplied out.
const ALTERNATIVES: usize = 64;

/// Why a schema cannot be served.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Unservable {
    /// More schemas than the budget, at this depth of references.
    TooLarge,
    TooManyAlternatives,
}

pub(super) type Result<T> = std::result::Result<T, Unservable>;

/// A bound of numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bound<'s> {
    pub(super) limit: &'s Value,
    pub(super) exclusive: bool,
}

#[derive(Clone)]
pub(super) struct Shape<'s> {
    pub(super) kinds: Kinds,
    pub(super) words: Words,
    pub(super) values: Option<Vec<&'s Value>>,
    pub(super) least: Option<Bound<'s>>,
    pub(super) greatest: Option<Bound<'s>>,
    /// `minLength`, `maxLength`, `minItems`, `maxItems`.
    pub(super) counts: BTreeMap<&'static str, u64>,
    pub(super) pattern: Option<&'s str>,
    pub(super) format: Option<&'s str>,
    pub(super) members: Vec<Members<'s>>,
    pub(super) required: BTreeSet<&'s str>,
    pub(super) items: Vec<Items<'s>>,
    /// Groups of alternatives, of each of which at least one holds.
    groups: Vec<Vec<Term<'s>>>,
}

impl Shape<'_> {
    fn new() -> Self {
        Self {
            kinds: Kinds::ALL,
            words: Words::default(),
            values: None,
            least: None,
            greatest: None,
            counts: BTreeMap::new(),
            pattern: None,
            format: None,
            members: Vec::new(),
            required: BTreeSet::new(),
            items: Vec::new(),
            groups: Vec::new(),
        }
    }

    /// Whether every value will do.
    pub(super) fn is_any(&self) -> bool {
        self.kinds == Kinds::ALL
            && self.values.is_none()
            && self.least.is_none()
            && self.greatest.is_none()
            && self.counts.is_empty()
            && self.pattern.is_none()
            && self.format.is_none()
            && self.members.iter().all(|members| members.named.is_empty() && members.others.is_none())
            && self.required.is_empty()
            && self.items.iter().all(|items| items.first.is_empty() && items.rest.is_none())
            && self.groups.is_empty()
    }
}

/// Puts schemas of one document together, within bounds.
pub(super) struct Reader<'s> {
    root: &'s Value,
    /// So many references within each other are followed; deeper ones are cut.
    depth: usize,
    left: Cell<usize>,
}

impl<'s> Reader<'s> {
    pub(super) fn new(root: &'s Value, depth: usize, budget: usize) -> Self {
        Self { root, depth, left: Cell::new(budget) }
    }

    pub(super) fn root(&self) -> Term<'s> {
        Term::Schema(self.root, Rc::new(vec![std::ptr::from_ref(self.root).addr()]))
    }

    pub(super) fn spend(&self) -> Result<()> {
        self.left.set(self.left.get().checked_sub(1).ok_or(Unservable::TooLarge)?);
        Ok(())
    }

    /// The shape of a value that satisfies `term`, its alternatives still in groups.
    pub(super) fn shape(&self, term: Term<'s>) -> Result<Shape<'s>> {
        let mut shape = Shape::new();
        self.fold(term, &mut shape)?;
        Ok(shape)
    }

    /// The shapes without groups whose union `shape` is.
    pub(super) fn alternatives(&self, mut shape: Shape<'s>) -> Result<Vec<Shape<'s>>> {
        let Some(group) = shape.groups.pop() else { return Ok(vec![shape]) };
        let mut alternatives = Vec::new();
        for term in group {
            let mut alternative = shape.clone();
            self.fold(term, &mut alternative)?;
            if alternative.kinds != Kinds::NONE {
                alternatives.extend(self.alternatives(alternative)?);
            }
            if alternatives.len() > ALTERNATIVES {
                return Err(Unservable::TooManyAlternatives);
            }
        }
        Ok(alternatives)
    }

    fn fold(&self, term: Term<'s>, shape: &mut Shape<'s>) -> Result<()> {
        let mut work = VecDeque::from([term]);
        while let Some(term) = work.pop_front() {
            self.spend()?;
            match term {
                Term::All(terms) => terms.into_iter().rev().for_each(|term| work.push_front(term)),
                Term::Either(terms) => shape.groups.push(terms),
                Term::Schema(Value::Bool(false), _) => shape.kinds = Kinds::NONE,
                Term::Schema(Value::Object(keywords), trail) => {
                    self.fold_keywords(keywords, &trail, shape, &mut work)?;
                }
                Term::Schema(..) => {}
            }
        }
        if let Some(values) = &mut shape.values {
            let kinds = shape.kinds;
            values.retain(|value| Kinds::of(value).within(kinds));
            shape.kinds = kinds.and(values.iter().map(|value| Kinds::of(value)).fold(Kinds::NONE, Kinds::or));
        }
        Ok(())
    }

    fn fold_keywords(
        &self,
        keywords: &'s Map<String, Value>,
        trail: &Trail,
        shape: &mut Shape<'s>,
        work: &mut VecDeque<Term<'s>>,
    ) -> Result<()> {
        if let Some(Value::String(description)) = keywords.get("description") {
            shape.words.describe(description);
        }
        for (keyword, value) in keywords {
            let keyword = keyword.as_str();
            let terms =
                |list: &'s Vec<Value>| list.iter().map(|schema| Term::Schema(schema, Rc::clone(trail))).collect();
            match (keyword, value) {
                ("type", types) => shape.kinds = shape.kinds.and(Kinds::named(types)),
                ("const", value) => only(shape, &[value]),
                ("enum", Value::Array(values)) => only(shape, &values.iter().collect::<Vec<_>>()),
                ("minimum", limit) => tighten(&mut shape.least, limit, false, Ordering::Greater),
                ("exclusiveMinimum", limit) => tighten(&mut shape.least, limit, true, Ordering::Greater),
                ("maximum", limit) => tighten(&mut shape.greatest, limit, false, Ordering::Less),
                ("exclusiveMaximum", limit) => tighten(&mut shape.greatest, limit, true, Ordering::Less),
                ("minLength", count) => at_least(shape, "minLength", count),
                ("minItems", count) => at_least(shape, "minItems", count),
                ("maxLength", count) => at_most(shape, "maxLength", count),
                ("maxItems", count) => at_most(shape, "maxItems", count),
                ("pattern", Value::String(pattern)) if shape.pattern.is_none_or(|known| known == pattern) => {
                    shape.pattern = Some(pattern);
                }
                ("format", Value::String(format)) if shape.format.is_none() && format == "date-time" => {
                    shape.format = Some(format);
                }
                ("format", Value::String(format)) => shape.words.rule(format!("format: {format}")),
                ("required", Value::Array(names)) => shape.required.extend(names.iter().filter_map(Value::as_str)),
                ("allOf", Value::Array(all)) => work.extend::<Vec<_>>(terms(all)),
                ("anyOf" | "oneOf", Value::Array(some)) => shape.groups.push(terms(some)),
                ("$ref", reference) => self.follow(reference, trail, shape, work)?,
                ("unevaluatedProperties", others) => shape.members.push(self.closure(keywords, others, trail)?),
                ("multipleOf", divisor) => shape.words.rule(format!("a multiple of {divisor}")),
                ("uniqueItems", Value::Bool(true)) => shape.words.rule("items differ from each other"),
                ("minProperties", count) => shape.words.rule(format!("at least {count} members")),
                ("maxProperties", count) => shape.words.rule(format!("at most {count} members")),
                ("if", condition) => shape.words.condition(condition, keywords.get("then"), keywords.get("else")),
                ("dependentRequired", Value::Object(map)) => {
                    map.iter().for_each(|(name, needed)| shape.words.dependent(name, needed));
                }
                ("dependentSchemas", Value::Object(map)) => {
                    map.iter().for_each(|(name, schema)| shape.words.keyword(&format!("with {name}"), schema));
                }
                // What every name satisfies.
                ("propertyNames", names) if *names == json!({"type": "string"}) => {}
                (
                    "pattern" | "contains" | "minContains" | "maxContains" | "propertyNames" | "patternProperties"
                    | "not" | "unevaluatedItems" | "contentEncoding" | "contentMediaType",
                    value,
                ) => shape.words.keyword(keyword, value),
                _ => {}
            }
        }
        if ["properties", "patternProperties", "additionalProperties"].iter().any(|key| keywords.contains_key(*key)) {
            shape.members.push(Members::of(keywords, trail));
        }
        if ["prefixItems", "items"].iter().any(|key| keywords.contains_key(*key)) {
            shape.items.push(Items::of(keywords, trail));
        }
        Ok(())
    }

    /// What `reference` refers to, with the trail inside it, or why it is cut.
    pub(super) fn enter(
        &self,
        reference: &'s Value,
        trail: &Trail,
    ) -> Option<(&'s Value, std::result::Result<Trail, Cut>)> {
        let target = resolve(reference, self.root)?;
        let place = std::ptr::from_ref(target).addr();
        let entered = if trail.contains(&place) {
            Err(Cut::Recursion)
        } else if trail.len() > self.depth {
            Err(Cut::Depth)
        } else {
            Ok(Rc::new(trail.iter().copied().chain([place]).collect()))
        };
        Some((target, entered))
    }

    fn follow(
        &self,
        reference: &'s Value,
        trail: &Trail,
        shape: &mut Shape<'s>,
        work: &mut VecDeque<Term<'s>>,
    ) -> Result<()> {
        let Some((target, entered)) = self.enter(reference, trail) else { return Ok(()) };
        let cut = match entered {
            Ok(trail) => {
                work.push_back(Term::Schema(target, trail));
                return Ok(());
            }
            Err(cut) => cut,
        };
        // Only the kinds are kept; the rest is told.
        shape.kinds = shape.kinds.and(accepted(target, self.root));
        let name = name(reference).unwrap_or_else(|| "the whole".to_owned());
        shape.words.cut(&name, &self.member_names(target, trail)?, matches!(cut, Cut::Recursion));
        Ok(())
    }
}

/// Why a reference is not followed.
pub(super) enum Cut {
    Recursion,
    Depth,
}

fn only<'s>(shape: &mut Shape<'s>, values: &[&'s Value]) {
    match &mut shape.values {
        Some(known) => known.retain(|value| values.iter().any(|other| equal(value, other))),
        None => shape.values = Some(values.to_vec()),
    }
}

/// Equality as JSON Schema has it: `1` and `1.0` are one number.
fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(_), Value::Number(_)) => compare(a, b) == Some(Ordering::Equal),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(name, value)| b.get(name).is_some_and(|other| equal(value, other)))
        }
        _ => a == b,
    }
}

pub(super) fn compare(a: &Value, b: &Value) -> Option<Ordering> {
    let integer = |value: &Value| value.as_i64().map(i128::from).or_else(|| value.as_u64().map(i128::from));
    match (integer(a), integer(b)) {
        (Some(a), Some(b)) => Some(a.cmp(&b)),
        _ => a.as_f64()?.partial_cmp(&b.as_f64()?),
    }
}

fn tighten<'s>(bound: &mut Option<Bound<'s>>, limit: &'s Value, exclusive: bool, tighter: Ordering) {
    let takes_over = match bound {
        None => limit.is_number(),
        Some(known) => match compare(limit, known.limit) {
            Some(Ordering::Equal) => exclusive,
            order => order == Some(tighter),
        },
    };
    if takes_over {
        *bound = Some(Bound { limit, exclusive });
    }
}

fn at_least(shape: &mut Shape<'_>, keyword: &'static str, count: &Value) {
    if let Some(count) = whole(count) {
        shape.counts.entry(keyword).and_modify(|known| *known = count.max(*known)).or_insert(count);
    }
}

fn at_most(shape: &mut Shape<'_>, keyword: &'static str, count: &Value) {
    if let Some(count) = whole(count) {
        shape.counts.entry(keyword).and_modify(|known| *known = count.min(*known)).or_insert(count);
    }
}

/// A count, which may be written as `2.0`.
fn whole(count: &Value) -> Option<u64> {
    let float = || count.as_f64().filter(|float| float.fract() == 0.0 && (0.0..9e15).contains(float));
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole, not negative, below 2^53")]
    count.as_u64().or_else(|| float().map(|float| float as u64))
}
