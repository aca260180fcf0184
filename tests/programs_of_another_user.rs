//! A program that became another user's cannot be ended by us. Nobody waits for it beyond its time, and nothing is said to
//! have ended that has not.
#![expect(clippy::expect_used, reason = "what cannot be made fails the test")]

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use test_host::{Ended, Host, Session};

const US: u32 = 65_533;
const THEM: u32 = 65_534;
const OPERATION: &str = "\n[[operations]]\nplugin = \"app\"\nmethod = \"run\"\n";

/// An entry of ours whose program becomes theirs, and then this script.
fn entry(folder: &Path, script: &str, lines: &str) -> Session {
    assert!(rustix::process::getuid().is_root(), "this test needs root");
    let permit =
        |name: &str, mode| fs::set_permissions(folder.join(name), Permissions::from_mode(mode)).expect("our own");
    permit(".", 0o777);
    fs::copy(env!("CARGO_BIN_EXE_opgate"), folder.join("opgate")).expect("copied");
    permit("opgate", 0o755);
    // As sudo does it: a program that is root for a moment, and then somebody else.
    fs::copy("/usr/bin/setpriv", folder.join("sudo")).expect("copied");
    permit("sudo", 0o4755);
    let application = format!(
        "name = \"app\"\n[plugins.app]\ncommand = [\"./sudo\", \"--reuid={THEM}\", \"--clear-groups\", \"/bin/sh\", \"script\"]\n{lines}input = {{ type = \"object\" }}\n"
    );
    let launch = "application = \"application.toml\"\nallow = [\"app.run\"]\n";
    for (name, text) in [("application.toml", application.as_str()), ("launch.toml", launch), ("script", script)] {
        fs::write(folder.join(name), text).expect("written");
        permit(name, 0o644);
    }
    let mut session = Host::new("/usr/bin/setpriv")
        .args([format!("--reuid={US}"), format!("--regid={US}"), "--clear-groups".to_owned()])
        .arg(folder.join("opgate"))
        .arg("serve")
        .arg(folder.join("launch.toml"))
        .spawn();
    session.initialize("2025-11-25");
    session
}

/// Ends the entry, and then what it left behind.
fn ends_within(mut session: Session, time: Duration, folder: &Path) -> Ended {
    let until = Instant::now() + time;
    session.close_input();
    let status = format!("/proc/{}/stat", session.id());
    while fs::read_to_string(&status).is_ok_and(|status| !status.contains(") Z ")) {
        assert!(Instant::now() < until, "it still waits for its program");
        thread::sleep(Duration::from_millis(10));
    }
    let left = fs::read_to_string(folder.join("pid")).expect("it was started");
    let left = left.trim().parse().ok().and_then(Pid::from_raw).expect("a process");
    kill_process(left, Signal::KILL).expect("it still runs");
    let ended = session.wait();
    ended.assert_code(0);
    ended
}

/// One after the other: a program that is being copied while another thread starts one cannot be executed.
#[test]
fn nobody_waits_for_it() {
    a_call_over_its_time_is_answered_and_its_program_left_behind();
    a_worker_does_not_keep_the_adapter();
}

fn a_call_over_its_time_is_answered_and_its_program_left_behind() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut session =
        entry(folder.path(), "echo $$ >pid\nexec sleep 30\n", &format!("{OPERATION}timeout_seconds = 1\n"));
    let began = Instant::now();
    session.call(1, "operation_0", json!({}));
    let failed = session.answer_to(1).assert_failure("invocation-failed", "invoke", "unknown");
    assert!(failed["message"].as_str().is_some_and(|message| message.contains("could not be ended")), "{failed}");
    assert!(began.elapsed() < Duration::from_millis(3500), "{:?}", began.elapsed());
    let ended = ends_within(session, Duration::from_secs(1), folder.path());
    assert!(ended.stderr.contains("left behind") && !ended.stderr.contains("killed"), "{}", ended.stderr);
}

fn a_worker_does_not_keep_the_adapter() {
    let folder = tempfile::tempdir().expect("a folder");
    // It answers the call that it reads, and ends when it wants to.
    let script = r#"read line
call=${line#*\"call\":}
call=${call%%,*}
echo "{\"output\":1,\"call\":$call}"
echo $$ >pid
exec sleep 30
"#;
    let mut session = entry(folder.path(), script, &format!("mode = \"worker\"\n{OPERATION}"));
    session.call(1, "operation_0", json!({}));
    assert_eq!(session.answer_to(1).output(), json!(1));
    let ended = ends_within(session, Duration::from_secs(4), folder.path());
    assert!(ended.stderr.contains("left behind"), "{}", ended.stderr);
}
