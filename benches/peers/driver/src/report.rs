//! Numbers for programs and the table for people.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::args::{Args, Spec};

pub(crate) type Metrics = BTreeMap<String, f64>;

pub(crate) fn q(sorted: &[f64], p: f64) -> f64 {
    if sorted.is_empty() {
        return f64::NAN;
    }
    sorted[(((sorted.len() - 1) as f64) * p).round() as usize]
}

pub(crate) fn sort(mut v: Vec<f64>) -> Vec<f64> {
    v.sort_by(f64::total_cmp);
    v
}

pub(crate) fn us(d: Duration) -> f64 {
    d.as_nanos() as f64 / 1e3
}

/// Order and meaning of the columns; `true`: a higher number is better.
pub(crate) const SHOWN: &[(&str, &str, bool)] = &[
    ("cold_ms", "cold start, ms", false),
    ("call_p50_us", "call p50, us", false),
    ("call_p99_us", "call p99, us", false),
    ("call_mean_us", "call mean, us", false),
    ("calls_per_s", "sequential calls/s", true),
    ("cpu_us_per_call", "server CPU/call, us", false),
    ("cpu_user_us_per_call", "- user (ticks), us", false),
    ("cpu_sys_us_per_call", "- system (ticks), us", false),
    ("vol_switches_per_call", "voluntary switches/call", false),
    ("pipelined_per_s", "pipelined calls/s", true),
    ("pipelined_cpu_us", "pipelined CPU/call, us", false),
    ("big_p50_ms", "large response p50, ms", false),
    ("big_cpu_ms", "large response CPU, ms", false),
    ("big_wire_kib", "large response, KiB on the wire", false),
    ("large_req_p50_ms", "large request p50, ms", false),
    ("large_req_cpu_ms", "large request CPU, ms", false),
    ("sleep_all_ms", "concurrent sleeps, ms", false),
    ("rss_start_mib", "peak RSS after tools/list, MiB", false),
    ("rss_calls_mib", "peak RSS after small calls, MiB", false),
    ("rss_peak_mib", "peak RSS at the end, MiB", false),
    ("shutdown_ms", "shutdown, ms", false),
];

pub(crate) fn fmt(x: f64) -> String {
    match x.abs() {
        v if v.is_nan() => "-".into(),
        v if v >= 1000.0 => format!("{x:.0}"),
        v if v >= 100.0 => format!("{x:.0}"),
        v if v >= 10.0 => format!("{x:.1}"),
        _ => format!("{x:.2}"),
    }
}

/// Medians over the rounds, with the ratio to the baseline and the spread of the rounds.
pub(crate) fn table(
    args: &Args,
    specs: &[Spec],
    base: usize,
    med: &[Metrics],
    all: &[BTreeMap<String, Vec<f64>>],
) -> String {
    let mut t = format!(
        "\nMedians of {} rounds, {} calls each, pin={}; in brackets the ratio to {}\n\n| measure |",
        args.rounds, args.calls, args.pin, specs[base].name
    );
    for s in specs {
        t += &format!(" {} |", s.name);
    }
    t += "\n|---|";
    t += &"---:|".repeat(specs.len());
    t.push('\n');
    for (key, label, _) in SHOWN {
        if !med.iter().any(|m| m.contains_key(*key)) {
            continue;
        }
        t += &format!("| {label} |");
        for (i, _) in specs.iter().enumerate() {
            match med[i].get(*key) {
                Some(v) => {
                    t += &format!(" {}", fmt(*v));
                    if let Some(r) = med[base].get(*key).filter(|b| **b != 0.0).filter(|_| i != base) {
                        t += &format!(" ({:.2}x)", v / r);
                    }
                    t += " |";
                }
                None => t += " - |",
            }
        }
        t.push('\n');
    }
    t += "| rounds' range of call p50, us |";
    for m in all {
        match m.get("call_p50_us").map(|v| sort(v.clone())) {
            Some(v) => t += &format!(" {}..{} |", fmt(v[0]), fmt(v[v.len() - 1])),
            None => t += " - |",
        }
    }
    t
}
