//! The table: a row for each measure and setting, a column for each peer, and what opgate is to reach.

use std::collections::BTreeMap;

use crate::Res;
use crate::bounds::{self, Judged};
use crate::measure::Metrics;
use crate::numbers::{median, quantile, three_digits};
use crate::peers::{OPGATE, Peer, Peers};

/// How people read each measure, and which of the peers' it is compared with, if that is another.
const MEASURES: &[(&str, &str, Option<&str>)] = &[
    ("call", "small call, p50, µs", None),
    ("call_p99", "small call, p99, µs", None),
    ("batch", "one call and 15 pings, p50, µs", None),
    ("cpu", "CPU a call, µs", None),
    ("switches", "context switches a call", None),
    ("start", "start to first tools/list, ms", None),
    ("big", "900 KB redacted, ms", None),
    ("fresh", "900 KB of a program, one process a call, beyond it, ms", Some("big")),
    ("worker", "900 KB of a program, one process for all, beyond it, ms", Some("big")),
    ("arguments", "200 KiB of arguments, ms", None),
    ("memory_small", "memory after 10000 calls, MiB", None),
    ("memory_big", "memory after the large results, MiB", None),
];

/// Every round's value of a setting, a peer and a measure.
#[derive(Default)]
pub(crate) struct Results(BTreeMap<(&'static str, String, &'static str), Vec<f64>>);

impl Results {
    pub(crate) fn add(&mut self, setting: &'static str, peer: &Peer, metrics: Res<Metrics>) {
        match metrics {
            Ok(metrics) => {
                for (key, value) in metrics {
                    self.0.entry((setting, peer.name.clone(), key)).or_default().push(value);
                }
            }
            Err(error) => eprintln!("{}: {error}", peer.name),
        }
    }

    fn rounds(&self, setting: &'static str, peer: &str, key: &'static str) -> &[f64] {
        self.0.get(&(setting, peer.into(), key)).map_or(&[], Vec::as_slice)
    }

    /// Not a number where nothing was measured.
    fn median(&self, setting: &'static str, peer: &str, key: &'static str) -> f64 {
        median(self.rounds(setting, peer, key))
    }
}

pub(crate) fn table(peers: &Peers, settings: &[&'static str], results: &Results) -> String {
    let mut lines = vec![
        row("", peers.columns().map(|peer| peer.name.clone()), "at most"),
        row("---", peers.columns().map(|_| "---:".into()), "---"),
        row("version", peers.columns().map(|peer| peer.version.clone()), ""),
    ];
    let mut judged = Vec::new();
    for setting in settings {
        for (key, label, of_peers) in MEASURES {
            let own = results.median(setting, OPGATE, key);
            if own.is_nan() {
                continue;
            }
            let theirs = |name: &str| results.median(setting, name, of_peers.unwrap_or(key));
            let cell = |peer: &Peer| match theirs(&peer.name) {
                _ if peer.name == OPGATE => three_digits(own),
                value if value.is_nan() => "-".into(),
                value => format!("{} ({})", three_digits(value), three_digits(own / value)),
            };
            let bounds = bounds::judge(key, setting, own, theirs);
            let met = bounds.chunk_by(|a, b| a.met == b.met).map(told).collect::<Vec<_>>().join("; ");
            lines.push(row(&format!("{setting}: {label}"), peers.columns().map(cell), &met));
            judged.extend(bounds);
        }
        let range = |peer: &Peer| {
            let rounds = results.rounds(setting, &peer.name, "call");
            if rounds.is_empty() {
                return "-".into();
            }
            [0.0, 1.0].map(|end| three_digits(quantile(rounds, end))).join("..")
        };
        lines.push(row(&format!("{setting}: small call, p50 of the rounds, µs"), peers.columns().map(range), ""));
    }
    let count = |met| judged.iter().filter(|bound| bound.met == met).count();
    let [met, missed, unknown] = [Some(true), Some(false), None].map(count);
    format!("{}\n\nOf what is to be reached, {met} met, {missed} not met, {unknown} unknown.", lines.join("\n"))
}

/// Bounds that are met or not alike.
fn told(bounds: &[Judged]) -> String {
    let met = match bounds[0].met {
        Some(true) => "met",
        Some(false) => "**not met**",
        None => "unknown",
    };
    let most: Vec<_> = bounds.iter().map(|bound| bound.most.as_str()).collect();
    format!("{}: {met}", most.join(", "))
}

fn row(first: &str, cells: impl Iterator<Item = String>, last: &str) -> String {
    let cells: Vec<_> = cells.collect();
    format!("| {first} | {} | {last} |", cells.join(" | "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_medians_and_opgates_part_of_each() {
        let peers = Peers::parse("opgate\t0.1.0\tx\nloop\t-\tx\nbun\tnot built\n").unwrap();
        let mut results = Results::default();
        for value in [3.0, 1.0, 2.0] {
            let metrics = |factor| Ok(Metrics::from([("big", factor * value)]));
            for (peer, factor) in peers.present().zip([1.0, 4.0]) {
                results.add("same", peer, metrics(factor));
            }
        }
        let table = table(&peers, &["same"], &results);
        let big = "| same: 900 KB redacted, ms | 2.00 | 8.00 (0.25) | - | 0.6 × loop: met; 1 × bun: unknown |";
        assert!(table.lines().any(|line| line == big), "{table}");
        assert!(table.ends_with("1 met, 0 not met, 1 unknown."), "{table}");
    }
}
