//! What README.md shows is what there is: its commands run as written, its example is the example, its launch file is one.
#![expect(clippy::expect_used, reason = "what cannot be read or run fails the test")]

#[path = "readme/stock.rs"]
mod stock;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn readme() -> String {
    std::fs::read_to_string(root().join("README.md")).expect("README.md")
}

/// The contents of the fenced blocks of one language.
fn blocks(language: &str) -> Vec<String> {
    let readme = readme();
    let fence = format!("```{language}\n");
    readme
        .split(&fence)
        .skip(1)
        .map(|rest| rest.split("\n```").next().expect("a closing fence").to_owned() + "\n")
        .collect()
}

/// Runs a line of the README in a shell, with the programs that are already built in place of `cargo run`.
fn run(line: &str) -> Output {
    let programs: PathBuf = Path::new(env!("CARGO_BIN_EXE_opgate")).parent().expect("a folder").to_owned();
    let (package, arguments) =
        line.strip_prefix("cargo run -p ").and_then(|line| line.split_once(" -- ")).expect("cargo run -p NAME -- ..");
    let program = programs.join(package);
    assert!(program.exists(), "{package} is not built: run cargo test --workspace");
    #[expect(clippy::disallowed_methods, reason = "a test starts programs")]
    Command::new("sh")
        .arg("-c")
        .arg(format!("{} {arguments}", program.display()))
        .current_dir(root())
        // cargo sets it for this test's package; `cargo run -p` sets it for another.
        .env("CARGO_MANIFEST_DIR", root().join("examples").join(package))
        .envs([("TASK_DATABASE", "sqlite:no-such-file.db"), ("TASK_SESSION", "ts_not-a-session")])
        .output()
        .expect("a shell")
}

#[test]
fn every_command_works_as_written() {
    let blocks = blocks("sh");
    let lines: Vec<&str> = blocks.iter().flat_map(|block| block.lines()).collect();
    let mut ran = 0;
    for line in lines {
        if line == "tests/run" {
            assert!(root().join(line).exists());
            continue;
        }
        // tests/ten_minutes.rs takes that path.
        if line.starts_with("opgate ") {
            continue;
        }
        let output = run(line);
        assert!(output.status.success(), "{line}: {output:?}");
        assert!(!output.stdout.is_empty(), "{line} prints nothing");
        ran += 1;
    }
    assert!(ran >= 4, "only {ran} commands were found");
}

#[test]
fn the_example_is_the_hello_application() {
    let source = std::fs::read_to_string(root().join("examples/hello/src/main.rs")).expect("hello");
    let shown = blocks("rust").into_iter().next().expect("a Rust example");
    assert!(source.ends_with(&shown), "README.md and examples/hello/src/main.rs differ");
}

#[test]
fn the_binding_example_is_compiled() {
    let source = std::fs::read_to_string(root().join("tests/readme/stock.rs")).expect("the application around it");
    let shown = blocks("rust").into_iter().nth(1).expect("a second Rust example");
    assert!(source.ends_with(&shown), "README.md and tests/readme/stock.rs differ");
}

#[test]
fn the_launch_file_that_is_shown_is_valid() {
    let folder = tempfile::tempdir().expect("a folder");
    let launch = folder.path().join("launch.toml");
    let shown = blocks("toml").into_iter().find(|block| block.contains("[limits]")).expect("a launch file");
    std::fs::write(&launch, shown).expect("written");
    let output = run(&format!("cargo run -p tasks -- check {}", launch.display()));
    assert!(output.status.success(), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("operation_1  tasks.query"), "{output:?}");
}

#[test]
fn the_configuration_of_each_host_is_what_host_config_prints() {
    let program = Path::new(env!("CARGO_BIN_EXE_opgate")).with_file_name("tasks");
    let shown = |path: &Path| path.canonicalize().expect("a path").to_str().expect("text").to_owned();
    let paths = [
        (shown(&program), "/absolute/path/to/tasks"),
        (shown(&root().join("config/tasks.toml")), "/absolute/path/to/tasks.toml"),
    ];
    for host in ["claude-desktop", "claude-code", "cursor", "vscode", "codex"] {
        let output = run(&format!("cargo run -p tasks -- host-config config/tasks.toml --host {host}"));
        let printed = String::from_utf8(output.stdout).expect("text");
        let printed = paths.iter().fold(printed, |text, (path, placeholder)| text.replace(path, placeholder));
        assert!(printed.contains("/absolute/path/to/tasks.toml"), "{printed}");
        assert!(readme().contains(&format!("\n{printed}```")), "README.md lacks what is for {host}:\n{printed}");
    }
}
