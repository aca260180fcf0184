//! The README's first command.

use crate::sqlite::place::{DEADLINE, LAUNCH, program};

#[test]
fn the_demonstration_shows_a_report_from_start_to_end_and_runs_again() {
    let folder = tempfile::tempdir().unwrap();
    for _ in 0..2 {
        let shown = program(["demo", "--launch"]).arg(LAUNCH).current_dir(folder.path()).deadline(DEADLINE).run();
        shown.assert_code(0);
        for text in ["tasks.retry", "attempt 2", r#""state":"succeeded""#, r#"{"count":3,"sum":0.5}"#, "mcpServers"] {
            assert!(shown.text().contains(text), "{text:?} is missing:\n{}", shown.text());
        }
    }
    assert!(folder.path().join("var/demo/tasks.db").exists());
}

#[test]
fn a_step_that_fails_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let failed = program(["demo", "--launch", "nowhere.toml"]).current_dir(folder.path()).run();
    failed.assert_code(1);
    assert!(failed.stderr.contains("find the launch file"), "{}", failed.stderr);
    assert!(failed.stderr.contains("nowhere.toml"), "{}", failed.stderr);
}
