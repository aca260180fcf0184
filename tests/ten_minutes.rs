//! The path of README.md for an application in any language, as a newcomer goes it: a new folder, a short script, `init`,
//! `check`, `try`.
#![expect(clippy::expect_used, reason = "what cannot be made fails the test")]

use std::path::Path;
use std::process::{Command, Output};

/// The first block of that language behind `behind`.
fn block(behind: &str, language: &str) -> String {
    let readme = include_str!("../README.md");
    let rest = readme.split_once(behind).expect("that text").1;
    let rest = rest.split_once(&format!("```{language}\n")).expect("that block").1;
    rest.split_once("\n```").expect("its end").0.to_owned() + "\n"
}

fn run(line: &str, folder: &Path) -> Output {
    let opgate = Path::new(env!("CARGO_BIN_EXE_opgate")).parent().expect("a folder");
    let path = format!("{}:{}", opgate.display(), std::env::var_os("PATH").expect("a PATH").to_string_lossy());
    #[expect(clippy::disallowed_methods, reason = "a test starts programs")]
    Command::new("sh").args(["-c", line]).env("PATH", path).current_dir(folder).output().expect("a shell")
}

#[test]
fn a_newcomer_gets_to_an_answer() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = block("`greeter.py`", "python");
    assert!(program.lines().count() <= 20, "{} lines", program.lines().count());
    std::fs::write(folder.path().join("greeter.py"), program).expect("written");
    std::fs::write(folder.path().join("application.toml"), block("`application.toml`", "toml")).expect("written");
    let commands = block("Then:", "sh");
    let outputs: Vec<(&str, Output)> = commands.lines().map(|line| (line, run(line, folder.path()))).collect();
    for (line, output) in &outputs {
        assert!(output.status.success() && !output.stdout.is_empty(), "{line}: {output:?}");
    }
    let [_, (_, check), (_, tried), (_, config)] = outputs.as_slice() else { panic!("four commands: {commands}") };
    let text = |output: &Output| String::from_utf8_lossy(&output.stdout).into_owned();
    // Where this machine's own Python stands is worth a warning, and nothing else is.
    let report = text(check);
    let is_expected = |line: &str| !line.starts_with("warning") || line.contains("on this PATH");
    assert!(report.contains("greeter.greet") && report.lines().all(is_expected), "{report}");
    assert_eq!(text(tried), "\"Hello, Ann!\"\n");
    assert!(text(config).contains("launch.toml"), "{}", text(config));
    // What was left out of the declaration cannot be called, whatever the program can do.
    assert_eq!(run("opgate try launch.toml greeter.languages", folder.path()).status.code(), Some(2));
    let wrong = run("opgate try launch.toml greeter.greet '{\"name\":\"Ann\",\"language\":\"xx\"}'", folder.path());
    assert_eq!(wrong.status.code(), Some(2));
    assert!(text(&wrong).contains("/language"), "{}", text(&wrong));
}
