//! The safe description of a call that failed.
//!
//! Invariant: nothing here is built from raw input, from the text of a foreign error, from a path, or from the name of
//! an operation outside the allowlist. What is rendered is redacted, and bounded by the output budget.

pub(crate) mod code;

use std::borrow::Cow;

use redact_json::{Budget, Rules};
use serde::Serialize;
use serde_json::Value;

use crate::redaction::{Form, nothing};

/// Where a call was when it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Phase {
    Admit,
    Input,
    Ask,
    Setup,
    Binding,
    Confirm,
    Approve,
    Invoke,
    Cleanup,
    Output,
}

/// What may have happened to the application's data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Outcome {
    /// No effect can have happened.
    NotStarted,
    /// The operation ran and failed; what it did before is not known.
    Unknown,
    /// The operation did its work; only its result is withheld.
    Completed,
}

/// A second failure in the same call, for example of the clean-up after a failed operation.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Cause {
    pub(crate) code: &'static str,
    pub(crate) phase: Phase,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Diagnostic {
    pub(crate) code: Cow<'static, str>,
    pub(crate) message: Cow<'static, str>,
    pub(crate) phase: Phase,
    pub(crate) outcome: Outcome,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) plugin: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) operation: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) details: Option<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) causes: Vec<Cause>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reconcile: Option<String>,
}

/// What remains of a diagnostic that is over the budget.
#[derive(Serialize)]
struct Remains<'a> {
    code: &'a str,
    outcome: Outcome,
    phase: Phase,
    truncated: bool,
}

/// What remains when even that is too large; no claim about the outcome.
#[derive(Serialize)]
struct LastResort {
    code: &'static str,
    message: &'static str,
    truncated: bool,
}

/// The smallest `max_output_bytes`, so that some diagnostic always fits.
pub(crate) const SMALLEST_BUDGET: usize = 91;

impl Diagnostic {
    /// One of opgate's own failures.
    pub(crate) fn new(phase: Phase, outcome: Outcome, code: &'static str) -> Self {
        Self {
            code: Cow::Borrowed(code),
            message: Cow::Borrowed(code::message(code)),
            phase,
            outcome,
            plugin: None,
            operation: None,
            details: None,
            causes: Vec::new(),
            reconcile: None,
        }
    }

    /// Nobody waits for the operation any longer.
    pub(crate) fn abandoned() -> Self {
        let mut failed = Self::new(Phase::Invoke, Outcome::Unknown, code::INVOCATION_FAILED);
        failed.message = Cow::Borrowed("The adapter ended before the operation did.");
        failed
    }

    /// Says what to do where the operation may have had an effect, and with which other operation to look.
    pub(crate) fn advise(&mut self, reconcile: Option<&str>) {
        if self.outcome == Outcome::NotStarted {
            return;
        }
        let said = self.message.trim_end();
        let stop = if said.is_empty() || said.ends_with(['.', '!', '?', ':', ';']) { "" } else { "." };
        let with = reconcile.map(|operation| format!(" with {operation}")).unwrap_or_default();
        let message = format!("{said}{stop} Look at the state{with} before repeating the call.");
        self.message = Cow::Owned(message);
        self.reconcile = reconcile.map(str::to_owned);
    }

    /// The diagnostic as canonical JSON of at most `budget` bytes, before it is escaped.
    pub(crate) fn render(&self, rules: &Rules, budget: usize, form: Form) -> String {
        let short = Remains { code: &self.code, outcome: self.outcome, phase: self.phase, truncated: true };
        let last =
            LastResort { code: code::OUTPUT_TOO_LARGE, message: "Raise limits.max_output_bytes.", truncated: true };
        let budget = Budget::bytes(budget);
        let mut text = String::new();
        // What fails has written nothing. The last one fits the smallest budget and holds nothing to mask.
        redact_json::write(self, rules, budget, form.sink(&mut text))
            .or_else(|_| redact_json::write(&short, rules, budget, form.sink(&mut text)))
            .or_else(|_| redact_json::write(&last, nothing(), budget, form.sink(&mut text)))
            .unwrap_or_default();
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Diagnostic {
        let mut diagnostic = Diagnostic::new(Phase::Invoke, Outcome::Unknown, code::INVOCATION_FAILED);
        diagnostic.plugin = Some("orders".to_owned());
        diagnostic
    }

    #[test]
    fn keys_are_sorted_and_absent_parts_are_left_out() {
        assert_eq!(
            sample().render(&Rules::default(), 4096, Form::Plain),
            r#"{"code":"invocation-failed","message":"The operation failed.","outcome":"unknown","phase":"invoke","plugin":"orders"}"#
        );
    }

    #[test]
    fn every_budget_from_the_smallest_is_kept() {
        for budget in SMALLEST_BUDGET..200 {
            let text = sample().render(&Rules::default(), budget, Form::Plain);
            assert!(text.len() <= budget, "{} bytes for a budget of {budget}", text.len());
            let value: Value = serde_json::from_str(&text).expect("a diagnostic is JSON");
            assert!(value["code"].is_string());
        }
        let mut long = sample();
        long.code = Cow::Owned("c".repeat(64));
        assert_eq!(
            long.render(&Rules::default(), SMALLEST_BUDGET, Form::Escaped),
            r#"{\"code\":\"output-too-large\",\"message\":\"Raise limits.max_output_bytes.\",\"truncated\":true}"#
        );
    }

    #[test]
    fn over_the_budget_code_phase_and_outcome_stay() {
        assert_eq!(
            sample().render(&Rules::default(), 100, Form::Plain),
            r#"{"code":"invocation-failed","outcome":"unknown","phase":"invoke","truncated":true}"#
        );
    }
}
