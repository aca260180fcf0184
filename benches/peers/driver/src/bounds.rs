//! What opgate is to reach, and whether it does.

/// A measure in some settings, and what opgate's value may be at most.
struct Bound {
    measure: &'static str,
    settings: &'static [&'static str],
    most: &'static [Most],
}

#[derive(Clone, Copy)]
enum Most {
    /// So many times the value of a peer.
    Times(f64, &'static str),
    /// In the measure's own unit.
    Value(f64),
}

use Most::{Times, Value};

const EVERYWHERE: &[&str] = &["same", "split", "free"];
const TOGETHER: &[&str] = &["same"];

const SDKS: &[Most] = &[Times(1.0, "rmcp"), Times(1.0, "bun"), Times(1.0, "node"), Times(1.0, "python")];

const BOUNDS: &[Bound] = &[
    Bound { measure: "call", settings: TOGETHER, most: &[Times(2.0, "loop")] },
    Bound { measure: "call", settings: EVERYWHERE, most: SDKS },
    Bound { measure: "call_p99", settings: TOGETHER, most: &[Times(2.5, "loop")] },
    Bound { measure: "batch", settings: TOGETHER, most: &[Times(2.0, "loop")] },
    Bound { measure: "cpu", settings: TOGETHER, most: &[Times(2.6, "loop")] },
    Bound { measure: "switches", settings: EVERYWHERE, most: &[Value(2.0)] },
    Bound { measure: "start", settings: TOGETHER, most: &[Times(1.25, "loop"), Times(0.02, "node")] },
    Bound { measure: "big", settings: TOGETHER, most: &[Times(0.6, "loop"), Times(1.0, "bun")] },
    Bound { measure: "fresh", settings: TOGETHER, most: &[Times(0.6, "loop")] },
    Bound { measure: "worker", settings: TOGETHER, most: &[Times(0.6, "loop")] },
    Bound { measure: "arguments", settings: TOGETHER, most: &[Times(1.2, "loop")] },
    Bound { measure: "memory_small", settings: TOGETHER, most: &[Value(10.0)] },
    Bound { measure: "memory_big", settings: TOGETHER, most: &[Value(16.0)] },
];

/// One bound, judged; `met` is `None` where the peer was not measured.
pub(crate) struct Judged {
    pub(crate) most: String,
    pub(crate) met: Option<bool>,
}

/// The bounds of a measure in a setting, by opgate's value and those of its peers.
pub(crate) fn judge(measure: &str, setting: &str, own: f64, theirs: impl Fn(&str) -> f64) -> Vec<Judged> {
    let bounds = BOUNDS.iter().filter(|bound| bound.measure == measure && bound.settings.contains(&setting));
    let judged = |most: &Most| {
        let (limit, most) = match *most {
            Times(times, peer) => (times * theirs(peer), format!("{times} × {peer}")),
            Value(value) => (value, value.to_string()),
        };
        Judged { most, met: (!limit.is_nan()).then_some(own <= limit) }
    };
    bounds.flat_map(|bound| bound.most).map(judged).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_is_met_missed_or_not_known() {
        let theirs = |peer: &str| if peer == "loop" { 10.0 } else { f64::NAN };
        let met = |own| judge("big", "same", own, theirs).into_iter().map(|judged| (judged.most, judged.met));
        let (tree, bun) = ("0.6 × loop".to_owned(), "1 × bun".to_owned());
        assert_eq!(met(6.0).collect::<Vec<_>>(), [(tree.clone(), Some(true)), (bun.clone(), None)]);
        assert_eq!(met(6.1).collect::<Vec<_>>(), [(tree, Some(false)), (bun, None)]);
        assert!(judge("big", "split", 1.0, theirs).is_empty());
        assert!(judge("memory_small", "same", 10.1, theirs).iter().all(|judged| judged.met == Some(false)));
    }
}
