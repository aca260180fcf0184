//! One call at a time. There is no queue: a place is free or it is not.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::diagnostic::{Diagnostic, Outcome, Phase, code};

#[derive(Default)]
pub(crate) struct Admission {
    state: Mutex<State>,
    /// Calls that are admitted in any minute.
    most_a_minute: Option<usize>,
}

#[derive(Default)]
struct State {
    taken: bool,
    closed: bool,
    /// When calls were admitted, as far as that still counts.
    admitted: VecDeque<Instant>,
}

const MINUTE: Duration = Duration::from_mins(1);

/// The one place. Dropping it frees it.
pub(crate) struct Permit(Arc<Admission>);

impl Admission {
    pub(crate) fn new(most_a_minute: Option<usize>) -> Self {
        Self { state: Mutex::default(), most_a_minute }
    }

    /// Takes the place at the time `now`. A call that is refused does not count.
    pub(crate) fn admit(self: &Arc<Self>, now: Instant) -> Result<Permit, Diagnostic> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.closed {
            return Err(refused(code::ADAPTER_CLOSED));
        }
        if state.taken {
            return Err(Self::busy());
        }
        if let Some(most) = self.most_a_minute {
            state.admitted.retain(|admitted| now.saturating_duration_since(*admitted) < MINUTE);
            if state.admitted.len() >= most {
                let oldest = state.admitted.front().map_or(MINUTE, |oldest| now.saturating_duration_since(*oldest));
                let mut refused = refused(code::RATE_LIMITED);
                let seconds = MINUTE.saturating_sub(oldest).as_secs() + 1;
                refused.details = Some(json!({ "limit": most, "retry_after_seconds": seconds }));
                return Err(refused);
            }
            state.admitted.push_back(now);
        }
        state.taken = true;
        Ok(Permit(Arc::clone(self)))
    }

    /// What a call is told while another one has the place.
    pub(crate) fn busy() -> Diagnostic {
        refused(code::ADAPTER_BUSY)
    }

    /// Admits nothing from now on; a call that has the place keeps it.
    pub(crate) fn close(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).closed = true;
    }
}

fn refused(code: &'static str) -> Diagnostic {
    Diagnostic::new(Phase::Admit, Outcome::NotStarted, code)
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner).taken = false;
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
        let now = Instant::now();
        let permit = admission.admit(now).unwrap_or_else(|_| panic!("free at first"));
        assert_eq!(code(admission.admit(now)), code::ADAPTER_BUSY);
        drop(permit);
        assert!(admission.admit(now).is_ok());
    }

    #[test]
    fn a_closed_gate_admits_nothing_and_disturbs_nobody() {
        let admission = Arc::new(Admission::default());
        let now = Instant::now();
        let permit = admission.admit(now);
        admission.close();
        assert_eq!(code(admission.admit(now)), code::ADAPTER_CLOSED);
        drop(permit);
        assert_eq!(code(admission.admit(now)), code::ADAPTER_CLOSED);
    }

    #[test]
    fn in_any_minute_so_many_calls_are_admitted_and_refused_ones_do_not_count() {
        let admission = Arc::new(Admission::new(Some(2)));
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let first = admission.admit(at(0));
        assert_eq!(code(admission.admit(at(1))), code::ADAPTER_BUSY);
        drop(first);
        assert!(admission.admit(at(30)).is_ok());
        for seconds in 31..60 {
            assert_eq!(code(admission.admit(at(seconds))), code::RATE_LIMITED);
        }
        let refused = admission.admit(at(59)).err().and_then(|refused| refused.details);
        assert_eq!(refused, Some(json!({ "limit": 2, "retry_after_seconds": 2 })));
        assert!(admission.admit(at(60)).is_ok());
        assert_eq!(code(admission.admit(at(61))), code::RATE_LIMITED);
    }
}
