//! What a person is asked: built here from the validated call, and the same for every way of asking.
//!
//! Trust boundary: it leaves the process. Whatever is in it is redacted, and nothing in it is hidden or can move the text
//! about. The context never gets here.

use std::time::Duration;

use redact_json::{Rules, redact_text};
use serde::Serialize;

use super::shown::shown;
use super::visible::line;
use super::wrap::wrapped;
use crate::binding::{Call, Part};
use crate::catalog::canonical;
use crate::key::{Key, Purpose, hex};
use crate::operation::Effect;
use crate::redaction::shortened;

/// The longest arguments, as shown before long lines are broken, that a person is asked to read.
const LONGEST: usize = 8 << 10;
/// The most of a description that is shown.
const DESCRIPTION: usize = 500;

#[derive(Debug)]
pub(crate) struct Prompt {
    /// Of this very question.
    pub(crate) id: String,
    pub(crate) part: Part,
    /// Of part, operation, identity and canonical arguments; keyed by this process.
    pub(crate) digest: [u8; 32],
    /// How long it may be answered.
    pub(crate) timeout: Duration,
    pub(crate) question: Question,
}

/// A prompt as others see it.
#[derive(Debug, Serialize)]
pub(crate) struct Question {
    opgate: u8,
    part: &'static str,
    operation: String,
    description: String,
    effect: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    destructive: Option<bool>,
    identity: Option<String>,
    /// As in `text`.
    arguments: String,
    /// Not all of the arguments are shown.
    partial: bool,
    pub(crate) digest: String,
    /// From when it is asked; what comes later is no.
    timeout_seconds: u64,
    /// All of it, for a person.
    pub(crate) text: String,
}

/// Why there is no prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unaskable {
    /// The arguments cannot be shown whole.
    TooLong,
    /// They cannot be redacted.
    Unshowable,
}

impl Prompt {
    pub(crate) fn new(
        call: &Call,
        part: Part,
        rules: &Rules,
        key: &Key,
        (timeout, allow_partial): (Duration, bool),
    ) -> Result<Self, Unaskable> {
        let declaration = call.operation();
        let clean = |text: &str| line(&redact_text(text, rules));
        let operation = clean(&declaration.name());
        let description = line(&shortened(declaration.description().trim(), DESCRIPTION, rules));
        let identity = call.identity().map(clean);
        let effect = match declaration.effect() {
            Effect::Read => "read",
            Effect::Write => "write",
            Effect::Unknown => "unknown",
        };
        let all = shown(call.input(), rules, key).ok_or(Unaskable::Unshowable)?;
        let partial = all.len() > LONGEST;
        if partial && !allow_partial {
            return Err(Unaskable::TooLong);
        }
        let arguments = wrapped(&if partial { cut(&all) } else { all });
        let digest = key.digest(
            Purpose::Prompt,
            &[
                part.word().as_bytes(),
                declaration.name().as_bytes(),
                call.identity().unwrap_or_default().as_bytes(),
                call.input().to_string().as_bytes(),
            ],
        );
        let mut question = Question {
            opgate: 1,
            part: part.word(),
            operation,
            description,
            effect,
            destructive: declaration.destructive,
            identity,
            arguments,
            partial,
            digest: hex(&digest[..8]),
            timeout_seconds: timeout.as_secs(),
            text: String::new(),
        };
        question.text = question.to_text();
        Ok(Self { id: key.id(), part, digest, timeout, question })
    }

    /// The digest as people quote it.
    pub(crate) fn quotable(&self) -> &str {
        &self.question.digest
    }

    /// One line of JSON. Its members were redacted one by one; rules for names of members would blind the person.
    pub(crate) fn to_json(&self) -> String {
        canonical(&self.question)
    }
}

impl Question {
    fn to_text(&self) -> String {
        let destructive = match self.destructive {
            Some(true) => ", destructive",
            Some(false) => ", not destructive",
            None => "",
        };
        let warning = if self.partial {
            "WARNING: THE ARGUMENTS ARE TOO LONG TO BE SHOWN. WHAT IS BELOW IS NOT ALL OF THEM.\n"
        } else {
            ""
        };
        let verb = if self.part == "approve" { "Approve" } else { "Confirm" };
        let arguments = self.arguments.replace('\n', "\n  ");
        format!(
            "{verb} this call?\n{warning}  operation  {}\n             {}\n  effect     {}{destructive}\n  identity   {}\n  arguments\n  {arguments}\n  digest     {}\n",
            self.operation,
            self.description,
            self.effect,
            self.identity.as_deref().unwrap_or("(none)"),
            self.digest
        )
    }
}

/// The beginning, and loudly that it is no more than that.
fn cut(all: &str) -> String {
    let end = (0..=LONGEST).rev().find(|end| all.is_char_boundary(*end)).unwrap_or(0);
    format!("{}\n[CUT HERE: {} OF {} BYTES ARE NOT SHOWN]", &all[..end], all.len() - end, all.len())
}

#[cfg(test)]
mod tests;
