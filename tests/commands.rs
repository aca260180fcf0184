//! The commands of a native entry besides `serve`.

use serde_json::{Value, json};
use test_host::{Ended, Fixture, Host};

fn fixture() -> Fixture {
    Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["echo", "order"])
}

fn call(fixture: &Fixture, method: &str, input: &str) -> Host {
    fixture.command("call").args(["fixture", method, "--input", input]).text_output()
}

#[track_caller]
fn printed(ended: &Ended) -> Value {
    serde_json::from_str(ended.text()).unwrap_or_else(|_| panic!("not one JSON value: {:?}", ended.text()))
}

#[test]
fn check_lists_the_tools_and_starts_nothing() {
    let fixture = fixture();
    let ended = fixture.command("check").text_output().run();
    ended.assert_code(0);
    for text in ["operation_0", "fixture.echo", "operation_1", "fixture.order"] {
        assert!(ended.text().contains(text), "{text} is missing in:\n{}", ended.text());
    }
    assert!(!ended.text().contains("fixture.wait"), "{}", ended.text());
    assert_eq!(fixture.effects(), ["constructor"]);
}

#[test]
fn list_shows_declared_operations_allowed_or_not() {
    let fixture = fixture();
    let ended = fixture.command("list").text_output().run();
    ended.assert_code(0);
    for text in ["fixture.echo", "fixture.order", "fixture.wait", "fixture.guarded"] {
        assert!(ended.text().contains(text), "{text} is missing in:\n{}", ended.text());
    }
    assert_eq!(fixture.effects(), ["constructor"]);
}

#[test]
fn call_runs_any_declared_operation_through_the_gate() {
    let fixture = fixture();
    let ended = call(&fixture, "echo", r#"{"text":"a"}"#).run();
    ended.assert_code(0);
    assert_eq!(ended.text(), "\"a\"\n");
    let ended = call(&fixture, "wait", r#"{"ms":1}"#).run();
    ended.assert_code(0);
    assert_eq!(printed(&ended), json!("waited"), "allowlisted or not");
    assert_eq!(fixture.effects().join(" "), "constructor start echo stop constructor start wait waited stop");
}

#[test]
fn call_says_by_its_exit_status_what_failed() {
    let fixture = fixture();
    call(&fixture, "fail_opaque", "{}").run().assert_code(1);
    call(&fixture, "panic_now", "{}").run().assert_code(1);
    call(&fixture, "echo", r#"{"text":1}"#).run().assert_code(2);
    call(&fixture, "echo", "not json").run().assert_code(2);
    call(&fixture, "nope", "{}").run().assert_code(2);
    let refused = self::fixture().launch("allow = [\"fixture.nope\"]\n");
    call(&refused, "echo", r#"{"text":"a"}"#).run().assert_code(3);
}

#[test]
fn call_reads_its_input_from_a_file_or_from_standard_input() {
    let fixture = fixture();
    let path = fixture.folder().join("input.json");
    std::fs::write(&path, r#"{"text":"from a file"}"#).expect("a file in our own folder");
    let ended = call(&fixture, "echo", &format!("@{}", path.display())).run();
    assert_eq!(printed(&ended), json!("from a file"));
    let host = fixture.command("call").args(["fixture", "echo", "--stdin"]).text_output();
    let mut session = host.spawn();
    session.send_bytes(r#"{"text":"from standard input"}"#);
    session.close_input();
    assert_eq!(printed(&session.wait()), json!("from standard input"));
}

#[test]
fn call_keeps_standard_output_for_the_result() {
    let fixture = fixture().switch("CONSTRUCTOR", "print").switch("START", "print").switch("STOP", "print");
    for method in ["print", "child_prints", "print_much"] {
        let ended = call(&fixture, method, "{}").run();
        ended.assert_code(0);
        assert!(["null\n", "true\n"].contains(&ended.text()), "{:?}", ended.text());
        assert!(ended.stderr.contains("a line on standard output"), "{}", ended.stderr);
    }
}

#[test]
fn call_uses_the_bindings_of_the_command_line_alone() {
    let fixture = fixture().switch("BIND", "cli").switch("CONFIRM", "yes").switch("APPROVE", "yes");
    let ended = call(&fixture, "guarded", "{}").run();
    ended.assert_code(0);
    assert_eq!(printed(&ended), json!("acme"));
    let fixture = self::fixture().switch("BIND", "code").switch("CONFIRM", "yes").switch("APPROVE", "yes");
    call(&fixture, "guarded", "{}").run().assert_code(1);
    assert!(!fixture.effects().contains(&"guarded".to_owned()));
}

#[test]
fn try_launches_the_entry_as_a_host_would() {
    let fixture = fixture();
    let ended = fixture.command("try").text_output().run();
    ended.assert_code(0);
    assert!(ended.text().contains("operation_0") && ended.text().contains("fixture.echo"), "{}", ended.text());
    let ended = fixture.command("try").args(["operation_0", r#"{"text":"tried"}"#]).text_output().run();
    ended.assert_code(0);
    assert!(ended.text().contains("tried"), "{}", ended.text());
    let ended = fixture.command("try").args(["operation_0", r#"{"text":1}"#]).text_output().run();
    ended.assert_code(2);
    assert!(ended.text().contains("invalid-input"), "{ended:?}");
    for arguments in [r#"{"text":"a","text":"b"}"#, r#"{"n":1e999}"#, "[]", ""] {
        let ended = fixture.command("try").args(["operation_0", arguments]).text_output().run();
        ended.assert_code(2);
        assert!(ended.stderr.contains("cannot be used"), "{arguments}: {}", ended.stderr);
    }
    let ended = fixture.command("try").args(["no.such", "{}"]).text_output().run();
    ended.assert_code(2);
    assert!(ended.stderr.contains("fixture.echo"), "the tools that there are: {}", ended.stderr);
}

#[test]
fn try_of_a_refused_launch_says_what_the_entry_says_and_nothing_else() {
    let fixture = fixture().launch("allow = [\"fixture.nothing_like_it\"]");
    let refused = fixture.command("serve").run();
    let tried = fixture.command("try").text_output().run();
    tried.assert_code(3);
    assert_eq!(tried.stderr, refused.stderr);
}

#[test]
fn every_command_has_help() {
    let fixture = fixture();
    let help = |words: &[&str]| {
        let ended = Host::new(fixture.program()).args(words).arg("--help").text_output().run();
        ended.assert_code(0).text().to_owned()
    };
    let whole = help(&[]);
    let listed = whole.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let commands: Vec<&str> = listed.filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(
        commands,
        [
            "serve",
            "check",
            "list",
            "call",
            "try",
            "init",
            "host-config",
            "completions",
            "pending",
            "allow",
            "deny",
            "help"
        ]
    );
    for command in commands.into_iter().filter(|command| *command != "help") {
        let text = help(&[command]);
        assert!(text.contains(&format!("Usage: fixture {command}")), "{command}: {text}");
    }
}
