//! What hosts give an entry as its streams: pipes, socket pairs, files, a terminal, pipes of another user, and all of it
//! without /proc. It serves on each, and changes none of them for those who share them.
#![expect(clippy::expect_used, reason = "what cannot be made or read fails the test")]
#![expect(clippy::disallowed_methods, reason = "these tests give the entry streams of their own")]

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::fs::OFlags;
use serde_json::{Value, json};
use test_host::{Fixture, message};

fn fixture() -> Fixture {
    Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["echo", "print"])
}

fn program() -> std::path::PathBuf {
    Path::new(env!("CARGO_BIN_EXE_opgate")).parent().expect("a folder").join("examples/fixture")
}

/// The whole of a short session: a handshake, a call, a ping.
fn requests() -> String {
    message::lines([
        message::initialize(1, "2025-11-25"),
        message::call(2, "operation_0", &json!({"text": "served"})),
        message::ping(3),
    ])
}

fn command(fixture: &Fixture) -> Command {
    let mut command = Command::new(program());
    command.arg("serve").arg(fixture.launch_file()).env_clear().env("FIXTURE_LOG", fixture.folder().join("effects"));
    command
}

/// Every line is a frame, and the three answers are among them.
fn assert_served(output: &str) {
    let frames: Vec<Value> = output
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("no frame: {line:?}")))
        .collect();
    for id in 1..=3 {
        assert_eq!(frames.iter().filter(|frame| frame["id"] == id).count(), 1, "{output}");
    }
    assert!(output.contains("served"), "{output}");
    assert!(frames.iter().all(|frame| frame["jsonrpc"] == "2.0"));
}

/// Waits for the end, at most 10 s.
fn end(mut child: Child) -> i32 {
    let deadline = Instant::now() + Duration::from_secs(10);
    loop {
        if let Some(status) = child.try_wait().expect("a child") {
            return status.code().expect("an exit status");
        }
        if Instant::now() > deadline {
            child.kill().expect("killed");
            panic!("it does not end");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn is_blocking(description: impl AsFd) -> bool {
    !rustix::fs::fcntl_getfl(description).expect("flags").contains(OFlags::NONBLOCK)
}

/// Serves over what `input` and `output` are, and looks at their shared descriptions afterwards.
fn serve(mut command: Command, input: OwnedFd, output: OwnedFd, mut host_in: impl Write, mut host_out: impl Read) {
    let (shared_in, shared_out) = (input.try_clone().expect("shared"), output.try_clone().expect("shared"));
    let child = command.stdin(input).stdout(output).stderr(Stdio::null()).spawn().expect("spawned");
    drop(command);
    host_in.write_all(requests().as_bytes()).expect("taken");
    drop(host_in);
    assert_eq!(end(child), 0);
    assert!(is_blocking(&shared_in) && is_blocking(&shared_out), "a shared description was changed");
    drop((shared_in, shared_out));
    let mut answers = String::new();
    host_out.read_to_string(&mut answers).expect("UTF-8");
    assert_served(&answers);
}

#[test]
fn pipes() {
    let fixture = fixture();
    let (theirs_in, ours_in) = io::pipe().expect("a pipe");
    let (ours_out, theirs_out) = io::pipe().expect("a pipe");
    serve(command(&fixture), theirs_in.into(), theirs_out.into(), ours_in, ours_out);
}

#[test]
fn socket_pairs() {
    let fixture = fixture();
    let (theirs_in, ours_in) = UnixStream::pair().expect("a pair");
    let (ours_out, theirs_out) = UnixStream::pair().expect("a pair");
    serve(command(&fixture), theirs_in.into(), theirs_out.into(), ours_in, ours_out);
}

#[test]
fn files() {
    let fixture = fixture();
    let (requested, answered) = (fixture.folder().join("requests"), fixture.folder().join("answers"));
    fs::write(&requested, requests()).expect("written");
    let output = File::create(&answered).expect("a file");
    let child = command(&fixture)
        .stdin(File::open(&requested).expect("a file"))
        .stdout(output)
        .stderr(Stdio::null())
        .spawn()
        .expect("spawned");
    assert_eq!(end(child), 0);
    assert_served(&fs::read_to_string(&answered).expect("UTF-8"));
}

#[test]
fn one_file_or_pipe_for_both_outputs_gets_frames_alone() {
    let fixture = fixture().switch("START", "print");
    let answered = fixture.folder().join("both");
    let both = File::create(&answered).expect("a file");
    let mut child = command(&fixture)
        .env("FIXTURE_START", "print")
        .stdin(Stdio::piped())
        .stdout(both.try_clone().expect("shared"))
        .stderr(both)
        .spawn()
        .expect("spawned");
    child.stdin.take().expect("a pipe").write_all(requests().as_bytes()).expect("taken");
    assert_eq!(end(child), 0);
    assert_served(&fs::read_to_string(&answered).expect("UTF-8"));

    let (mut ours, theirs) = io::pipe().expect("a pipe");
    let mut command = command(&fixture);
    command
        .env("FIXTURE_START", "print")
        .stdin(Stdio::piped())
        .stdout(theirs.try_clone().expect("shared"))
        .stderr(theirs);
    let mut child = command.spawn().expect("spawned");
    drop(command);
    child.stdin.take().expect("a pipe").write_all(requests().as_bytes()).expect("taken");
    let mut answers = String::new();
    ours.read_to_string(&mut answers).expect("UTF-8");
    assert_eq!(end(child), 0);
    assert_served(&answers);
}

#[test]
fn a_terminal() {
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};
    let fixture = fixture();
    let host = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
    grantpt(&host).expect("granted");
    unlockpt(&host).expect("unlocked");
    let name = ptsname(&host, Vec::new()).expect("a name").into_string().expect("UTF-8");
    let terminal = File::options().read(true).write(true).open(name).expect("the other side");
    let mut settings = tcgetattr(&terminal).expect("settings");
    settings.make_raw();
    tcsetattr(&terminal, OptionalActions::Now, &settings).expect("raw");

    let mut child = command(&fixture)
        .stdin(terminal.try_clone().expect("shared"))
        .stdout(terminal.try_clone().expect("shared"))
        .stderr(terminal.try_clone().expect("shared"))
        .spawn()
        .expect("spawned");
    let mut host = File::from(host);
    host.write_all(requests().as_bytes()).expect("taken");
    let mut answers = String::new();
    let mut lines = BufReader::new(host.try_clone().expect("shared"));
    while answers.lines().count() < 3 {
        assert!(lines.read_line(&mut answers).expect("UTF-8") > 0);
    }
    assert_served(&answers);
    assert!(is_blocking(&terminal), "a shared description was changed");
    rustix::process::kill_process(rustix::process::Pid::from_child(&child), rustix::process::Signal::TERM)
        .expect("signalled");
    assert_eq!(child.wait().expect("a child").code(), Some(0));
}

/// A program that needs to be root: it changes users or mounts. Without root or sudo the test fails, as it cannot tell.
fn as_root(program: &str) -> Command {
    if rustix::process::geteuid().is_root() {
        return Command::new(program);
    }
    let may =
        Command::new("sudo").args(["-n", "true"]).stderr(Stdio::null()).status().is_ok_and(|status| status.success());
    assert!(may, "this test needs root, or sudo without a password");
    let mut command = Command::new("sudo");
    command.args(["-n", "--preserve-env=FIXTURE_LOG", program]);
    command
}

#[test]
fn pipes_of_another_user() {
    let fixture = fixture();
    // The other user must be able to reach the program and the launch file.
    let folder = tempfile::tempdir().expect("a folder");
    let open = |path: &Path| fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("permitted");
    let (copy, launch) = (folder.path().join("fixture"), folder.path().join("launch.toml"));
    fs::copy(program(), &copy).expect("copied");
    fs::copy(fixture.launch_file(), &launch).expect("copied");
    [folder.path(), &copy, &launch].into_iter().for_each(open);
    let mut command = as_root("setpriv");
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(copy).arg("serve").arg(launch).env_clear();
    let (theirs_in, ours_in) = io::pipe().expect("a pipe");
    let (ours_out, theirs_out) = io::pipe().expect("a pipe");
    serve(command, theirs_in.into(), theirs_out.into(), ours_in, ours_out);
}

#[test]
fn without_proc() {
    let fixture = fixture();
    let mut command = as_root("unshare");
    command
        .args(["--mount", "sh", "-c", "mount -t tmpfs none /proc && exec \"$@\"", "sh"])
        .arg(program())
        .arg("serve")
        .arg(fixture.launch_file())
        .env("FIXTURE_LOG", fixture.folder().join("effects"));
    let (theirs_in, ours_in) = io::pipe().expect("a pipe");
    let (ours_out, theirs_out) = io::pipe().expect("a pipe");
    serve(command, theirs_in.into(), theirs_out.into(), ours_in, ours_out);
}
