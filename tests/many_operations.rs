//! A launch with two hundred operations is not much slower than one with four: schemas are compiled when they are needed.
#![expect(clippy::expect_used, reason = "helpers outside test functions")]
#![expect(clippy::print_stdout, reason = "a figure for whoever looks")]

use std::time::{Duration, Instant};

use test_host::{Fixture, message};

fn fixture(count: usize) -> Fixture {
    let operations: Vec<String> = (0..count).map(|number| format!("many_{number}")).collect();
    let operations: Vec<&str> = operations.iter().map(String::as_str).collect();
    Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &operations).switch("DECLARE", "many")
}

/// From the start to the first tools/list, and the resident memory then, in KiB.
fn start(fixture: &Fixture) -> (Duration, u64) {
    let began = Instant::now();
    let mut session = fixture.host().spawn();
    session.send(&message::stateless(1, "tools/list", serde_json::json!({})));
    let list = session.receive();
    let took = began.elapsed();
    assert!(!list.tools().is_empty());
    let status = std::fs::read_to_string(format!("/proc/{}/status", session.id())).expect("the process's status");
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("its memory");
    (took, resident.trim().trim_end_matches(" kB").parse().expect("a number"))
}

#[test]
fn two_hundred_operations_start_nearly_as_fast_as_four() {
    let (few, many) = (fixture(4), fixture(200));
    let mut best = [Duration::MAX; 2];
    let mut memory = [0; 2];
    for _ in 0..10 {
        for (place, fixture) in [&few, &many].into_iter().enumerate() {
            let (took, resident) = start(fixture);
            best[place] = best[place].min(took);
            memory[place] = resident;
        }
    }
    println!(
        "start to first tools/list: 4 operations {:?}, 200 operations {:?} ({:.2}); memory {} and {} KiB",
        best[0],
        best[1],
        best[1].as_secs_f64() / best[0].as_secs_f64(),
        memory[0],
        memory[1]
    );
    // The bound of an optimized build is 1.5; this one is not optimized, and its schemas are made twenty times slower.
    assert!(best[1] < best[0] * 6, "4 operations: {:?}, 200 operations: {:?}", best[0], best[1]);
}
