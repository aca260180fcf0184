//! `[pins]`: what each allowed operation looked like when it was reviewed. Any difference refuses the launch.

use super::refusal::{Refusal, nearest};
use super::section::Section;
use crate::fingerprint::{Fingerprint, Mismatch};

#[derive(Debug, Default)]
pub(crate) struct Pins {
    pins: Vec<Pin>,
    /// The table, for what is missing in it; none if the file has no table.
    place: Option<Refusal>,
}

#[derive(Debug)]
struct Pin {
    operation: String,
    text: String,
    place: Refusal,
}

impl Pins {
    pub(super) fn read(section: &Section<'_, '_>) -> Result<Self, Refusal> {
        let mut pins = Vec::new();
        let mut names_files = false;
        for (operation, value) in section.all() {
            // `[pins.files]` is a table of its own.
            if operation == "files" && value.get_ref().is_table() {
                names_files = true;
                continue;
            }
            let entry = section.entry(&format!("{operation:?}"));
            let place = section.source.refuse(value.span().start, String::new()).entry(entry);
            let text = value.get_ref().as_str().ok_or_else(|| {
                place.clone().problem("expected a text").advice("`check` prints the pin of each operation")
            })?;
            pins.push(Pin { operation: operation.to_owned(), text: text.to_owned(), place });
        }
        // Files alone pin no operation.
        let place = (!pins.is_empty() || !names_files).then(|| section.refuse_whole(String::new()));
        Ok(Self { pins, place })
    }

    pub(crate) fn are_there(&self) -> bool {
        self.place.is_some()
    }

    /// Refuses a pin of no declared operation.
    pub(super) fn check_names(&self, declared: &[String]) -> Result<(), Refusal> {
        let Some(pin) = self.pins.iter().find(|pin| !declared.contains(&pin.operation)) else { return Ok(()) };
        let refusal = pin.place.clone().problem("no such operation is declared");
        Err(match nearest(&pin.operation, declared.iter().map(String::as_str)) {
            Some(near) => refusal.advice(format!("did you mean {near:?}?")),
            None => refusal.advice("remove it"),
        })
    }

    /// Refuses an operation that is not what was pinned, or not pinned although there are pins.
    pub(super) fn check(&self, operation: &str, fingerprint: &Fingerprint) -> Result<(), Refusal> {
        let Some(place) = &self.place else { return Ok(()) };
        let Some(pin) = self.pins.iter().find(|pin| pin.operation == operation) else {
            return Err(place
                .clone()
                .problem(format!("{operation:?} is allowed and has no pin"))
                .advice(format!("review it, then add {operation:?} = \"{fingerprint}\"")));
        };
        let problem = match fingerprint.compare(&pin.text) {
            Ok(()) => return Ok(()),
            Err(Mismatch::Malformed) => {
                "it is not a pin: it begins with sha256: and is the whole text that `check` prints".to_owned()
            }
            Err(Mismatch::Changed(parts)) if parts.is_empty() => "the operation is not what was pinned".to_owned(),
            Err(Mismatch::Changed(parts)) => {
                format!("the operation is not what was pinned; changed: {}", parts.join(", "))
            }
        };
        Err(pin.place.clone().problem(problem).advice(format!("review it, then write \"{fingerprint}\"")))
    }
}
