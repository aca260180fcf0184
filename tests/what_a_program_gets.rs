//! A program gets its input through standard input, the variables that its file names, its own folder and group, and
//! nothing else.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use test_host::Program;

const SCRIPT: &str = include_str!("process/observes.py");

fn program() -> Program {
    // An interpreter that is no script adds no variables of its own.
    let python = Path::new("/usr/bin/python3");
    let python = if python.exists() { "/usr/bin/python3" } else { "python3" };
    Program::new(env!("CARGO_BIN_EXE_opgate"), SCRIPT)
        .plugin(&format!(
            "command = [{python:?}, \"program.py\", \"as is; $HOME\"]\nenv = [\"PROGRAM_LOG\", \"GIVEN\", {{ name = \"ABSENT\", optional = true }}]\n"
        ))
        .operations(&["observe"])
}

#[test]
fn exactly_what_the_file_names() {
    let program = program();
    let host =
        program.host().env("GIVEN", "1").env("UNNAMED", "1").env("LANG", "C.UTF-8").env("API_KEY", "a-secret-key");
    let mut session = host.spawn();
    session.initialize("2025-11-25");
    session.call(1, "operation_0", json!({"n": 18_446_744_073_709_551_615_u64, "text": "ä\n"}));
    let seen = session.answer_to(1).output();
    assert_eq!(seen["keys"], json!(["opgate", "call", "plugin", "method", "input"]), "no context that is not declared");
    assert_eq!((&seen["opgate"], &seen["plugin"], &seen["call"]), (&json!(1), &json!("app"), &json!(32)));
    assert_eq!(seen["raw_input"], json!("{\"n\":18446744073709551615,\"text\":\"ä\\n\"}"));
    assert_eq!(seen["arguments"], json!(["as is; $HOME"]));
    assert_eq!(seen["descriptors"], json!([0, 1, 2]));
    assert_eq!(seen["leads"], json!(true));
    let folder = program.folder().canonicalize().expect("our own folder");
    assert_eq!(seen["folder"], json!(folder));
    let variables: Vec<&str> = seen["variables"].as_array().expect("names").iter().filter_map(Value::as_str).collect();
    for name in ["GIVEN", "HOME", "LANG", "PATH", "PROGRAM_LOG"] {
        assert!(variables.contains(&name), "{name} is missing in {variables:?}");
    }
    for name in ["UNNAMED", "API_KEY", "ABSENT", "USER", "TEST_HOST_ENTRY"] {
        assert!(!variables.contains(&name), "{name} is in {variables:?}");
    }
    session.close();
}

#[test]
fn the_launchs_context_and_no_other() {
    let script =
        SCRIPT.replace("\"folder\": os.getcwd(),", "\"folder\": os.getcwd(), \"context\": request.get(\"context\"),");
    let program = || Program::new(env!("CARGO_BIN_EXE_opgate"), &script).operation("observe", "context = true");
    let bound =
        program().launch_line("[binding.context]\nregion = \"eu\"\ntenant = { env = \"TENANT\", secret = false }");
    let mut session = bound.host().env("TENANT", "acme").spawn();
    session.initialize("2025-11-25");
    session.call(1, "operation_0", json!({"context": {"region": "us"}}));
    let seen = session.answer_to(1).output();
    assert_eq!(seen["context"], json!({"region": "eu", "tenant": "acme"}));
    assert_eq!(
        seen["raw_input"].as_str().map(|raw| raw.starts_with("{\"context\":{\"region\":\"us\"}}")),
        Some(true),
        "{seen}"
    );
    session.close();
    let unbound = program();
    let mut session = unbound.initialized();
    session.call(1, "operation_0", json!({}));
    session.answer_to(1).assert_failure("missing-context-binding", "binding", "not-started");
    session.close();
}

#[test]
fn no_descriptor_that_a_host_left_open() {
    let program = program();
    let left_open = File::open("/etc/passwd").expect("a file");
    // The shell passes it on without close-on-exec.
    let number = left_open.as_raw_fd();
    let script = format!("exec 9</etc/passwd; exec \"$0\" \"$@\" # {number}");
    #[expect(clippy::disallowed_methods, reason = "a test starts programs")]
    let output = Command::new("sh")
        .arg("-c")
        .arg(script)
        .arg(env!("CARGO_BIN_EXE_opgate"))
        .arg("call")
        .arg(program.launch_file())
        .args(["app", "observe"])
        .env("GIVEN", "1")
        .env("PROGRAM_LOG", program.folder().join("effects"))
        .stdin(Stdio::null())
        .output()
        .expect("a shell");
    let seen: Value = serde_json::from_slice(&output.stdout).expect("an answer");
    assert_eq!(seen["descriptors"], json!([0, 1, 2]), "{output:?}");
}
