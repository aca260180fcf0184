//! A launch file means the same wherever opgate is started: from the root, from a folder that is gone, and from one that
//! has other files of the same names.
#![expect(clippy::expect_used, reason = "what cannot be made fails the test")]

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

use test_host::Program;

/// Names itself.
const SCRIPT: &str = "import json, sys\njson.load(sys.stdin)\nprint(json.dumps({'output': 'the right one'}))\n";
const WRONG: &str = "print('{\"output\": \"the wrong one\"}')\n";

fn call(launch: &Path, folder: &Path) -> Output {
    // The shell goes into the folder and, if it is to be gone, removes it.
    let script =
        "cd \"$1\" && { [ \"$1\" = / ] || [ -e \"$1/program.py\" ] || rmdir \"$1\"; }; exec \"$0\" call \"$2\" app who";
    #[expect(clippy::disallowed_methods, reason = "a test starts programs")]
    Command::new("sh")
        .args(["-c", script, env!("CARGO_BIN_EXE_opgate")])
        .arg(folder)
        .arg(launch)
        .env("PROGRAM_LOG", "unused")
        .output()
        .expect("a shell")
}

#[test]
fn from_the_root_a_deleted_folder_and_one_with_files_of_the_same_names() {
    let program = Program::new(env!("CARGO_BIN_EXE_opgate"), SCRIPT)
        .plugin("command = [\"./run.sh\", \"program.py\"]\n")
        .operations(&["who"]);
    let elsewhere = tempfile::tempdir().expect("a folder");
    let runs = "#!/bin/sh\nexec python3 \"$1\"\n";
    for (folder, text) in [(program.folder(), runs), (elsewhere.path(), "#!/bin/sh\nexit 9\n")] {
        std::fs::write(folder.join("run.sh"), text).expect("written");
        std::fs::set_permissions(folder.join("run.sh"), PermissionsExt::from_mode(0o755)).expect("our own");
    }
    for name in ["program.py", "application.toml", "launch.toml"] {
        std::fs::write(elsewhere.path().join(name), WRONG).expect("written");
    }
    let gone = tempfile::tempdir().expect("a folder");
    let gone = gone.path().join("gone");
    std::fs::create_dir(&gone).expect("a folder");
    let launch = program.launch_file();
    for folder in [Path::new("/"), &gone, elsewhere.path(), program.folder()] {
        let output = call(&launch, folder);
        assert!(output.status.success(), "{}: {output:?}", folder.display());
        assert_eq!(String::from_utf8_lossy(&output.stdout), "\"the right one\"\n", "{}", folder.display());
    }
    assert!(!gone.exists());
    // A relative name is the caller's own.
    let name = launch.file_name().map(Path::new).expect("a name");
    assert!(call(name, program.folder()).status.success());
}
