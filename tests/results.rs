//! The result of a call is one text block of redacted, sorted, bounded JSON.

use serde_json::json;
use test_host::{Fixture, Program};

fn fixture(operations: &[&str]) -> Fixture {
    Fixture::beside(env!("CARGO_BIN_EXE_opgate"), operations)
}

#[test]
fn the_same_value_has_the_same_bytes() {
    let fixture = fixture(&["order", "nothing"]);
    let mut session = fixture.initialized();
    let expected = r#"{"count":1,"kind":"new","lines":[{"id":-9007199254740993}],"name":"a\"ä\u0001","ratio":0.1}"#;
    for text in [
        r#"{"name":"a\"ä\u0001","lines":[{"id":-9007199254740993}],"kind":"new","ratio":0.1,"count":1}"#,
        r#"{"count":1.0,"ratio":1e-1,"kind":"new","lines":[{"id":-9007199254740993}],"name":"a\u0022\u00e4\u0001"}"#,
    ] {
        let tool = fixture.tool("order");
        let line = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{tool}","arguments":{text}}}}}"#
        );
        session.send_bytes(format!("{line}\n"));
        assert_eq!(session.receive().text(), expected);
    }
    session.call(2, &fixture.tool("nothing"), json!({}));
    assert_eq!(session.receive().text(), "null");
}

#[test]
fn a_success_has_one_text_block_and_no_more() {
    let fixture = fixture(&["echo"]);
    let mut session = fixture.initialized();
    session.call(1, &fixture.tool("echo"), json!({"text": "a"}));
    let answer = session.receive();
    assert_eq!(answer["result"]["content"], json!([{"type": "text", "text": "\"a\""}]));
    assert_eq!(answer["result"].get("structuredContent"), None);
    assert!(answer["result"].get("isError").is_none_or(|value| value == false));
}

#[test]
fn a_variable_whose_name_says_secret_is_masked_in_results() {
    let fixture = fixture(&["password", "echo"]);
    let host = fixture.host().env("FIXTURE_PASSWORD", "correct-horse-battery");
    let mut session = host.spawn();
    session.initialize("2025-11-25");
    session.call(1, &fixture.tool("password"), json!({}));
    assert_eq!(session.receive().output(), json!("The password is [REDACTED], keep it."));
    session.call(2, &fixture.tool("echo"), json!({"text": "correct-horse-batter"}));
    assert_eq!(session.receive().output(), json!("correct-horse-batter"));
}

#[test]
fn it_is_masked_in_safe_messages_and_in_what_is_printed_too() {
    let fixture = fixture(&["password", "fail_safe"]);
    let secret = "correct-horse-battery";
    let mut session = fixture.host().env("FIXTURE_PASSWORD", secret).spawn();
    session.initialize("2025-11-25");
    session.call(
        1,
        &fixture.tool("fail_safe"),
        json!({"code": "not-found", "message": format!("It was {secret}, was it?")}),
    );
    let answer = session.receive();
    let diagnostic = answer.assert_failure("not-found", "invoke", "unknown");
    assert!(
        diagnostic["message"].as_str().is_some_and(|told| told.starts_with("It was [REDACTED], was it?")),
        "{answer}"
    );
    session.call(2, &fixture.tool("password"), json!({}));
    assert!(!session.receive().to_string().contains(secret));
    session.close_input();
    let ended = session.wait();
    for stream in ["standard output", "standard error"] {
        assert!(ended.stderr.contains(&format!("{stream}: [REDACTED].")), "{}", ended.stderr);
    }
    assert!(!ended.stderr.contains(secret), "{}", ended.stderr);
}

#[test]
fn declared_secrets_and_keys_that_say_secret_are_masked() {
    let fixture = fixture(&["card"]);
    let mut session = fixture.initialized();
    session.call(1, &fixture.tool("card"), json!({}));
    let mask = "[REDACTED]";
    let expected = json!({
        "apiKey": mask, "card": {"name": "A", "number": mask}, "db_password": mask,
        "items": [{"id": 1, "pin": mask}, {"id": 2, "pin": mask}], "max_tokens": 5, "tokenizer": "t",
    });
    assert_eq!(session.receive().output(), expected);
}

#[test]
fn a_result_of_exactly_the_budget_fits_and_one_byte_more_does_not() {
    let fixture = fixture(&["large"]).line("[limits]\nmax_output_bytes = 1000");
    let mut session = fixture.initialized();
    session.call(1, &fixture.tool("large"), json!({"bytes": 998}));
    assert_eq!(session.receive().text().len(), 1000);
    session.call(2, &fixture.tool("large"), json!({"bytes": 999}));
    let answer = session.receive();
    answer.assert_failure("output-too-large", "output", "completed");
    assert!(!answer.to_string().contains("xxxx"), "never a part of the result: {answer}");
}

#[test]
fn the_smallest_budget_still_holds_a_diagnostic() {
    let fixture = fixture(&["large", "fail_safe"]).line("[limits]\nmax_output_bytes = 91");
    let mut session = fixture.initialized();
    session.call(1, &fixture.tool("large"), json!({"bytes": 89}));
    assert_eq!(session.receive().text().len(), 91);
    let long = json!({"code": "c".repeat(64), "message": "m".repeat(500)});
    for (operation, arguments) in [("large", json!({"bytes": 90})), ("fail_safe", long)] {
        session.call(2, &fixture.tool(operation), arguments);
        let answer = session.receive();
        assert!(answer.text().len() <= 91, "{answer}");
        assert!(answer.diagnostic()["code"].is_string());
        assert_eq!(answer.diagnostic()["truncated"], true);
    }
}

#[test]
fn a_value_nested_as_deep_as_allowed_is_returned() {
    let fixture = fixture(&["deep"]);
    let mut session = fixture.initialized();
    session.call(1, &fixture.tool("deep"), json!({"bytes": 128}));
    assert_eq!(session.receive().text(), format!("{}7{}", "[".repeat(128), "]".repeat(128)));
}

#[test]
fn a_safe_message_reaches_the_caller_up_to_500_characters() {
    let fixture = fixture(&["fail_safe"]);
    let mut session = fixture.initialized();
    session.call(1, &fixture.tool("fail_safe"), json!({"code": "not-found", "message": "ä".repeat(600)}));
    let diagnostic = session.receive().diagnostic();
    let message = diagnostic["message"].as_str().expect("a message");
    assert_eq!(message.chars().filter(|each| *each == 'ä').count(), 500);
}

#[test]
fn a_result_that_is_secret_as_a_whole_leaves_its_failures_readable() {
    let script = include_str!("process/misbehaves.py");
    let program = ["/*", "/code", ""]
        .iter()
        .zip(["echo", "fails", "garbage"])
        .fold(Program::new(env!("CARGO_BIN_EXE_opgate"), script), |program, (secret, method)| {
            program.operation(method, &format!("secret_output = [{secret:?}]"))
        });
    let mut session = program.initialized();
    session.call(1, &program.tool("echo"), json!({"a": "b"}));
    assert_eq!(session.answer_to(1).output(), json!({"a": "[REDACTED]"}));
    session.call(2, &program.tool("fails"), json!({}));
    session.answer_to(2).assert_failure("not-found", "invoke", "unknown");
    session.call(3, &program.tool("garbage"), json!({}));
    session.answer_to(3).assert_failure("invocation-failed", "invoke", "unknown");
}
