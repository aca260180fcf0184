//! The folder of the prompts is this user's alone: others can neither see nor answer them, and a folder that is not right
//! is not used.
#![expect(clippy::expect_used, reason = "a test that cannot do its part fails")]

use std::fs::{self, Permissions};
use std::io::{Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::json;
use test_host::{Fixture, Host, Signal};

/// A user without a session folder, so that prompts go to the temporary folder.
const OTHER: u32 = 65_533;
const NOBODY: u32 = 65_534;

/// The fixture, run as [`OTHER`], with everything it needs where that user can reach it.
struct AsOther {
    fixture: Fixture,
    folder: PathBuf,
}

impl AsOther {
    fn new() -> Self {
        assert!(rustix::process::getuid().is_root(), "this test needs root");
        let fixture = Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["remove"])
            .private()
            .line("[binding.confirm]\nask = \"terminal\"");
        let folder = fixture.folder().join(format!("opgate-{OTHER}"));
        let program = fixture.folder().join("fixture");
        fs::copy(fixture.program(), &program).expect("copied");
        fs::set_permissions(&program, Permissions::from_mode(0o755)).expect("our own");
        fs::write(fixture.folder().join("effects"), "").expect("written");
        let _ = fixture.launch_file();
        std::os::unix::fs::chown(fixture.folder(), Some(OTHER), Some(OTHER)).expect("root may");
        std::os::unix::fs::chown(fixture.folder().join("effects"), Some(OTHER), Some(OTHER)).expect("root may");
        fs::set_permissions(fixture.folder(), Permissions::from_mode(0o755)).expect("our own");
        Self { fixture, folder }
    }

    fn run(&self, arguments: &[&str]) -> Host {
        let ids = [format!("--reuid={OTHER}"), format!("--regid={OTHER}"), "--clear-groups".to_owned()];
        Host::new("setpriv")
            .args(ids)
            .arg(self.fixture.folder().join("fixture"))
            .args(arguments)
            .env("TMPDIR", self.fixture.folder())
            .env("FIXTURE_LOG", self.fixture.folder().join("effects"))
    }

    fn serve(&self) -> Host {
        self.run(&["serve", &self.fixture.launch_file().display().to_string()])
    }
}

fn connect_as(user: u32, socket: &Path, say: &str) -> String {
    let script = "import socket,sys\ns=socket.socket(socket.AF_UNIX)\ns.settimeout(5)\ntry:\n s.connect(sys.argv[1])\n s.sendall(sys.argv[2].encode()+b'\\n')\n print(s.recv(65536).decode())\nexcept OSError as e:\n print('refused', type(e).__name__)";
    #[expect(clippy::disallowed_methods, reason = "a test starts programs")]
    let output = Command::new("setpriv")
        .args([format!("--reuid={user}"), format!("--regid={user}"), "--clear-groups".to_owned()])
        .args(["/usr/bin/env", "python3", "-c", script])
        .arg(socket)
        .arg(say)
        .stderr(Stdio::null())
        .output()
        .expect("setpriv");
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

#[test]
fn another_user_is_turned_away_even_where_the_folder_lets_them_in() {
    let other = AsOther::new();
    let mut session = other.serve().spawn();
    session.initialize("2025-11-25");
    session.call(1, "operation_0", json!({"id": "A-7"}));
    let socket = loop {
        let entries = fs::read_dir(&other.folder).into_iter().flatten().flatten();
        let mut names = entries.filter(|entry| !entry.file_name().to_string_lossy().starts_with('.'));
        if let Some(entry) = names.next() {
            break entry.path();
        }
    };
    let metadata = other.folder.metadata().expect("there");
    assert_eq!((metadata.uid(), metadata.mode() & 0o7777), (OTHER, 0o700));
    let shown = connect_as(OTHER, &socket, "show");
    let digest = shown.split("\"digest\":\"").nth(1).and_then(|rest| rest.get(..16)).expect("a digest").to_owned();
    assert!(connect_as(NOBODY, &socket, "show").starts_with("refused"), "the folder is closed");
    fs::set_permissions(&other.folder, Permissions::from_mode(0o777)).expect("root may");
    fs::set_permissions(&socket, Permissions::from_mode(0o777)).expect("root may");
    for line in ["show".to_owned(), format!("allow {digest}")] {
        let told = connect_as(NOBODY, &socket, &line);
        assert!(told.is_empty() || told.starts_with("refused"), "{told}");
        // Not even root, which has better ways.
        let mut stream = UnixStream::connect(&socket).expect("root may");
        let _ = stream.write_all(format!("{line}\n").as_bytes());
        let mut reply = String::new();
        let _ = stream.read_to_string(&mut reply);
        assert_eq!(reply, "");
    }
    session.assert_quiet(Duration::from_millis(200));
    let told = connect_as(OTHER, &socket, "allow 0000000000000000");
    assert!(told.contains("another prompt"), "{told}");
    let told = connect_as(OTHER, &socket, &format!("allow {digest}"));
    assert!(told.contains("answered") && told.contains("yes"), "{told}");
    assert_eq!(session.answer_to(1).output(), json!("A-7"));
    session.close();
}

#[test]
fn a_folder_that_is_not_right_refuses_the_launch_and_is_not_looked_into() {
    for wrong in ["mode", "owner", "link", "file", "parent"] {
        let other = AsOther::new();
        let make = || fs::create_dir(&other.folder).expect("made");
        let own = |user| std::os::unix::fs::chown(&other.folder, Some(user), Some(user)).expect("root may");
        let mode = |path: &Path, mode| fs::set_permissions(path, Permissions::from_mode(mode)).expect("root may");
        match wrong {
            "mode" => {
                make();
                own(OTHER);
                mode(&other.folder, 0o750);
            }
            "owner" => {
                make();
                own(NOBODY);
                mode(&other.folder, 0o700);
            }
            "link" => {
                let target = other.fixture.folder().join("target");
                fs::create_dir(&target).expect("made");
                std::os::unix::fs::chown(&target, Some(OTHER), Some(OTHER)).expect("root may");
                mode(&target, 0o700);
                symlink(&target, &other.folder).expect("a link");
            }
            "file" => fs::write(&other.folder, "").expect("written"),
            _ => mode(other.fixture.folder(), 0o777),
        }
        other.serve().run().assert_refused(&["binding.confirm.ask: ", &format!("opgate-{OTHER}")]);
        if wrong != "parent" {
            let pending = other.run(&["pending"]).text_output().run();
            pending.assert_code(1);
            assert!(pending.stderr.contains("is not looked into"), "{wrong}: {}", pending.stderr);
        }
    }
}

#[test]
fn stale_sockets_are_swept_by_whoever_comes_next() {
    let fixture = Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["remove"])
        .private()
        .line("[binding.confirm]\nask = \"terminal\"");
    let user = rustix::process::getuid().as_raw();
    let folder = fixture.folder().join(format!("opgate-{user}"));
    let folder = if Path::new(&format!("/run/user/{user}")).exists() {
        PathBuf::from(format!("/run/user/{user}/opgate"))
    } else {
        folder
    };
    let mut session = fixture.initialized();
    session.call(1, "operation_0", json!({"id": "A-7"}));
    let first = fixture.wait_for_prompt(&session);
    session.signal(Signal::KILL);
    while session.runs() {
        std::thread::sleep(Duration::from_millis(2));
    }
    let stale = folder.join(first["id"].as_str().unwrap_or_default());
    assert!(stale.exists(), "{}", stale.display());
    // A socket that somebody listens to is left alone, whatever it is.
    let foreign = folder.join("ffffffffffffffffffffffffffffffff");
    let _listener = UnixListener::bind(&foreign).expect("a socket");
    let mut session = fixture.initialized();
    session.call(1, "operation_0", json!({"id": "A-7"}));
    while session.runs() && stale.exists() {
        std::thread::sleep(Duration::from_millis(2));
    }
    assert!(foreign.exists() && !stale.exists());
    fs::remove_file(&foreign).expect("our own");
    session.close();
}

#[test]
fn a_session_folder_comes_before_the_temporary_one() {
    assert!(rustix::process::getuid().is_root(), "this test needs root");
    let fixture = Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["remove"])
        .private()
        .line("[binding.confirm]\nask = \"terminal\"");
    let mount = "mount -t tmpfs none /run/user && mkdir -m 700 /run/user/0 && exec \"$@\"";
    let mut session = Host::new("unshare")
        .args(["--mount", "sh", "-c", mount, "sh"])
        .arg(fixture.program())
        .arg("serve")
        .arg(fixture.launch_file())
        .env("FIXTURE_LOG", fixture.folder().join("effects"))
        .env("TMPDIR", fixture.folder())
        .spawn();
    session.initialize("2025-11-25");
    session.call(1, "operation_0", json!({"id": "A-7"}));
    fixture.wait_for_effect("start");
    let inside = || Host::new("nsenter").args(["--mount", "--target", &session.id().to_string()]).text_output();
    let desk = |arguments: &[&str]| inside().arg(fixture.program()).args(arguments).run();
    let (id, entries) = loop {
        // Whatever TMPDIR is in that terminal.
        let listed: serde_json::Value = serde_json::from_str(desk(&["pending", "--json"]).text()).expect("JSON");
        if let Some(id) = listed["prompts"][0]["id"].as_str() {
            let listed = inside().args(["ls", "-A", "/run/user/0/opgate"]).run();
            break (id.to_owned(), listed.text().lines().count());
        }
    };
    assert_eq!(entries, 1);
    assert!(!fixture.folder().join("opgate-0").exists());
    desk(&["allow", &id]).assert_code(0);
    assert_eq!(session.answer_to(1).output(), json!("A-7"));
    session.close();
}
