//! `[binding]` and `[cli.binding]`: what the file supplies for one side. Neither side borrows from the other.

use super::asks::{Asks, Way};
use super::context::ContextTable;
use super::refusal::Refusal;
use super::section::Section;
use crate::binding::Part;

#[derive(Debug, Default)]
pub(crate) struct FileBinding {
    pub(crate) context: Option<ContextTable>,
    pub(crate) confirm: Option<Asks>,
    pub(crate) approve: Option<Asks>,
    /// Where each part is bound, with `entry` for messages.
    places: Vec<(Part, Refusal)>,
}

impl FileBinding {
    pub(super) fn read(section: Section<'_, '_>) -> Result<Self, Refusal> {
        let mut read = Self::default();
        let place = |key| section.refuse(key, String::new());
        if let Some(context) = section.table("context")? {
            read.context = Some(ContextTable::read(&context)?);
            read.places.push((Part::Context, place("context")));
        }
        if let Some(confirm) = section.table("confirm")? {
            read.confirm = Some(Asks::read(confirm, false)?);
            read.places.push((Part::Confirm, place("confirm")));
        }
        if let Some(approve) = section.table("approve")? {
            read.approve = Some(Asks::read(approve, true)?);
            read.places.push((Part::Approve, place("approve")));
        }
        section.finish()?;
        Ok(read)
    }

    /// The same for a side that has no client.
    pub(super) fn without_a_client(self) -> Result<Self, Refusal> {
        for (part, asks) in [(Part::Confirm, &self.confirm), (Part::Approve, &self.approve)] {
            if asks.as_ref().is_some_and(|asks| matches!(asks.way, Way::Client)) {
                return Err(self
                    .refuse(part, "the command line has no client that could be asked")
                    .advice("ask \"terminal\" or a \"program\""));
            }
        }
        Ok(self)
    }

    pub(crate) fn binds(&self, part: Part) -> bool {
        self.places.iter().any(|(bound, _)| *bound == part)
    }

    /// A refusal of what is bound for `part`.
    pub(crate) fn refuse(&self, part: Part, problem: &str) -> Refusal {
        let place = self.places.iter().find(|(bound, _)| *bound == part);
        place.map_or_else(|| Refusal::new(problem), |(_, place)| place.clone().problem(problem))
    }
}
