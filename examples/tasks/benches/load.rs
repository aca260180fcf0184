//! Many producers and workers on one database, while workers are killed and the database is restarted: see the README.
#![expect(clippy::expect_used, reason = "what cannot be prepared ends the run")]

#[path = "../tests/load/load.rs"]
mod load;

use clap::Parser;
use load::{Kind, Load};

/// Run the load on PostgreSQL, then on SQLite
#[derive(Debug, Parser)]
struct Arguments {
    /// How many jobs on PostgreSQL; SQLite, which has one writer at a time, gets a tenth
    #[arg(long, default_value_t = 5000)]
    jobs: usize,
    /// What is submitted, and what is killed when
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Said by cargo
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> std::io::Result<()> {
    let Arguments { jobs, seed, .. } = Arguments::parse();
    for load in [
        Load { database: Kind::Postgres, producers: 8, workers: 4, jobs, kills: 20, seed },
        Load { database: Kind::Sqlite, producers: 8, workers: 2, jobs: jobs / 10, kills: 5, seed },
    ] {
        backend::command::print(&format!("{}\n", load.run()))?;
    }
    Ok(())
}
