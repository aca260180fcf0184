//! What opgate is to reach beside its peers, and whether it does.

/// A measure in some settings, and how many times a peer's value opgate's may be at most.
struct Bound {
    measure: &'static str,
    settings: &'static [&'static str],
    most: &'static [(&'static str, f64)],
}

const EVERYWHERE: &[&str] = &["same", "split", "free"];
const ALONE: &[&str] = &["same"];

/// No worse than any SDK.
const SDKS: &[(&str, f64)] = &[("rmcp", 1.0), ("bun", 1.0), ("node", 1.0), ("python", 1.0)];
/// No worse than those with an interpreter.
const INTERPRETED: &[(&str, f64)] = &[("bun", 1.0), ("node", 1.0), ("python", 1.0)];
/// No worse than a tree of values.
const TREES: &[(&str, f64)] = &[("loop", 1.0), ("bun", 1.0)];

const BOUNDS: &[Bound] = &[
    Bound { measure: "call", settings: EVERYWHERE, most: SDKS },
    Bound { measure: "call_p99", settings: EVERYWHERE, most: SDKS },
    Bound { measure: "batch", settings: EVERYWHERE, most: SDKS },
    Bound { measure: "cpu", settings: ALONE, most: SDKS },
    Bound { measure: "switches", settings: ALONE, most: &[("rmcp", 1.0)] },
    Bound { measure: "start", settings: ALONE, most: INTERPRETED },
    Bound { measure: "big", settings: ALONE, most: TREES },
    Bound { measure: "fresh", settings: ALONE, most: TREES },
    Bound { measure: "worker", settings: ALONE, most: TREES },
    Bound { measure: "arguments", settings: ALONE, most: SDKS },
    Bound { measure: "memory_small", settings: ALONE, most: INTERPRETED },
    Bound { measure: "memory_big", settings: ALONE, most: INTERPRETED },
];

/// One bound, judged; `met` is `None` where the peer was not measured.
pub(crate) struct Judged {
    pub(crate) peer: &'static str,
    pub(crate) most: f64,
    pub(crate) met: Option<bool>,
}

/// The bounds of a measure in a setting, by opgate's value as a part of a peer's.
pub(crate) fn judge(measure: &str, setting: &str, part: impl Fn(&str) -> f64) -> Vec<Judged> {
    let bounds = BOUNDS.iter().filter(|bound| bound.measure == measure && bound.settings.contains(&setting));
    let judged = |&(peer, most): &(&'static str, f64)| {
        let part = part(peer);
        Judged { peer, most, met: (!part.is_nan()).then_some(part <= most) }
    };
    bounds.flat_map(|bound| bound.most).map(judged).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_is_met_missed_or_not_known() {
        let part = |peer: &str| match peer {
            "loop" => 1.0,
            "bun" => 1.01,
            _ => f64::NAN,
        };
        let met: Vec<_> = judge("big", "same", part).iter().map(|judged| (judged.peer, judged.met)).collect();
        assert_eq!(met, [("loop", Some(true)), ("bun", Some(false))]);
        assert!(judge("call", "same", |_| f64::NAN).iter().all(|judged| judged.met.is_none()));
        assert!(judge("big", "split", part).is_empty());
    }
}
