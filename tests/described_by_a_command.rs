//! A `describe` command tells a plugin's operations at launch, as a file would; the plugin's own command is not run for it.
#![expect(clippy::expect_used, reason = "what cannot be made fails the test")]

use std::time::{Duration, Instant};

use serde_json::json;
use test_host::{Program, message};

const SCRIPT: &str = r#"
import json, os, sys, time

def log(line):
    with open(os.environ["PROGRAM_LOG"], "a") as effects:
        effects.write(line + "\n")

if sys.argv[1:] == ["describe"]:
    log("describe in " + os.path.basename(os.getcwd()))
    print("told", file=sys.stderr)
    schema = {"type": "object", "properties": {"id": {"type": ["string", "null"], "default": None}}}
    find = {"method": "find", "description": "Find \"it\".\nNow.", "effect": "read", "input": schema, "output": None}
    refund = {"plugin": "app", "method": "refund", "effect": "write", "approval": "required", "timeout_seconds": 5,
              "secret_output": ["/card"], "input": {"type": "object"}}
    json.dump({"operations": [find, refund], "mcp_operations": [find]}, sys.stdout)
elif sys.argv[1:] == ["hang"]:
    log("hangs")
    if os.fork() == 0:
        time.sleep(60)
    time.sleep(60)
else:
    request = json.load(sys.stdin)
    log(request["method"])
    print(json.dumps({"output": {"card": "4711", "input": request["input"]}}))
"#;

fn program(describe: &str) -> Program {
    Program::new(env!("CARGO_BIN_EXE_opgate"), SCRIPT)
        .plugin_line(&format!("describe = [\"python3\", \"program.py\", {describe:?}]"))
}

/// The launch file with another allowlist.
fn allow(program: &Program, names: &str) {
    let launch = program.launch_file();
    let text =
        std::fs::read_to_string(&launch).expect("our own file").replace("allow = []", &format!("allow = [{names}]"));
    std::fs::write(launch.with_file_name("other.toml"), text).expect("our own file");
}

fn host(program: &Program, command: &str) -> test_host::Host {
    test_host::Host::new(env!("CARGO_BIN_EXE_opgate"))
        .arg(command)
        .arg(program.folder().join("other.toml"))
        .env("PROGRAM_LOG", program.folder().join("effects"))
}

#[test]
fn it_runs_once_at_launch_in_the_same_folder() {
    let program = program("describe");
    allow(&program, "\"app.find\"");
    let mut session = host(&program, "serve").spawn();
    session.initialize("2025-11-25");
    session.send(&message::list(1));
    let answer = session.answer_to(1);
    let tool = &answer.tools()[0];
    assert!(tool["description"].as_str().is_some_and(|text| text.starts_with("Find \"it\".\nNow.")), "{tool}");
    assert_eq!(tool["annotations"]["readOnlyHint"], json!(true));
    session.call(2, "operation_0", json!({"id": "7"}));
    assert_eq!(session.answer_to(2).output(), json!({"card": "4711", "input": {"id": "7"}}));
    session.close_input();
    let ended = session.wait();
    ended.assert_code(0);
    assert!(ended.stderr.contains("told"), "its standard error is ours: {}", ended.stderr);
    let folder = program.folder().file_name().expect("a name").to_string_lossy().into_owned();
    assert_eq!(program.effects(), [format!("describe in {folder}"), "find".to_owned()]);
}

#[test]
fn what_is_told_for_mcp_alone_is_what_mcp_may_reach() {
    let program = program("describe");
    allow(&program, "\"app.refund\"");
    host(&program, "serve").run().assert_refused(&["app.refund", "command line only"]);
    allow(&program, "");
    let called = host(&program, "call").args(["app", "find"]).text_output().run();
    called.assert_code(0);
    assert_eq!(called.text(), "{\"card\":\"4711\",\"input\":{}}\n");
}

#[test]
fn one_that_takes_longer_than_10_s_is_killed_with_its_group() {
    let program = program("hang");
    allow(&program, "");
    let began = Instant::now();
    let host = host(&program, "serve").deadline(Duration::from_secs(20));
    host.run().assert_refused(&["longer than 10 s", "plugins.app.describe", "application.toml:6:12"]);
    assert!(began.elapsed() < Duration::from_secs(14), "{:?}", began.elapsed());
}

#[test]
fn a_signal_while_it_runs_ends_it_and_its_group() {
    let program = program("hang");
    allow(&program, "");
    let mut session = host(&program, "serve").spawn();
    program.wait_for_effect("hangs");
    session.signal(test_host::Signal::TERM);
    session.wait().assert_code(0);
}
