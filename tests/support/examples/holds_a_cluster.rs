//! Starts a PostgreSQL server, says where it is, and ends as its argument says: for `tests/postgres.rs`.
#![expect(clippy::print_stdout, clippy::panic, reason = "a program that is watched by a test")]

use test_host::postgres::Cluster;

fn main() {
    let cluster = Cluster::shared();
    println!("{}", cluster.folder().display());
    match std::env::args().nth(1).as_deref() {
        Some("panics") => panic!("as asked"),
        Some("is-killed") => loop {
            std::thread::park();
        },
        _ => {}
    }
}
