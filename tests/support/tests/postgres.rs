//! A server of a test is gone with the process that started it, however that one ended.
#![expect(clippy::unwrap_used, reason = "what cannot be prepared fails the test")]

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use test_host::postgres::Cluster;

/// Starts the program that holds a server, and its folder.
#[expect(clippy::disallowed_methods, reason = "a test starts programs")]
fn holder(end: &str) -> (Child, String) {
    let built = std::env::current_exe().unwrap();
    let program = built.parent().unwrap().parent().unwrap().join("examples/holds_a_cluster");
    let mut holder = Command::new(program).arg(end).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut folder = String::new();
    BufReader::new(holder.stdout.take().unwrap()).read_line(&mut folder).unwrap();
    (holder, folder.trim_end().to_owned())
}

/// Whether a process of that folder runs.
fn runs(folder: &str) -> bool {
    std::fs::read_dir("/proc").unwrap().flatten().any(|entry| {
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains(folder)
    })
}

#[track_caller]
fn assert_gone(folder: &str) {
    let until = Instant::now() + Duration::from_secs(10);
    while runs(folder) || Path::new(folder).exists() {
        assert!(Instant::now() < until, "{folder} is left");
        sleep(Duration::from_millis(20));
    }
}

#[test]
fn nothing_is_left_of_a_process_that_returns_panics_or_is_killed() {
    for end in ["returns", "panics", "is-killed"] {
        let (mut holder, folder) = holder(end);
        if end == "is-killed" {
            assert!(runs(&folder));
            holder.kill().unwrap();
        }
        holder.wait().unwrap();
        assert_gone(&folder);
    }
}

#[test]
fn nothing_is_left_of_a_server_that_is_dropped_and_what_it_held_survives_a_restart() {
    let mut cluster = Cluster::durable();
    let folder = cluster.folder().to_str().unwrap().to_owned();
    let database = cluster.database();
    database.sql("CREATE TABLE t AS SELECT 7 AS x");
    cluster.restart();
    assert_eq!(database.sql("SELECT x FROM t"), "7\n");
    drop(cluster);
    assert!(!Path::new(&folder).exists() && !runs(&folder), "{folder} is left");
}
