//! Which of several alternatives a value was meant for.

use super::found::{Found, Says};
use super::{Explainer, MOST, Place};
use crate::gate::problem::NOT_AS_TEXT;
use crate::way::{Step, Way};
use serde_json::Value;

impl<'s> Explainer<'s> {
    /// The alternative that was meant, if one clearly was; else what there is to choose from.
    pub(super) fn alternatives(
        &mut self,
        keyword: &'static str,
        alternatives: &[Place<'s>],
        value: &Value,
        way: &mut Way,
    ) -> Vec<Found> {
        let mut accounts = Vec::with_capacity(alternatives.len());
        for alternative in alternatives {
            let account = self.look(alternative, value, way);
            // Without the steps to look, nothing is known of this alternative or of those behind it.
            if self.steps == 0 || account.is_empty() && keyword == "anyOf" {
                return Vec::new();
            }
            accounts.push(account);
        }
        match accounts.iter().filter(|account| account.is_empty()).count() {
            0 => self.nearest(keyword, accounts, way),
            1 => Vec::new(),
            _ => vec![self.found(way, keyword, "exactly one of the alternatives in the schema")],
        }
    }

    /// Of alternatives that are all wrong, the one that was meant, or the choice.
    fn nearest(&self, keyword: &str, mut accounts: Vec<Vec<Found>>, way: &[Step]) -> Vec<Found> {
        let is_meant = |account: &Vec<Found>| !account.iter().any(|found| found.is_another(way));
        // What is right by itself and wrong inside is nearer than what is wrong by itself.
        let is_near = |account: &Vec<Found>| is_meant(account) && account.iter().all(|found| found.way != *way);
        for nearest in [&is_near as &dyn Fn(&Vec<Found>) -> bool, &is_meant] {
            if accounts.iter().filter(|account| nearest(account)).count() == 1 {
                return accounts.into_iter().find(nearest).unwrap_or_default();
            }
        }
        if accounts.iter().any(is_meant) {
            accounts.retain(is_meant);
        } else if let Some(found) = self.choice(&accounts, way) {
            return vec![found];
        }
        let here = self.names.path(way);
        let mut told: Vec<String> = Vec::new();
        for Found { problem, .. } in accounts.iter().filter_map(|account| account.first()) {
            let inside = problem.path.strip_prefix(&here).filter(|inside| !inside.is_empty());
            let place = inside.map(|inside| format!("at {inside} ")).unwrap_or_default();
            let one = place + &problem.expected;
            if !told.contains(&one) && told.len() < MOST {
                told.push(one);
            }
        }
        vec![self.found(way, keyword, &format!("one of the alternatives: {}", told.join("; or ")))]
    }

    /// What must be chosen when no alternative was meant: a type, or the member that tells the alternatives apart.
    fn choice(&self, accounts: &[Vec<Found>], way: &[Step]) -> Option<Found> {
        let deciding: Option<Vec<&Found>> =
            accounts.iter().map(|account| account.iter().find(|found| found.is_another(way))).collect();
        let deciding = deciding?;
        let first = deciding.first()?;
        if deciding.iter().any(|found| found.way != first.way) {
            return None;
        }
        let (mut kinds, mut values): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
        let mut is_text = false;
        for found in &deciding {
            match &found.says {
                Says::Types(types, text) => {
                    is_text |= *text;
                    for kind in types {
                        if !kinds.contains(&kind.as_str()) {
                            kinds.push(kind);
                        }
                    }
                }
                Says::Values(some) => values.extend(some.iter().map(String::as_str)),
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
}
