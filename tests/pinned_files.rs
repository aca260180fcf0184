//! A pinned file is looked at when opgate starts and before each start of a program,
//! also of one that is asked: one that differs runs nothing.

use serde_json::json;
use sha2::{Digest, Sha256};
use test_host::{Fixture, Program};

const SCRIPT: &str = include_str!("process/observes.py");

fn digest(text: &str) -> String {
    let hex: Vec<String> = Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{}", hex.concat())
}

fn program(digest: &str) -> Program {
    Program::new(env!("CARGO_BIN_EXE_opgate"), SCRIPT)
        .operations(&["work"])
        .launch_line("[pins.files]")
        .launch_line(&format!("\"program.py\" = {digest:?}"))
}

#[test]
fn a_file_that_changes_under_a_running_entry_is_not_run() {
    let program = program(&digest(SCRIPT));
    let mut session = program.initialized();
    let work = json!({"seconds": 0});
    session.call(1, "operation_0", work.clone());
    assert_eq!(session.answer_to(1).output(), json!("worked"));
    program.file("program.py", &format!("{SCRIPT}\n# changed\n"));
    session.call(2, "operation_0", work.clone());
    session.answer_to(2).assert_failure("initialization-failed", "invoke", "not-started");
    program.file("program.py", SCRIPT);
    session.call(3, "operation_0", work);
    assert_eq!(session.answer_to(3).output(), json!("worked"));
    session.close_input();
    let ended = session.wait();
    ended.assert_code(0);
    assert!(ended.stderr.contains("its content is not what was pinned"), "{}", ended.stderr);
    assert_eq!(program.effects(), ["begins", "commits", "begins", "commits"]);
}

#[test]
fn a_file_that_differs_at_launch_refuses_it_with_the_digest_that_is_there() {
    let program = program(&digest("something else"));
    program.host().run().assert_refused(&["launch.toml:5:16:", "pins.files.\"program.py\"", &digest(SCRIPT)]);
    let program = self::program("sha256:short");
    program.host().run().assert_refused(&["launch.toml:5:16:", "64 hexadecimal digits", "sha256sum"]);
    let program = self::program(&digest(SCRIPT));
    let launch = program.launch_file();
    std::fs::remove_file(program.folder().join("program.py")).expect("our own file");
    let host = test_host::Host::new(env!("CARGO_BIN_EXE_opgate")).arg("serve").arg(launch);
    host.run().assert_refused(&["launch.toml:5:16:", "cannot be read"]);
}

#[test]
fn a_program_that_is_asked_is_not_started_when_a_pinned_file_differs() {
    const ASKER: &str = "echo asked >>asked; echo yes";
    let fixture = Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["remove"])
        .line("[binding.confirm]\nask = \"program\"\ncommand = [\"/bin/sh\", \"asker.sh\"]\n[pins.files]")
        .line(&format!("\"asker.sh\" = {:?}", digest(ASKER)));
    let asker = fixture.folder().join("asker.sh");
    std::fs::write(&asker, ASKER).expect("our own folder");
    let mut session = fixture.initialized();
    session.call(1, "operation_0", json!({"id": "A-7"}));
    assert_eq!(session.answer_to(1).output(), json!("A-7"));
    std::fs::write(&asker, format!("{ASKER} # changed")).expect("our own folder");
    session.call(2, "operation_0", json!({"id": "A-8"}));
    session.answer_to(2).assert_failure("confirmation-required", "confirm", "not-started");
    session.close_input();
    let ended = session.wait();
    ended.assert_code(0);
    assert!(ended.stderr.contains("its content is not what was pinned"), "{}", ended.stderr);
    assert_eq!(std::fs::read_to_string(fixture.folder().join("asked")).expect("asked once"), "asked\n");
}
