//! MCP's own conformance suite: both frozen sets of requirements pass, but for what `expected-failures.yml` gives a reason for.

use std::path::Path;

use test_host::clients;

const BINARY: &str = env!("CARGO_BIN_EXE_opgate");

#[test]
fn only_what_is_expected_fails() {
    let application = Path::new(BINARY).with_file_name("examples").join("conformance");
    assert!(application.exists(), "{} is missing: cargo build --example conformance", application.display());
    let launch = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients/conformance/launch.toml");
    let ended = clients::conformance(BINARY).arg(application).arg("serve").arg(launch).run();
    assert!(!ended.text().contains("PROBLEM"), "{}", ended.text());
    ended.assert_code(0);
    for revision in ["2026-07-28", "2025-11-25"] {
        let line = ended.text().lines().find(|line| line.starts_with(revision));
        assert!(line.is_some_and(|line| line.ends_with(" 0 failed")), "{}", ended.text());
    }
}
