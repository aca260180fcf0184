//! A pinned operation that is not what was reviewed refuses the launch, which says what changed.
#![expect(clippy::expect_used, reason = "helpers outside test functions")]

use std::collections::BTreeMap;

use serde_json::Value;
use test_host::{Fixture, Program};

fn fixture(operations: &[&str]) -> Fixture {
    Fixture::beside(env!("CARGO_BIN_EXE_opgate"), operations)
}

/// The pins that `check` prints.
fn pins(fixture: &Fixture) -> BTreeMap<String, String> {
    let ended = fixture.command("check").arg("--json").text_output().run();
    ended.assert_code(0);
    let report: Value = serde_json::from_slice(&ended.stdout).expect("a report");
    serde_json::from_value(report["pins"].clone()).expect("pins")
}

fn table(pins: &BTreeMap<String, String>) -> String {
    let lines: Vec<String> = pins.iter().map(|(operation, pin)| format!("{operation:?} = \"{pin}\"")).collect();
    format!("[pins]\n{}", lines.join("\n"))
}

#[test]
fn what_check_prints_pins_the_launch() {
    let unpinned = fixture(&["reviewed", "echo"]);
    let pinned = fixture(&["reviewed", "echo"]).line(&table(&pins(&unpinned)));
    pinned.host().run().assert_code(0);
    assert_eq!(pins(&pinned), pins(&unpinned));
    let people = unpinned.command("check").text_output().run();
    for (operation, pin) in pins(&unpinned) {
        assert!(people.text().contains(&format!("{operation:?} = \"{pin}\"")), "{}", people.text());
    }
}

#[test]
fn each_change_is_refused_by_name_and_line() {
    let pins = table(&pins(&fixture(&["reviewed"])));
    for (change, named) in [
        ("redescribed", "description"),
        ("loosened", "input schema, served schema"),
        ("harmless", "hints"),
        ("unmasked", "masking"),
        ("unconfirmed", "context, confirmation or approval"),
    ] {
        let ended = fixture(&["reviewed"]).line(&pins).switch("DECLARE", change).host().run();
        ended.assert_refused(&["launch.toml:4:", "fixture.reviewed", named, "sha256:"]);
    }
}

#[test]
fn who_is_asked_is_a_part_of_it() {
    let pins = table(&pins(&fixture(&["reviewed"])));
    let asked = |table: &str| fixture(&["reviewed"]).line(&pins).line(table).host().run();
    for table in [
        "[binding.confirm]\nask = \"client\"",
        "[binding.confirm]\nask = \"terminal\"",
        "[cli.binding.confirm]\nask = \"program\"\ncommand = [\"/bin/echo\", \"yes\"]",
    ] {
        asked(table).assert_refused(&["fixture.reviewed", "changed: who is asked\n"]);
    }
}

#[test]
fn so_is_all_that_the_launch_file_says_of_asking_masking_and_context() {
    let with = |launch: &str| {
        fixture(&["tenant", "reviewed"]).private().line(launch).env("A", "1-of-many").env("B", "2-of-many")
    };
    let program = "[binding.confirm]\nask = \"program\"\ncommand = [\"/bin/echo\"]\n";
    let context = |tenant: &str| format!("[binding.context]\ntenant = {tenant}");
    let cases = [
        (program.to_owned(), format!("{program}timeout_seconds = 49"), "who is asked"),
        (
            format!("{program}env = [\"A\"]"),
            format!("{program}env = [{{ name = \"A\", optional = true }}]"),
            "who is asked",
        ),
        (String::new(), "[redaction]\nkeys = [\"note\"]".to_owned(), "masking"),
        (String::new(), "[redaction]\nsecrets = [{ env = \"A\" }]".to_owned(), "masking"),
        (String::new(), "[audit]\nfile = \"audit.jsonl\"".to_owned(), "audit"),
        (context("\"acme\""), context("\"other\""), "how context is made"),
        (context("\"acme\""), String::new(), "how context is made"),
        (context("\"acme\""), context("{ env = \"A\" }"), "how context is made"),
        (context("{ env = \"A\" }"), context("{ env = \"B\" }"), "how context is made"),
        (context("{ env = \"A\" }"), context("{ env = \"A\", secret = false }"), "how context is made"),
        (
            context("{ env = \"A\" }"),
            format!("{}\n[cli.{}", context("{ env = \"A\" }"), &context("\"x\"")[1..]),
            "how context is made",
        ),
    ];
    for (reviewed, changed, part) in cases {
        let pins = table(&pins(&with(&reviewed)));
        with(&format!("{reviewed}\n{pins}")).host().run().assert_code(0);
        let named = format!("changed: {part}\n");
        with(&format!("{changed}\n{pins}")).host().run().assert_refused(&["fixture.", &named]);
    }
    // A value of the environment is none.
    let secret = context("{ env = \"A\" }");
    let pinned = format!("{secret}\n{}", table(&pins(&with(&secret))));
    with(&pinned).env("A", "another-of-many").host().run().assert_code(0);
}

#[test]
fn the_order_of_the_allowlist_and_the_names_of_tools_are_none() {
    let one = pins(&fixture(&["reviewed", "echo"]));
    assert_eq!(one, pins(&fixture(&["echo", "reviewed"])));
    assert_eq!(one, pins(&fixture(&["echo", "reviewed"]).line("[tools]\nnames = \"canonical\"")));
    assert_eq!(one["fixture.echo"], pins(&fixture(&["echo"]))["fixture.echo"]);
    assert_ne!(one["fixture.echo"], one["fixture.reviewed"]);
}

#[test]
fn pins_that_are_not_right_are_refused() {
    let pin = pins(&fixture(&["reviewed"]))["fixture.reviewed"].clone();
    for (pins, expected) in [
        (String::new(), ["pins", "\"fixture.reviewed\" is allowed and has no pin"]),
        ("\"fixture.reviewd\" = \"x\"".to_owned(), ["launch.toml:4:", "did you mean \"fixture.reviewed\"?"]),
        ("\"fixture.reviewed\" = \"x\"".to_owned(), ["launch.toml:4:", "it is not a pin"]),
        ("\"fixture.reviewed\" = 5".to_owned(), ["launch.toml:4:", "expected a text"]),
        (format!("\"fixture.reviewed\" = \"{}\"", pin.to_uppercase()), ["launch.toml:4:", "it is not a pin"]),
    ] {
        let ended = fixture(&["reviewed"]).line(&format!("[pins]\n{pins}")).host().run();
        ended.assert_refused(&expected);
    }
}

#[test]
fn a_forged_digest_with_the_right_checks_is_refused() {
    let pin = pins(&fixture(&["reviewed"]))["fixture.reviewed"].clone();
    let (_, checks) = pin.split_once('.').expect("checks");
    let forged = format!("[pins]\n\"fixture.reviewed\" = \"sha256:{}.{checks}\"", "0".repeat(64));
    fixture(&["reviewed"]).line(&forged).host().run().assert_refused(&["is not what was pinned"]);
}

#[test]
fn a_pin_of_a_program_covers_what_runs_and_not_the_environment_of_the_launch() {
    let script = "import json, sys\njson.load(sys.stdin)\nprint('{\"output\": 1}')\n";
    let limited = |lines: &str, operation: &str| {
        Program::new(env!("CARGO_BIN_EXE_opgate"), script)
            .plugin(&format!("command = [\"python3\", \"program.py\"]\n{lines}"))
            .operation("run", operation)
    };
    let program = |lines: &str| limited(lines, "");
    let pin = |program: &Program, set: &[(&str, &str)]| {
        let host = program.command("check").arg("--json").text_output();
        let ended = set.iter().fold(host, |host, (name, value)| host.env(name, value)).run();
        ended.assert_code(0);
        let report: serde_json::Value = serde_json::from_str(ended.text()).expect("a report");
        report["pins"]["app.run"].as_str().expect("a pin").to_owned()
    };
    let named = "env = [{ name = \"GIVEN\", optional = true }]\n";
    let first = pin(&program(named), &[]);
    assert_eq!(first, pin(&program(named), &[("GIVEN", "1"), ("LANG", "C.UTF-8"), ("TZ", "UTC")]));
    let set = [("GIVEN", "1")];
    assert_ne!(first, pin(&program("env = [\"GIVEN\"]\n"), &set), "it may not be unset any more");
    assert_ne!(first, pin(&limited(named, "timeout_seconds = 5"), &[]));
    for other in ["", "env = [{ name = \"OTHER\", optional = true }]\n", "mode = \"worker\"\n"] {
        assert_ne!(first, pin(&program(other), &[]), "{other}");
    }
    let other = program(named).plugin(&format!("command = [\"python3\", \"program.py\", \"more\"]\n{named}"));
    assert_ne!(first, pin(&other, &[]));
}
