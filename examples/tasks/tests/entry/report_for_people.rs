//! The report is for the command line: MCP cannot reach it by any name.

use serde_json::json;
use tasks::job::State;

use super::place::{DEADLINE, Place, call, program};

#[test]
fn no_name_reaches_the_report_over_mcp() {
    let place = Place::new();
    let mut entry = place.entry(&place.session("alice"));
    let unknown = call(&mut entry, "nothing", &json!({})).assert_error(-32602).clone();
    for name in ["operation_4", "tasks.report", "tasks_report", "report"] {
        assert_eq!(call(&mut entry, name, &json!({"reportId": "r"})).assert_error(-32602), &unknown);
    }
    entry.close();
}

#[test]
fn a_launch_file_that_allows_the_report_is_refused() {
    let place = Place::new();
    let launch = place.folder.path().join("report.toml");
    std::fs::write(&launch, r#"allow = ["tasks.report"]"#).unwrap();
    place.command(["serve"]).arg(&launch).env("TASK_SESSION", "x").run().assert_refused(&["tasks.report"]);
}

#[test]
fn the_command_line_gives_it_to_its_owner_alone() {
    let place = Place::new();
    let id = place.submit(json!({}));
    place.command(["worker", "--until-idle"]).deadline(DEADLINE).run().assert_code(0);
    place.wait_for(&id, State::Succeeded);
    let launch = place.folder.path().join("empty.toml");
    std::fs::write(&launch, "allow = []").unwrap();
    for (name, expected) in [("alice", r#"{"count":2,"sum":3.5}"#), ("bob", "null")] {
        let called = program(["call"])
            .arg(&launch)
            .args(["tasks", "report", "--input", r#"{"reportId": "r"}"#])
            .env("TASK_DATABASE", place.database.address())
            .env("TASK_SESSION", place.session(name))
            .run();
        assert_eq!(called.assert_code(0).text().trim_end(), expected);
    }
}
