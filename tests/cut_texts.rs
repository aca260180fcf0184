//! A text that is shortened is masked first: the beginning of a secret is not known for one.

use std::fmt::Write as _;

use serde_json::json;
use test_host::Program;

const SECRET: &str = "Zq9xKw4vTb8nRj3mYd6p";
const SCRIPT: &str = r#"
import json, os, sys
request = json.load(sys.stdin)
message = "m" * request["input"].get("before", 0) + os.environ["APP_TOKEN"]
print(json.dumps({"error": {"code": "a", "message": message}}))
"#;

/// No part of the secret that tells anything.
#[track_caller]
fn assert_clean(text: &str) {
    for part in (0..=SECRET.len() - 4).map(|from| &SECRET[from..from + 4]) {
        assert!(!text.contains(part), "{part:?} of the secret is in:\n{text}");
    }
}

fn program() -> Program {
    Program::new(env!("CARGO_BIN_EXE_opgate"), SCRIPT)
        .plugin("command = [\"python3\", \"program.py\"]\nenv = [\"APP_TOKEN\"]\n")
        .operation("fails", "")
}

#[test]
fn a_long_message_tells_no_part_of_a_secret() {
    let program = program();
    let mut session = program.host().env("APP_TOKEN", SECRET).env("OPGATE_LOG", "info").spawn();
    session.initialize("2025-11-25");
    for (id, before) in (478..505).step_by(3).enumerate() {
        let id = i64::try_from(id).unwrap_or_default();
        session.call(id, "operation_0", json!({"before": before}));
        let failed = session.answer_to(id).assert_failure("a", "invoke", "unknown");
        assert_clean(&failed.to_string());
        assert!(failed["message"].as_str().is_some_and(|message| message.len() < 600), "{failed}");
    }
    session.close_input();
    let ended = session.wait();
    ended.assert_code(0);
    assert_clean(&ended.stderr);
}

#[test]
fn a_long_list_of_what_was_expected_tells_no_part_of_a_secret() {
    for before in (270..300).step_by(3) {
        let mut schema = String::new();
        let _ = write!(
            schema,
            r#"{{"type": "object", "properties": {{"a": {{"enum": ["{}{SECRET}"]}}}}}}"#,
            "x".repeat(before)
        );
        let program = Program::new(env!("CARGO_BIN_EXE_opgate"), SCRIPT).operation("fails", "");
        program.file("schema.json", &schema);
        let launch = program.launch_file();
        let application = program.folder().join("application.toml");
        let text = std::fs::read_to_string(&application).unwrap_or_default();
        let text = text.replace("{ type = \"object\", additionalProperties = true }", "{ file = \"schema.json\" }");
        program.file("application.toml", &text);
        let host = test_host::Host::new(env!("CARGO_BIN_EXE_opgate")).env("APP_TOKEN", SECRET).env("PROGRAM_LOG", "x");
        let ended = host.clone().arg("call").arg(&launch).args(["app", "fails", "--input", r#"{"a": 1}"#]).run();
        ended.assert_code(2);
        assert!(ended.stderr.contains("invalid-input"), "{}", ended.stderr);
        assert_clean(&ended.stderr);
        let ended = host.arg("serve").arg(&launch).run();
        ended.assert_refused(&["the known secret APP_TOKEN stands in"]);
        assert_clean(&ended.stderr);
    }
}

/// What a launch says that this application file refuses.
fn refusal(secret: &str, application: &str) -> String {
    let program = program();
    let launch = program.launch_file();
    program.file("application.toml", application);
    let host = test_host::Host::new(env!("CARGO_BIN_EXE_opgate")).env("APP_TOKEN", secret);
    let ended = host.arg("serve").arg(launch).run();
    ended.assert_code(3);
    ended.stderr
}

#[test]
fn the_line_that_a_refusal_shows_tells_no_part_of_a_secret() {
    for before in (80..125).step_by(3) {
        let unknown = format!("zz = \"{}{SECRET}\"", "a".repeat(before));
        assert_clean(&refusal(SECRET, &unknown));
        let garbled = format!("{}{SECRET} x = 1", "a".repeat(before - 40));
        assert_clean(&refusal(SECRET, &garbled));
    }
    // A secret with an equals sign in it, and one that goes over lines.
    let (half, other) = SECRET.split_at(10);
    let secret = format!("{half}={other}");
    assert_clean(&refusal(&secret, &format!("{secret} x")));
    let secret = format!("{half}\n{other}");
    assert_clean(&refusal(&secret, &format!("name = \"\"\"\n{half}\n{other}\" x\" \" \"\"\" y\n")));
    assert_clean(&refusal(&secret, &format!("\n{half}\n{other} = 1\n")));
}
