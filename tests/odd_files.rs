//! What trusted files and variables may hold that is odd: nothing of it is lost, hidden or written over.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::symlink;

use serde_json::json;
use test_host::{Host, Program, message};

const SCRIPT: &str = r#"
import json, os
print(json.dumps({"output": [os.environb[b"ODD"].hex(), os.environb[b"TZ"].hex()]}))
"#;

fn program() -> Program {
    Program::new(env!("CARGO_BIN_EXE_opgate"), SCRIPT).plugin("command = [\"python3\", \"program.py\"]\n")
}

#[test]
fn variables_that_are_no_text_reach_the_program_as_they_are() {
    let program = program().plugin_line("env = [\"ODD\"]").operation("tell", "");
    let odd = OsStr::from_bytes(b"a\xff");
    let mut session = program.host().env("ODD", odd).env("TZ", odd).spawn();
    session.initialize("2025-11-25");
    session.call(1, "operation_0", json!({}));
    assert_eq!(session.answer_to(1).output(), json!(["61ff", "61ff"]));
    session.close();
}

#[test]
fn launch_and_application_files_are_not_looked_at_again() {
    let program = program().plugin_line("env = [\"ODD\"]").operation("tell", "");
    let mut session = program.host().env("ODD", "a").env("TZ", "b").spawn();
    session.initialize("2025-11-25");
    program.file("application.toml", "name = \"another\"");
    program.file("launch.toml", "application = \"application.toml\"\nallow = []");
    for id in 1..3 {
        session.call(id, "operation_0", json!({}));
        assert_eq!(session.answer_to(id).output(), json!(["61", "62"]));
    }
    session.send(&message::list(3));
    assert_eq!(session.answer_to(3).tools().len(), 1);
    session.close();
}

#[test]
fn descriptions_show_no_secret_and_move_no_text() {
    let program =
        program().operation("tell", "effect = \"read\"\ndescription = \"\\u001b[2J\\u202Ea secret-canary-1 b\"");
    let path = program.launch_file();
    let launch = "application = \"application.toml\"\nallow = []\n";
    fs::write(&path, launch).expect("our own file");
    let host = || Host::new(env!("CARGO_BIN_EXE_opgate")).env("APP_TOKEN", "secret-canary-1").text_output();
    for arguments in [&["list"][..], &["list", "--json"], &["init", "--force"]] {
        let ended = host().args(arguments).arg(&path).run();
        ended.assert_code(0);
        let text = ended.text().to_owned() + &fs::read_to_string(&path).expect("our own file");
        assert!(!text.contains("canary") && !text.contains('\u{1b}'), "{arguments:?}: {text}");
        assert!(arguments.contains(&"--json") || !text.contains('\u{202e}'), "{arguments:?}: {text}");
    }
}

#[test]
fn init_writes_over_launch_files_alone() {
    let program = program().operation("tell", "");
    let application = program.folder().join("application.toml");
    let _ = program.launch_file();
    let before = fs::read_to_string(&application).expect("our own file");
    let link = program.folder().join("link.toml");
    symlink(&application, &link).expect("a link");
    let pipe = program.folder().join("pipe.toml");
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, rustix::fs::Mode::from_raw_mode(0o600), 0)
        .expect("a pipe");
    for path in [&application, &link, &pipe] {
        let ended = Host::new(env!("CARGO_BIN_EXE_opgate")).args(["init", "--force"]).arg(path).text_output().run();
        ended.assert_code(2);
    }
    assert_eq!(fs::read_to_string(&application).expect("our own file"), before);
}

#[test]
fn a_schema_in_a_file_has_no_other_keys() {
    let program = program().operation("tell", "");
    let launch = program.launch_file();
    let application = program.folder().join("application.toml");
    let text = fs::read_to_string(&application).expect("our own file");
    let both = "{ file = \"schema.json\", type = \"object\" }";
    program.file("application.toml", &text.replace("{ type = \"object\", additionalProperties = true }", both));
    Host::new(env!("CARGO_BIN_EXE_opgate")).arg("serve").arg(launch).run().assert_refused(&["not both"]);
}
