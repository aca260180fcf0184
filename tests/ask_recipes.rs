//! The recipes of `examples/ask` do what they say. Desktop dialogs are stood in for by programs that speak their protocol:
//! no screen is needed to see what is asked and what becomes of the answer.
#![expect(clippy::expect_used, reason = "a test that cannot do its part fails")]
#![expect(clippy::disallowed_methods, reason = "a test starts programs")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use serde_json::json;
use test_host::Fixture;

const OWNER: u32 = 65_533;

/// Stands in for zenity: Allow only if the prompt is there, and the switch file says so.
const ZENITY: &str = "#!/bin/sh
[ \"$1\" = --text-info ] || exit 9
cat >seen
grep -q 'operation  fixture.remove' seen || exit 9
[ -e allow ]
";

/// Stands in for a pinentry.
const PINENTRY: &str = "#!/usr/bin/env python3
import os, sys
print('OK Pleased to meet you', flush=True)
seen = open('seen', 'w')
for line in sys.stdin:
    seen.write(line)
    seen.flush()
    if line.startswith('CONFIRM') and not os.path.exists('allow'):
        print('ERR 83886179 Operation cancelled <Pinentry>', flush=True)
    else:
        print('OK', flush=True)
";

fn recipe(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/ask").join(name)
}

fn fixture(command: &[&str]) -> Fixture {
    let command = serde_json::to_string(command).expect("JSON is TOML here");
    Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["remove"])
        .private()
        .line(&format!("[binding.confirm]\nask = \"program\"\ntimeout_seconds = 20\ncommand = {command}"))
}

fn script(fixture: &Fixture, name: &str, text: &str) {
    let path = fixture.folder().join(name);
    fs::write(&path, text).expect("our own folder");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("our own file");
}

/// Calls twice: once while the stand-in says no, once while it says yes.
fn no_then_yes(fixture: Fixture) {
    let path = format!("{}:{}", fixture.folder().display(), std::env::var_os("PATH").unwrap_or_default().display());
    let fixture = fixture.env("PATH", &path);
    let mut session = fixture.initialized();
    session.call(1, "operation_0", json!({"id": "A-7"}));
    session.answer_to(1).assert_failure("confirmation-required", "confirm", "not-started");
    fs::write(fixture.folder().join("allow"), "").expect("our own folder");
    session.call(2, "operation_0", json!({"id": "50 %\n"}));
    assert_eq!(session.answer_to(2).output(), json!("50 %\n"));
    assert_eq!(fixture.count("remove "), 1);
    session.close();
    let seen = fs::read_to_string(fixture.folder().join("seen")).expect("it was asked");
    assert!(seen.contains("fixture.remove") && seen.contains("Remove one thing for good."), "{seen}");
}

#[test]
fn zenity() {
    let fixture = fixture(&[&recipe("zenity.py").display().to_string()]);
    script(&fixture, "zenity", ZENITY);
    no_then_yes(fixture);
}

#[test]
fn pinentry() {
    let fixture = fixture(&[&recipe("pinentry.py").display().to_string(), "./pinentry"]);
    script(&fixture, "pinentry", PINENTRY);
    no_then_yes(fixture);
}

#[test]
fn a_dialog_that_is_not_there_means_no() {
    for command in [vec![recipe("zenity.py")], vec![recipe("pinentry.py"), "/no/such/pinentry".into()]] {
        let command: Vec<_> = command.iter().map(|word| word.display().to_string()).collect();
        let fixture = fixture(&command.iter().map(String::as_str).collect::<Vec<_>>());
        let mut session = fixture.initialized();
        session.call(1, "operation_0", json!({"id": "A-7"}));
        session.answer_to(1).assert_failure("confirmation-required", "confirm", "not-started");
        assert_eq!(fixture.count("remove "), 0);
        session.close();
    }
}

/// `setpriv` where a real launch has `sudo`.
fn as_owner() -> [String; 4] {
    assert!(rustix::process::getuid().is_root(), "this test needs root");
    let ids = [format!("--reuid={OWNER}"), format!("--regid={OWNER}")];
    let [user, group] = ids;
    ["/usr/bin/setpriv".to_owned(), user, group, "--clear-groups".to_owned()]
}

fn owner(script: &Path, folder: &Path, arguments: &[&str]) -> Output {
    let [setpriv, rest @ ..] = as_owner();
    Command::new(setpriv).args(rest).arg(script).arg(folder).args(arguments).output().expect("setpriv")
}

#[test]
fn another_user() {
    let shared = tempfile::tempdir().expect("a folder");
    let (script, folder) = (shared.path().join("owner.py"), shared.path().join("owner"));
    fs::copy(recipe("owner.py"), &script).expect("copied");
    fs::set_permissions(shared.path(), fs::Permissions::from_mode(0o755)).expect("our own");
    fs::create_dir(&folder).expect("made");
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).expect("our own");
    std::os::unix::fs::chown(&folder, Some(OWNER), Some(OWNER)).expect("root may");
    let mut command = as_owner().to_vec();
    command.extend([script.display().to_string(), folder.display().to_string(), "ask".to_owned()]);
    let fixture = fixture(&command.iter().map(String::as_str).collect::<Vec<_>>());
    let mut session = fixture.initialized();
    for (id, word, expected) in [(1, "no", 0), (2, "yes", 1)] {
        session.call(id, "operation_0", json!({"id": "A-7"}));
        let until = Instant::now() + Duration::from_secs(10);
        let name = loop {
            let shown = String::from_utf8(owner(&script, &folder, &["pending"]).stdout).expect("text");
            if let Some((name, text)) = shown.split_once(":\n")
                && text.contains("operation  fixture.remove")
            {
                break name.to_owned();
            }
            assert!(Instant::now() < until, "nothing waits: {shown}");
        };
        assert!(owner(&script, &folder, &[word, &name]).status.success());
        let _ = session.answer_to(id);
        assert_eq!(fixture.count("remove "), expected, "{word}");
    }
    assert_eq!(fs::read_dir(&folder).expect("a folder").count(), 0, "nothing is left");
    // Somebody else's folder is no place to ask in.
    let other = shared.path().join("other");
    fs::create_dir(&other).expect("made");
    assert!(!owner(&script, &other, &["pending"]).status.success());
    session.close();
}
