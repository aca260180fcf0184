//! The context of an operation comes from the launch file, from the side's own table, and no value of it is ever shown.

use serde_json::json;
use test_host::{Ended, Fixture};

const CANARY: &str = "canary-in-a-context-4711";

fn fixture(table: &str) -> Fixture {
    Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["tenant", "guarded"]).line(table)
}

fn call(fixture: &Fixture) -> Ended {
    fixture.command("call").args(["fixture", "tenant"]).text_output().run()
}

#[test]
fn the_file_gives_mcp_its_context_from_variables_and_literals() {
    for (table, variable) in [
        ("[binding.context]\ntenant = { env = \"TENANT\", secret = false }", Some("acme")),
        ("[binding.context]\ntenant = \"acme\"", None),
    ] {
        let fixture = fixture(table);
        let host = fixture.host();
        let mut session = variable.map_or(host.clone(), |value| host.env("TENANT", value)).spawn();
        session.initialize("2025-11-25");
        session.call(1, "operation_0", json!({}));
        assert_eq!(session.answer_to(1).output(), json!("acme"));
        session.call(2, "operation_0", json!({"tenant": "other"}));
        session.answer_to(2).assert_failure("invalid-input", "input", "not-started");
        session.close();
    }
}

#[test]
fn neither_side_borrows_the_others_context() {
    let fixture = fixture("[cli.binding.context]\ntenant = \"of the command line\"");
    assert_eq!(call(&fixture).text(), "\"of the command line\"\n");
    let mut session = fixture.initialized();
    session.call(1, "operation_0", json!({}));
    session.answer_to(1).assert_failure("missing-context-binding", "binding", "not-started");
    drop(session);
    let fixture = self::fixture("[binding.context]\ntenant = { env = \"TENANT\" }");
    let ended = call(&fixture);
    ended.assert_code(1);
    assert!(ended.stderr.contains("missing-context-binding"), "{}", ended.stderr);
}

#[test]
fn a_secret_entry_is_masked_everywhere_and_known_to_nobody() {
    let fixture = fixture("[binding.context]\ntenant = { env = \"EVIDENCE\" }");
    let mut session = fixture.host().env("EVIDENCE", CANARY).env("OPGATE_LOG", "trace").spawn();
    session.initialize("2025-11-25");
    session.call(1, "operation_0", json!({}));
    assert_eq!(session.answer_to(1).output(), json!("[REDACTED]"), "a secret returned is a secret masked");
    session.close_input();
    let ended = session.wait();
    ended.assert_code(0);
    assert!(!ended.stderr.contains(CANARY) && !String::from_utf8_lossy(&ended.stdout).contains(CANARY));
    for flag in [&[][..], &["--json"]] {
        let ended = fixture.command("check").args(flag).env("EVIDENCE", CANARY).text_output().run();
        ended.assert_code(0);
        assert!(ended.text().contains("EVIDENCE") && !ended.text().contains(CANARY), "{}", ended.text());
    }
    let short = fixture.command("check").env("EVIDENCE", "short").text_output().run();
    assert!(short.text().contains("warning: `EVIDENCE` is not searched for"), "{}", short.text());
}

#[test]
fn a_context_that_does_not_fit_refuses_the_launch_and_names_the_entry_alone() {
    for (table, expected) in [
        (
            "[binding.context]\ntenant = { env = \"TENANT\" }",
            "launch.toml:4:\nbinding.context.tenant.env: the environment variable TENANT is not set",
        ),
        ("[binding.context]\ntenant = 7", "launch.toml:4:\nbinding.context.tenant: it does not fit the type"),
        (
            "[binding.context]\ntenant = { env = \"X\", optional = true }",
            "launch.toml:4:\nbinding.context.tenant: it does not fit",
        ),
        (
            "[binding.context]\nname = \"canary-in-a-context-4711\"",
            "binding.context: it does not fit the type of the application's context\n  \"tenant\" is missing",
        ),
        ("[binding.context]", "\"tenant\" is missing"),
        (
            "[binding.context]\ntenant = { env = \"HOME\", secrt = false }",
            "binding.context.tenant.secrt: unknown key\n  did you mean secret?",
        ),
        ("[binding.context]\ntenant = inf", "binding.context.tenant: expected a finite number"),
        ("[bindin.context]\ntenant = 7", "bindin: unknown key\n  did you mean binding?"),
        ("[binding.contxt]\ntenant = 7", "binding.contxt: unknown key\n  did you mean context?"),
        (
            "[redaction]\nsecrets = [{ env = \"NOT_SET\" }]",
            "launch.toml:4:\nredaction.secrets[0].env: the environment variable NOT_SET is not set",
        ),
        ("[redaction]\nkeys = [\"iban\",\n\"1\"]", "launch.toml:5:\nredaction.keys: `1` cannot be a key name"),
        ("[audit]", "audit.file: missing"),
    ] {
        for command in ["serve", "check"] {
            let ended = fixture(table).command(command).text_output().run();
            ended.assert_refused(&expected.split('\n').map(str::trim).collect::<Vec<_>>());
            assert!(!ended.stderr.contains(CANARY), "{}", ended.stderr);
        }
    }
}

#[test]
fn a_part_bound_in_code_and_in_the_file_refuses_the_launch() {
    for (bind, table) in [("code", "binding"), ("cli", "cli.binding")] {
        for (part, entry) in
            [("context", "tenant = \"acme\""), ("confirm", "ask = \"terminal\""), ("approve", "ask = \"terminal\"")]
        {
            let fixture = fixture(&format!("[{table}.{part}]\n{entry}")).switch("BIND", bind);
            let expected = format!(": {table}.{part}: the application binds it in code, too");
            fixture.host().run().assert_refused(&["launch.toml:3:", &expected]);
        }
    }
    // The other side may be bound the other way.
    let fixture = fixture("[binding.context]\ntenant = \"acme\"").switch("BIND", "cli");
    fixture.command("check").text_output().run().assert_code(0);
}

#[test]
fn a_context_of_code_alone_cannot_come_from_a_file() {
    let fixture = fixture("[binding.context]\ntenant = \"acme\"").switch("BIND", "code-alone");
    fixture.host().run().assert_refused(&["binding.context: this application's context can be bound in code alone"]);
    let fixture = self::fixture("").switch("BIND", "code-alone");
    fixture.command("check").text_output().run().assert_code(0);
}

#[test]
fn code_may_bind_one_part_and_the_file_another() {
    let fixture = fixture(
        "[binding.confirm]\nask = \"program\"\ncommand = [\"/bin/echo\", \"yes\"]\n[binding.approve]\nask = \"program\"\ncommand = [\"/bin/echo\", \"yes\"]",
    )
    .switch("BIND", "context");
    let mut session = fixture.initialized();
    session.call(1, "operation_1", json!({}));
    assert_eq!(session.answer_to(1).output(), json!("acme"));
    assert_eq!(fixture.effects().iter().filter(|effect| *effect == "context").count(), 1, "once a call");
    session.close();
}

#[test]
fn a_context_of_code_that_fails_or_is_missing_starts_nothing() {
    for (how, code) in [("none", "missing-context-binding"), ("fail", "binding-failed"), ("panic", "binding-failed")] {
        let fixture = fixture("").switch("BIND", "context").switch("CONTEXT", how);
        let mut session = fixture.initialized();
        session.call(1, "operation_0", json!({}));
        session.answer_to(1).assert_failure(code, "binding", "not-started");
        assert_eq!(fixture.effects(), ["constructor", "start", "context", "stop"]);
        session.close();
    }
}

#[test]
fn a_literal_under_a_name_that_says_secret_is_masked_too() {
    let fixture = Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["echo"])
        .line("[cli.binding.context]\ntenant = \"acme-corporation\"\nsession_token = \"canary-in-a-context-4711\"");
    let mut session = fixture.initialized();
    session.call(1, "operation_0", json!({"text": format!("acme-corporation {CANARY}")}));
    assert_eq!(session.answer_to(1).output(), json!("acme-corporation [REDACTED]"));
    session.close();
}

#[test]
fn ways_of_asking_that_cannot_work_refuse_the_launch() {
    for (table, expected) in [
        ("[binding.approve]\nask = \"client\"", "binding.approve.ask: a client's approval is only as good as the host"),
        ("[cli.binding.confirm]\nask = \"client\"", "cli.binding.confirm: the command line has no client"),
        (
            "[binding.confirm]\nask = \"mail\"",
            "binding.confirm.ask: expected one of terminal, program, client, found \"mail\"",
        ),
        ("[binding.confirm]\ntimeout_seconds = 5", "binding.confirm.ask: missing"),
        (
            "[binding.confirm]\nask = \"terminal\"\ntimeout_seconds = 0",
            "binding.confirm.timeout_seconds: expected an integer of at least 1",
        ),
        ("[binding.confirm]\nask = \"terminal\"\ncommand = [\"/bin/true\"]", "binding.confirm.command: unknown key"),
        ("[binding.confirm]\nask = \"program\"", "binding.confirm.command: missing"),
        ("[binding.confirm]\nask = \"program\"\ncommand = []", "binding.confirm.command: expected a program"),
        (
            "[binding.confirm]\nask = \"program\"\ncommand = [\"true\"]",
            "binding.confirm.command: expected a path, found the bare name",
        ),
        ("[binding.confirm]\nask = \"program\"\ncommand = [\"./nothing\"]", "there is no such file"),
        ("[binding.confirm]\nask = \"program\"\ncommand = [\"launch.toml\"]", "expected a path"),
        (
            "[binding.confirm]\nask = \"program\"\ncommand = [\"./launch.toml\"]",
            "it is not a program that this user may run",
        ),
    ] {
        fixture(table).host().run().assert_refused(&[expected]);
    }
    fixture("[binding.approve]\nask = \"client\"\ntrust_host = true")
        .command("check")
        .text_output()
        .run()
        .assert_code(0);
}

#[test]
fn check_says_what_is_bound_to_what() {
    let fixture = fixture(
        "[binding.context]\ntenant = { env = \"TENANT\" }\n[binding.confirm]\nask = \"terminal\"\n[cli.binding.context]\ntenant = \"acme\"\n[redaction]\nkeys = [\"iban\"]\nsecrets = [{ env = \"OTHER\", optional = true }]",
    );
    let ended = fixture.command("check").env("TENANT", CANARY).text_output().run();
    ended.assert_code(0);
    for line in [
        "context: tenant from variable TENANT, secret",
        "confirm: a terminal of this user",
        "context: tenant from the launch file",
        "variable TENANT: set",
        "variable OTHER: not set",
        "warning: binding.confirm asks a terminal: an agent that has a shell of this user can answer by itself",
    ] {
        assert!(ended.text().contains(line), "{line:?} is missing in:\n{}", ended.text());
    }
    let json = fixture.command("check").arg("--json").env("TENANT", CANARY).text_output().run();
    let report: serde_json::Value = serde_json::from_str(json.text()).expect("JSON");
    assert_eq!(report["binding"]["context"], "tenant from variable TENANT, secret");
}

#[test]
fn a_variable_that_is_missing_in_many_places_is_told_once() {
    let fixture = fixture(
        "[binding.context]\na = { env = \"FIRST\" }\nb = { env = \"SECOND\" }\nc = { env = \"FIRST\" }\n[binding.confirm]\nask = \"program\"\ncommand = [\"/bin/true\"]\nenv = [\"SECOND\", \"FIRST\"]",
    );
    fixture.host().run().assert_refused(&["these environment variables are not set: FIRST, SECOND\n"]);
}

#[test]
fn a_short_secret_of_the_command_line_is_named_by_its_table() {
    let fixture = fixture("[cli.binding.context]\ntenant = { password = \"short\" }");
    let ended = fixture.command("check").text_output().run();
    let warning = "warning: `cli.binding.context.tenant.password` is not searched for";
    assert!(ended.text().contains(warning), "{}", ended.text());
}

#[test]
fn check_shows_the_size_that_is_judged() {
    let fixture = Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["echo"]);
    let ended = fixture.command("check").text_output().run();
    let size: usize = ended
        .text()
        .split_once("catalog ")
        .and_then(|(_, rest)| rest.split(' ').next()?.parse().ok())
        .unwrap_or_else(|| panic!("no size: {}", ended.text()));
    let with = |limit: usize| {
        let line = format!("[limits]\nmax_catalog_bytes = {limit}");
        Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["echo"]).line(&line).host().run()
    };
    with(size).assert_code(0);
    with(size - 1).assert_refused(&[&format!("has {size} bytes")]);
}

#[test]
fn further_keys_and_secrets_of_the_file_are_masked() {
    let fixture = Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["echo"])
        .line("[redaction]\nsecrets = [{ env = \"DATABASE\" }]");
    let mut session = fixture.host().env("DATABASE", CANARY).spawn();
    session.initialize("2025-11-25");
    session.call(1, "operation_0", json!({"text": format!("x {CANARY} y")}));
    assert_eq!(session.answer_to(1).output(), json!("x [REDACTED] y"));
    session.close();
}
