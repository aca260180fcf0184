//! Each phase fails with its own code and outcome, ends the call there, and is cleaned up after.

use serde_json::{Value, json};
use test_host::{Fixture, Program};

/// One way to fail: the switches, the operation, its arguments, what it must fail with (code, phase, outcome), and what
/// really happened after construction.
type Case =
    (&'static [(&'static str, &'static str)], &'static str, &'static str, [&'static str; 3], &'static [&'static str]);

const IN_CODE: (&str, &str) = ("BIND", "code");

const CASES: [Case; 18] = [
    (&[], "order", "{}", ["invalid-input", "input", "not-started"], &[]),
    (&[("START", "fail")], "echo", r#"{"text": "a"}"#, ["initialization-failed", "setup", "not-started"], &["start"]),
    (&[], "tenant", "{}", ["missing-context-binding", "binding", "not-started"], &["start", "stop"]),
    (
        &[IN_CODE, ("CONTEXT", "none")],
        "tenant",
        "{}",
        ["missing-context-binding", "binding", "not-started"],
        &["start", "context", "stop"],
    ),
    (
        &[IN_CODE, ("CONTEXT", "fail")],
        "tenant",
        "{}",
        ["binding-failed", "binding", "not-started"],
        &["start", "context", "stop"],
    ),
    (&[], "confirmed", "{}", ["confirmation-required", "confirm", "not-started"], &["start", "stop"]),
    (
        &[IN_CODE, ("CONFIRM", "no")],
        "confirmed",
        "{}",
        ["confirmation-required", "confirm", "not-started"],
        &["start", "confirm fixture.confirmed {}", "stop"],
    ),
    (
        &[IN_CODE, ("CONFIRM", "fail")],
        "confirmed",
        "{}",
        ["confirmation-required", "confirm", "not-started"],
        &["start", "confirm fixture.confirmed {}", "stop"],
    ),
    (&[], "approved", "{}", ["approval-required", "approve", "not-started"], &["start", "stop"]),
    (
        &[IN_CODE, ("CONFIRM", "yes"), ("APPROVE", "no")],
        "guarded",
        "{}",
        ["approval-required", "approve", "not-started"],
        &["start", "context", "confirm fixture.guarded {}", "approve fixture.guarded {}", "stop"],
    ),
    (
        &[],
        "fail_safe",
        r#"{"code": "not-found", "message": "No such thing."}"#,
        ["not-found", "invoke", "unknown"],
        &["start", "fail_safe", "stop"],
    ),
    (
        &[],
        "fail_safe",
        r#"{"code": "adapter-busy", "message": "Forged."}"#,
        ["invocation-failed", "invoke", "unknown"],
        &["start", "fail_safe", "stop"],
    ),
    (&[], "fail_opaque", "{}", ["invocation-failed", "invoke", "unknown"], &["start", "fail_opaque", "stop"]),
    (
        &[("STOP", "fail")],
        "echo",
        r#"{"text": "a"}"#,
        ["cleanup-failed", "cleanup", "completed"],
        &["start", "echo", "stop"],
    ),
    (&[], "not_a_number", "{}", ["serialization-failed", "output", "completed"], &["start", "not_a_number", "stop"]),
    (&[], "odd_keys", "{}", ["serialization-failed", "output", "completed"], &["start", "odd_keys", "stop"]),
    (&[], "deep", r#"{"bytes": 129}"#, ["serialization-failed", "output", "completed"], &["start", "deep", "stop"]),
    (&[], "large", r#"{"bytes": 1048575}"#, ["output-too-large", "output", "completed"], &["start", "large", "stop"]),
];

#[test]
fn each_phase_has_its_code_and_its_outcome() {
    for (switches, operation, arguments, [code, phase, outcome], effects) in CASES {
        let arguments: Value = serde_json::from_str(arguments).expect("JSON");
        let fixture = Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &[operation]);
        let fixture = switches.iter().fold(fixture, |fixture, (name, value)| fixture.switch(name, value));
        let mut session = fixture.initialized();
        session.call(1, &fixture.tool(operation), arguments);
        let answer = session.answer_to(1);
        let diagnostic = answer.assert_failure(code, phase, outcome);
        assert_eq!(diagnostic["plugin"], "fixture", "{diagnostic}");
        assert_eq!(diagnostic["operation"], operation, "{diagnostic}");
        assert!(!answer.text().contains("hunter2"), "{answer}");
        assert!(!answer.text().contains("/srv"), "{answer}");
        assert_eq!(answer.text(), diagnostic.to_string(), "keys are sorted, without spaces");
        assert_eq!(fixture.effects()[1..], *effects, "{code}");
        session.close();
    }
}

#[test]
fn a_result_that_is_not_json_is_told_by_its_place_and_one_that_is_too_large_by_the_limit() {
    for (operation, arguments, details) in [
        ("not_a_number", json!({}), json!({"path": "/ratios/1"})),
        ("odd_keys", json!({}), json!({"path": ""})),
        ("deep", json!({"bytes": 129}), json!({"path": "/0".repeat(128)})),
        ("large", json!({"bytes": 1_048_575}), json!({"limit": 1_048_576})),
    ] {
        let fixture = Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &[operation]);
        let mut session = fixture.initialized();
        session.call(1, &fixture.tool(operation), arguments);
        assert_eq!(session.receive().diagnostic()["details"], details, "{operation}");
    }
}

const OVER_ITS_LIMIT: &str = r#"
import json, os
open(os.environ["PROGRAM_LOG"], "a").write("called\n")
print(json.dumps({"output": "x" * 5000}))
"#;

#[test]
fn a_result_that_is_withheld_is_looked_for_with_another_operation() {
    let program = Program::new(env!("CARGO_BIN_EXE_opgate"), OVER_ITS_LIMIT)
        .operation("write", "effect = \"write\"\nreconcile = \"app.look\"")
        .operation("look", "effect = \"read\"")
        .launch_line("[limits]\nmax_output_bytes = 1000");
    let mut session = program.initialized();
    session.call(1, &program.tool("write"), json!({}));
    let diagnostic = session.receive().assert_failure("output-too-large", "output", "completed");
    assert_eq!(diagnostic["reconcile"], "app.look");
    let advice = "Ask for less. Look at the state with app.look before repeating the call.";
    assert!(diagnostic["message"].as_str().is_some_and(|message| message.ends_with(advice)), "{diagnostic}");
}

const BREAKS: &str = r#"
import os, sys
sys.stdin.readline()
open(os.environ["PROGRAM_LOG"], "a").write("called\n")
sys.exit(3)
"#;

#[test]
fn a_call_that_failed_is_not_made_again_even_where_that_would_be_safe() {
    for mode in ["fresh", "worker"] {
        let program = Program::new(env!("CARGO_BIN_EXE_opgate"), BREAKS)
            .plugin_line(&format!("mode = \"{mode}\""))
            .operation("look", "effect = \"read\"\nretry = \"safe\"");
        let mut session = program.initialized();
        session.call(1, &program.tool("look"), json!({}));
        session.receive().assert_failure("invocation-failed", "invoke", "unknown");
        session.close();
        assert_eq!(program.effects(), ["called"], "{mode}");
    }
}

#[test]
fn what_may_have_happened_is_said_with_advice_to_look() {
    let fixture = Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["panic_now", "echo"]);
    let mut session = fixture.initialized();
    session.call(1, &fixture.tool("panic_now"), json!({}));
    let diagnostic = session.answer_to(1).diagnostic();
    assert_eq!(diagnostic["reconcile"], "fixture.echo");
    assert!(diagnostic["message"].as_str().is_some_and(|message| message.contains("before repeating")), "{diagnostic}");

    let fixture = Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["panic_now"]);
    let mut session = fixture.initialized();
    session.call(1, &fixture.tool("panic_now"), json!({}));
    let answer = session.answer_to(1);
    assert!(!answer.text().contains("echo"), "no operation outside the allowlist is named: {answer}");
}

#[test]
fn a_failed_clean_up_does_not_hide_the_failure_before_it() {
    let fixture = Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["fail_safe"]).switch("STOP", "fail");
    let mut session = fixture.initialized();
    session.call(1, &fixture.tool("fail_safe"), json!({"code": "not-found", "message": "No such thing."}));
    let diagnostic = session.answer_to(1).assert_failure("not-found", "invoke", "unknown");
    assert_eq!(diagnostic["message"].as_str().map(|text| text.starts_with("No such thing.")), Some(true));
    assert!(diagnostic["causes"].to_string().contains("cleanup-failed"), "{diagnostic}");
}

#[test]
fn bindings_in_code_let_a_call_through_once_each() {
    let fixture = Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["guarded"])
        .switch("BIND", "code")
        .switch("CONFIRM", "yes")
        .switch("APPROVE", "yes");
    let mut session = fixture.initialized();
    session.call(1, &fixture.tool("guarded"), json!({}));
    assert_eq!(session.answer_to(1).output(), json!("acme"));
    let expected = ["start", "context", "confirm fixture.guarded {}", "approve fixture.guarded {}", "guarded", "stop"];
    assert_eq!(fixture.effects()[1..], expected);
}

#[test]
fn mcp_never_borrows_a_binding_of_the_command_line() {
    let fixture = Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["guarded"])
        .switch("BIND", "cli")
        .switch("CONFIRM", "yes")
        .switch("APPROVE", "yes");
    let mut session = fixture.initialized();
    session.call(1, &fixture.tool("guarded"), json!({}));
    session.answer_to(1).assert_failure("missing-context-binding", "binding", "not-started");
    assert_eq!(fixture.effects()[1..], ["start", "stop"]);
}

#[test]
fn arguments_over_the_budget_are_measured_as_canonical_json() {
    let fixture = Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["echo"]).line("[limits]\nmax_input_bytes = 100");
    let mut session = fixture.initialized();
    let fits = "x".repeat(100 - r#"{"text":""}"#.len());
    let line = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"arguments": {{ "text" : "{fits}" }},"name":"operation_0"}}}}"#
    );
    session.send_bytes(format!("{line}\n"));
    assert_eq!(session.receive().output(), json!(fits));
    session.call(2, &fixture.tool("echo"), json!({"text": format!("{fits}x")}));
    let diagnostic = session.receive().assert_failure("input-too-large", "input", "not-started");
    assert_eq!(diagnostic["operation"], "echo");
    assert_eq!(fixture.effects(), ["constructor", "start", "echo", "stop"]);
}

#[test]
fn the_default_budget_of_arguments_is_256_kib() {
    let fixture = Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["echo"]);
    let mut session = fixture.initialized();
    let most = 262_144 - r#"{"text":""}"#.len();
    session.call(1, &fixture.tool("echo"), json!({"text": "x".repeat(most)}));
    assert_eq!(session.receive().output(), json!("x".repeat(most)));
    session.call(2, &fixture.tool("echo"), json!({"text": "x".repeat(most + 1)}));
    session.receive().assert_failure("input-too-large", "input", "not-started");
}
