//! A small size of what `cargo bench -p tasks --bench load` runs.
#![expect(clippy::expect_used, reason = "what cannot be prepared fails the test")]

#[path = "load.rs"]
mod load;

use load::{Kind, Load};

#[test]
fn nothing_is_lost_on_postgresql_while_workers_are_killed_and_the_database_is_restarted() {
    let load = Load { database: Kind::Postgres, producers: 4, workers: 4, jobs: 240, kills: 6, seed: 1 };
    let summary = load.run();
    assert_eq!(summary.jobs(), 240, "{summary}");
}

#[test]
fn nothing_is_lost_on_sqlite_while_workers_are_killed() {
    let load = Load { database: Kind::Sqlite, producers: 2, workers: 2, jobs: 60, kills: 3, seed: 1 };
    let summary = load.run();
    assert_eq!(summary.jobs(), 60, "{summary}");
}
