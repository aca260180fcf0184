//! A program that failed can say that it changed nothing; then, and where an operation only reads, nobody is told to look
//! at the state first.

use serde_json::json;
use test_host::Program;

const SCRIPT: &str = r#"
import json, sys
request = json.load(sys.stdin)
error = {"code": "not-found", "message": "No such order"}
if "changed" in request["input"]:
    error["changed"] = request["input"]["changed"]
json.dump({"error": error}, sys.stdout)
"#;

#[test]
fn the_outcome_is_what_the_program_says_it_is() {
    let program = Program::new(env!("CARGO_BIN_EXE_opgate"), SCRIPT)
        .operation("refund", "effect = \"write\"")
        .operation("find", "effect = \"read\"");
    let mut session = program.initialized();
    let look = "No such order. Look at the state before repeating the call.";
    for (id, method, input, outcome, message) in [
        (1, "refund", json!({}), "unknown", look),
        (2, "refund", json!({"changed": true}), "unknown", look),
        (3, "refund", json!({"changed": false}), "not-started", "No such order"),
        (4, "find", json!({}), "unknown", "No such order"),
    ] {
        session.call(id, &program.tool(method), input);
        let diagnostic = session.answer_to(id).assert_failure("not-found", "invoke", outcome);
        assert_eq!(diagnostic["message"], message, "{diagnostic}");
    }
    session.call(5, &program.tool("refund"), json!({"changed": "no"}));
    session.answer_to(5).assert_failure("invocation-failed", "invoke", "unknown");
    session.close();
}
