//! The smallest application greets, over MCP.

use std::path::Path;

use serde_json::json;
use test_host::Host;

#[test]
fn a_person_is_greeted_by_name() {
    let launch = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../config/hello.toml");
    let mut session = Host::new(env!("CARGO_BIN_EXE_hello")).arg("serve").arg(launch).spawn();
    session.initialize("2025-11-25");
    session.call(1, "operation_0", json!({"name": "Ann"}));
    assert_eq!(session.answer_to(1).output(), json!("Hello, Ann!"));
    session.call(2, "operation_0", json!({"name": ""}));
    session.answer_to(2).assert_failure("invalid-input", "input", "not-started");
    session.close();
}
