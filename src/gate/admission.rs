//! One call at a time. There is no queue: a place is free or it is not.

use std::sync::{Arc, Mutex, PoisonError};

use crate::diagnostic::{Diagnostic, Outcome, Phase, code};

#[derive(Default)]
pub(crate) struct Admission(Mutex<State>);

#[derive(Default)]
struct State {
    taken: bool,
    closed: bool,
}

/// The one place. Dropping it frees it.
pub(crate) struct Permit(Arc<Admission>);

impl Admission {
    pub(crate) fn admit(self: &Arc<Self>) -> Result<Permit, Diagnostic> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match *state {
            State { closed: true, .. } => Err(refused(code::ADAPTER_CLOSED)),
            State { taken: true, .. } => Err(Self::busy()),
            State { taken: false, closed: false } => {
                state.taken = true;
                Ok(Permit(Arc::clone(self)))
            }
        }
    }

    /// What a call is told while another one has the place.
    pub(crate) fn busy() -> Diagnostic {
        refused(code::ADAPTER_BUSY)
    }

    /// Admits nothing from now on; a call that has the place keeps it.
    pub(crate) fn close(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).closed = true;
    }
}

fn refused(code: &'static str) -> Diagnostic {
    Diagnostic::new(Phase::Admit, Outcome::NotStarted, code)
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner).taken = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(result: Result<Permit, Diagnostic>) -> String {
        result.err().map(|diagnostic| diagnostic.code.into_owned()).unwrap_or_default()
    }

    #[test]
    fn the_place_is_taken_until_its_permit_is_gone() {
        let admission = Arc::new(Admission::default());
        let permit = admission.admit().unwrap_or_else(|_| panic!("free at first"));
        assert_eq!(code(admission.admit()), code::ADAPTER_BUSY);
        drop(permit);
        assert!(admission.admit().is_ok());
    }

    #[test]
    fn a_closed_gate_admits_nothing_and_disturbs_nobody() {
        let admission = Arc::new(Admission::default());
        let permit = admission.admit();
        admission.close();
        assert_eq!(code(admission.admit()), code::ADAPTER_CLOSED);
        drop(permit);
        assert_eq!(code(admission.admit()), code::ADAPTER_CLOSED);
    }
}
