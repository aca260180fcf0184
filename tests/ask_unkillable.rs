//! An asker that became another user's cannot be ended by us: the answer is no all the same, and nobody waits for it.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;
use test_host::{Fixture, Host};

const US: u32 = 65_533;
const THEM: u32 = 65_534;

#[test]
fn it_is_left_behind() {
    assert!(rustix::process::getuid().is_root(), "this test needs root");
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    let permit = |name: &str, mode| fs::set_permissions(path(name), Permissions::from_mode(mode)).expect("our own");
    permit(".", 0o777);
    let fixture = Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["remove"]);
    fs::copy(fixture.program(), path("fixture")).expect("copied");
    permit("fixture", 0o755);
    // As sudo does it: a program that is root for a moment, and then somebody else.
    fs::copy("/usr/bin/setpriv", path("sudo")).expect("copied");
    permit("sudo", 0o4755);
    let launch = format!(
        "allow = [\"fixture.remove\"]\n[binding.confirm]\nask = \"program\"\ntimeout_seconds = 1\ncommand = [\"./sudo\", \"--reuid={THEM}\", \"--clear-groups\", \"/bin/sleep\", \"3\"]\n"
    );
    fs::write(path("launch.toml"), launch).expect("written");
    permit("launch.toml", 0o644);
    let mut session = Host::new("/usr/bin/setpriv")
        .args([format!("--reuid={US}"), format!("--regid={US}"), "--clear-groups".to_owned()])
        .arg(path("fixture"))
        .arg("serve")
        .arg(path("launch.toml"))
        .spawn();
    session.initialize("2025-11-25");
    session.call(1, "operation_0", json!({"id": "A-7"}));
    session.answer_to(1).assert_failure("confirmation-required", "confirm", "not-started");
    assert!(session.stderr().contains("cannot be ended"), "{}", session.stderr());
    // It ends by itself, and is reaped.
    let until = Instant::now() + Duration::from_secs(10);
    while !children(session.id()).is_empty() {
        assert!(Instant::now() < until, "left: {}", children(session.id()));
        thread::sleep(Duration::from_millis(20));
    }
    session.close();
}

/// The processes that a process started, zombies included.
fn children(process: u32) -> String {
    let threads = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok()).collect()
}
