//! What a run does, from its seed.

use serde_json::{Value, json};
use tasks::job::Report;

use super::{Kind, Load};

pub(super) struct Plan {
    /// For each producer.
    pub(super) submissions: Vec<Vec<Submission>>,
    /// After how many accepted jobs, in that order.
    pub(super) events: Vec<(usize, Event)>,
}

pub(super) enum Event {
    /// The worker of that number.
    Kill(usize),
    Restart,
}

pub(super) struct Submission {
    pub(super) arguments: Value,
    pub(super) report_id: String,
    pub(super) expected: Report,
}

impl Plan {
    pub(super) fn new(load: &Load) -> Self {
        let mut random = Random(load.seed);
        let submissions = (0..load.producers)
            .map(|producer| {
                // The first ones take what does not divide.
                let jobs = load.jobs / load.producers + usize::from(producer < load.jobs % load.producers);
                (0..jobs).map(|number| Submission::new(format!("report-{producer}-{number}"), &mut random)).collect()
            })
            .collect();
        let mut events: Vec<_> = (0..load.kills)
            .map(|_| (random.below(load.jobs * 9 / 10), Event::Kill(random.below(load.workers))))
            .collect();
        if load.database == Kind::Postgres {
            events.push((load.jobs / 2, Event::Restart));
        }
        events.sort_by_key(|(after, _)| *after);
        Self { submissions, events }
    }
}

impl Submission {
    fn new(report_id: String, random: &mut Random) -> Self {
        let rows: Vec<f64> = (0..=random.below(20)).map(|_| random.row()).collect();
        // One in eight takes a while, so that a killed worker has often something in hand.
        let duration = if random.below(8) == 0 { random.below(60) } else { 0 };
        let expected =
            Report { sum: rows.iter().fold(0.0, |sum, row| sum + row), count: i64::try_from(rows.len()).unwrap_or(0) };
        // Repeated after a failure whose outcome is unknown, it is the same job.
        let arguments =
            json!({"reportId": report_id, "rows": rows, "durationMs": duration, "deduplicationKey": report_id});
        Self { arguments, report_id, expected }
    }
}

/// `SplitMix64`: the same numbers on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        let bound = u64::try_from(bound.max(1)).unwrap_or(u64::MAX);
        usize::try_from(self.next() % bound).unwrap_or(0)
    }

    fn row(&mut self) -> f64 {
        f64::from(u32::try_from(self.next() >> 32).unwrap_or(0)) / 1000.0
    }
}
