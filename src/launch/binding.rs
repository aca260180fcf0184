//! `[binding]` and `[cli.binding]`: what the file supplies for one side. Neither side borrows from the other.

use super::asks::{Asks, Way};
use super::context::ContextTable;
use super::refusal::Refusal;
use super::section::Section;
use crate::binding::Part;

#[derive(Debug, Default)]
pub(crate) struct FileBinding {
    pub(crate) context: Option<ContextTable>,
    confirm: Option<Asks>,
    approve: Option<Asks>,
}

impl FileBinding {
    pub(super) fn read(section: Section<'_, '_>) -> Result<Self, Refusal> {
        let asks = |part: Part| section.table(part.word())?.map(|table| Asks::read(table, part)).transpose();
        let read = Self {
            context: section.table(Part::Context.word())?.as_ref().map(ContextTable::read).transpose()?,
            confirm: asks(Part::Confirm)?,
            approve: asks(Part::Approve)?,
        };
        section.finish()?;
        Ok(read)
    }

    /// The same for a side that has no client.
    pub(super) fn without_a_client(self) -> Result<Self, Refusal> {
        let place = self.all_asks().find_map(|(_, asks)| matches!(asks.way, Way::Client).then(|| asks.table.clone()));
        match place {
            None => Ok(self),
            Some(place) => Err(place
                .problem("the command line has no client that could be asked")
                .advice("ask \"terminal\" or a \"program\"")),
        }
    }

    /// Who answers for `part`.
    pub(crate) fn asks(&self, part: Part) -> Option<&Asks> {
        match part {
            Part::Context => None,
            Part::Confirm => self.confirm.as_ref(),
            Part::Approve => self.approve.as_ref(),
        }
    }

    pub(crate) fn all_asks(&self) -> impl Iterator<Item = (Part, &Asks)> {
        Part::ALL.into_iter().filter_map(|part| Some((part, self.asks(part)?)))
    }

    pub(crate) fn binds(&self, part: Part) -> bool {
        self.refuse(part, "").is_some()
    }

    /// A refusal of what is bound for `part`, if something is.
    pub(crate) fn refuse(&self, part: Part, problem: &str) -> Option<Refusal> {
        match part {
            Part::Context => self.context.as_ref().map(|context| context.refuse(&[], problem)),
            Part::Confirm | Part::Approve => self.asks(part).map(|asks| asks.table.clone().problem(problem)),
        }
    }
}
