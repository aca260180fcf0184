//! Every launch that a file of a process application spoils is refused, and the message tells a newcomer what to do:
//! `tests/snapshots` holds each as it is shown.
#![expect(clippy::expect_used, reason = "what cannot be made fails the test")]

use std::fmt::Write as _;
use std::fs;

use test_host::Host;

const APPLICATION: &str = r#"name = "shop"

[plugins.orders]
command = ["python3", "orders.py"]
env = [{ name = "ORDERS_DB", optional = true }]

[[operations]]
plugin = "orders"
method = "find"
description = "Find an order."
effect = "read"
input = { file = "find.json" }
"#;
const LAUNCH: &str = "application = \"application.toml\"\nallow = [\"orders.find\"]\n";
const SCHEMA: &str = r#"{"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}"#;

/// A part of the application file, and what stands in its place.
const APPLICATION_CASES: &[(&str, &str, &str)] = &[
    ("it is not TOML", "effect = \"read\"", "effect = read"),
    ("no name", "name = \"shop\"\n", ""),
    ("an unknown key", "effect = \"read\"", "efect = \"read\""),
    ("an unknown key that is like none", "effect = \"read\"", "zzz = \"read\""),
    ("an unknown key at the root", "name = \"shop\"", "name = \"shop\"\nversion = 1"),
    ("an unknown key of a plugin", "env = [", "environment = ["),
    ("another kind of value", "effect = \"read\"", "effect = true"),
    ("a word that is none of a few", "effect = \"read\"", "effect = \"reads\""),
    ("a flag in quotes", "effect = \"read\"", "destructive = \"true\""),
    ("a number in quotes", "effect = \"read\"", "timeout_seconds = \"5\""),
    ("a number that is not positive", "effect = \"read\"", "timeout_seconds = 0"),
    ("confirmation that says no word it knows", "effect = \"read\"", "confirmation = \"yes\""),
    ("a command in one text", "[\"python3\", \"orders.py\"]", "\"python3 orders.py\""),
    ("an empty command", "[\"python3\", \"orders.py\"]", "[]"),
    ("no command", "command = [\"python3\", \"orders.py\"]\n", ""),
    ("a program that is not on PATH", "\"python3\", ", "\"no-such-interpreter\", "),
    ("a program in the folder without its ./", "[\"python3\", \"orders.py\"]", "[\"orders.py\"]"),
    ("a program that is not executable", "[\"python3\", \"orders.py\"]", "[\"./orders.py\"]"),
    ("a program that is not there", "[\"python3\", \"orders.py\"]", "[\"./bin/orders\"]"),
    ("a mode it does not know", "env = [", "mode = \"workers\"\nenv = ["),
    ("a variable that is not set", "{ name = \"ORDERS_DB\", optional = true }", "\"ORDERS_DB\""),
    ("a variable with its value", "{ name = \"ORDERS_DB\", optional = true }", "\"ORDERS_DB=/var/orders.db\""),
    ("a variable that is no name", "{ name = \"ORDERS_DB\", optional = true }", "7"),
    ("an operation of no plugin", "plugin = \"orders\"\n", ""),
    ("an operation of another plugin", "plugin = \"orders\"", "plugin = \"order\""),
    ("no method", "method = \"find\"\n", ""),
    ("a method that is no identifier", "method = \"find\"", "method = \"find order\""),
    (
        "a plugin id that is none",
        "[plugins.orders]",
        "[plugins.\"the orders\"]\ncommand = [\"true\"]\n[plugins.orders]",
    ),
    (
        "the same operation twice",
        "[[operations]]",
        "[[operations]]\nplugin = \"orders\"\nmethod = \"find\"\ninput = { type = \"object\" }\n\n[[operations]]",
    ),
    ("no input schema", "input = { file = \"find.json\" }\n", ""),
    ("an input that is no table", "input = { file = \"find.json\" }", "input = \"find.json\""),
    ("a schema file that is not there", "find.json", "fnd.json"),
    ("a schema file that is not JSON", "find.json", "broken.json"),
    ("a schema file with a key twice", "find.json", "twice.json"),
    ("a schema that is no object at its root", "input = { file = \"find.json\" }", "input = { type = \"string\" }"),
    (
        "a schema that refers outside itself",
        "input = { file = \"find.json\" }",
        "input = { type = \"object\", properties = { a = { \"$ref\" = \"other.json\" } } }",
    ),
    (
        "a gate below the schema",
        "input = { file = \"find.json\" }",
        "[operations.input]\ntype = \"object\"\napproval = \"required\"",
    ),
    (
        "a gate below a part of the schema",
        "input = { file = \"find.json\" }",
        "[operations.input]\ntype = \"object\"\n[operations.input.properties.id]\ntype = \"string\"\nsecret_output = [\"/a\"]",
    ),
    (
        "a gate below the members of the schema",
        "input = { file = \"find.json\" }",
        "[operations.input]\ntype = \"object\"\n[operations.input.properties]\nid = { type = \"string\" }\nconfirmation = \"required\"",
    ),
    (
        "a gate within an inline schema",
        "input = { file = \"find.json\" }",
        "input = { type = \"object\", timeout_seconds = 5 }",
    ),
    ("a gate within a schema file", "find.json", "gated.json"),
    (
        "a type that is none",
        "input = { file = \"find.json\" }",
        "input = { type = \"object\", properties = { id = { type = \"strng\" } } }",
    ),
    (
        "a bound that is no number",
        "input = { file = \"find.json\" }",
        "input = { type = \"object\", properties = { id = { type = \"string\", maxLength = \"3\" } } }",
    ),
    (
        "required that is no list",
        "input = { file = \"find.json\" }",
        "input = { type = \"object\", properties = { id = {} }, required = \"id\" }",
    ),
    ("members in a list", "input = { file = \"find.json\" }", "input = { type = \"object\", properties = [\"id\"] }"),
    (
        "nullable",
        "input = { file = \"find.json\" }",
        "input = { type = \"object\", properties = { id = { type = \"string\", nullable = true } } }",
    ),
    (
        "a member that is needed and not declared",
        "input = { file = \"find.json\" }",
        "input = { type = \"object\", properties = { id = {} }, required = [\"name\"] }",
    ),
    (
        "a part that accepts nothing",
        "input = { file = \"find.json\" }",
        "input = { type = \"object\", properties = { id = { type = \"string\", enum = [1] } }, required = [\"id\"] }",
    ),
    (
        "a pattern that is none",
        "input = { file = \"find.json\" }",
        "input = { type = \"object\", properties = { id = { pattern = \"[\" } } }",
    ),
    (
        "a pattern that looks around",
        "input = { file = \"find.json\" }",
        "input = { type = \"object\", properties = { id = { pattern = \"(?=x)\" } } }",
    ),
    ("a schema with a date", "input = { file = \"find.json\" }", "input = { type = \"object\", default = 2020-01-01 }"),
    ("a secret output that is no pointer", "effect = \"read\"", "secret_output = [\"card\"]"),
    ("a table in place of a list of tables", "[[operations]]", "[operations]"),
];

const LAUNCH_CASES: &[(&str, &str)] = &[
    ("no application", "allow = []\n"),
    ("an application that is not there", "application = \"app.toml\"\nallow = []\n"),
    ("an application that is a folder", "application = \".\"\nallow = []\n"),
    ("a missing allow", "application = \"application.toml\"\n"),
    ("an allowed operation that is not declared", "application = \"application.toml\"\nallow = [\"orders.fnd\"]\n"),
    (
        "an allowed operation twice",
        "application = \"application.toml\"\nallow = [\n  \"orders.find\",\n  \"orders.find\",\n]\n",
    ),
    ("an allowed operation in other letters", "application = \"application.toml\"\nallow = [\"Orders.find\"]\n"),
    ("an allowed operation with space around it", "application = \"application.toml\"\nallow = [\" orders.find\"]\n"),
    ("a wildcard", "application = \"application.toml\"\nallow = [\"orders.*\"]\n"),
    ("too small an output", "application = \"application.toml\"\nallow = []\n[limits]\nmax_output_bytes = 90\n"),
    (
        "too large a catalogue",
        "application = \"application.toml\"\nallow = [\"orders.find\"]\n[limits]\nmax_catalog_bytes = 100\n",
    ),
    ("a rate that is not positive", "application = \"application.toml\"\nallow = []\n[limits]\ncalls_per_minute = 0\n"),
    (
        "a pin that is none",
        "application = \"application.toml\"\nallow = []\n[pins.files]\n\"orders.py\" = \"sha256:1\"\n",
    ),
    (
        "a pinned file that is not there",
        "application = \"application.toml\"\nallow = []\n[pins.files]\n\"gone.py\" = \"sha256:0000000000000000000000000000000000000000000000000000000000000000\"\n",
    ),
    (
        "a secret under an unknown key is not shown",
        "application = \"application.toml\"\nallow = []\ndatabase_password = \"hunter2\"\n",
    ),
];

const DESCRIBED: &str = r#"name = "shop"

[plugins.orders]
command = ["python3", "orders.py"]
describe = ["python3", "-c", "SCRIPT"]
"#;

/// What the `describe` command does.
const DESCRIBE_CASES: &[(&str, &str)] = &[
    ("describe: it fails", "raise SystemExit(3)"),
    ("describe: it prints nothing", "pass"),
    ("describe: it prints no JSON", "print('hello')"),
    ("describe: it prints no object", "print('[]')"),
    ("describe: it prints more than 4 MiB", "print('x' * (5 << 20))"),
    ("describe: an unknown key", "print('{\\\"operation\\\": []}')"),
    (
        "describe: an unknown key of an operation",
        "print('{\\\"operations\\\": [{\\\"method\\\": \\\"a\\\", \\\"efect\\\": \\\"read\\\", \\\"input\\\": {}}]}')",
    ),
    ("describe: no input", "print('{\\\"operations\\\": [{\\\"method\\\": \\\"a\\\"}]}')"),
    (
        "describe: a file for a schema",
        "print('{\\\"operations\\\": [{\\\"method\\\": \\\"a\\\", \\\"input\\\": {\\\"file\\\": \\\"a.json\\\"}}]}')",
    ),
    (
        "describe: a gate within the schema",
        "print('{\\\"operations\\\": [{\\\"method\\\": \\\"a\\\", \\\"input\\\": {\\\"type\\\": \\\"object\\\", \\\"approval\\\": \\\"required\\\"}}]}')",
    ),
    (
        "describe: another plugin",
        "print('{\\\"operations\\\": [{\\\"plugin\\\": \\\"b\\\", \\\"method\\\": \\\"a\\\", \\\"input\\\": {}}]}')",
    ),
    ("describe: a key twice", "print('{\\\"operations\\\": [], \\\"operations\\\": []}')"),
];

/// The message of a launch that is refused, without the path of the folder.
fn refusal(name: &str, application: &str, launch: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    for (file, text) in [
        ("application.toml", application),
        ("launch.toml", launch),
        ("find.json", SCHEMA),
        ("broken.json", "{\n  \"type\": \"object\",\n  \"properties\": {,}\n}\n"),
        ("gated.json", "{\"type\": \"object\", \"approval\": \"required\"}\n"),
        ("twice.json", "{\"type\": \"object\", \"type\": \"object\"}\n"),
        ("orders.py", "print('not to be run')\n"),
    ] {
        fs::write(folder.path().join(file), text).expect("a file in our own folder");
    }
    let ended = Host::new(env!("CARGO_BIN_EXE_opgate")).arg("serve").arg(folder.path().join("launch.toml")).run();
    assert_eq!((ended.status.code(), ended.text()), (Some(3), ""), "{name}: {}", ended.stderr);
    let real = folder.path().canonicalize().expect("our own folder");
    let said = ended.stderr.replace(&real.display().to_string(), "/app");
    said.replace(&folder.path().display().to_string(), "/app")
}

#[test]
fn the_messages_are_those_of_the_snapshot() {
    let mut shown = String::new();
    let mut show = |name: &str, application: &str, launch: &str| {
        let _ = write!(shown, "{name}\n\n{}\n", refusal(name, application, launch));
    };
    for (name, part, instead) in APPLICATION_CASES {
        assert!(APPLICATION.contains(part), "{name}");
        show(name, &APPLICATION.replace(part, instead), LAUNCH);
    }
    for (name, launch) in LAUNCH_CASES {
        show(name, APPLICATION, launch);
    }
    for (name, script) in DESCRIBE_CASES {
        show(name, &DESCRIBED.replace("SCRIPT", script), "application = \"application.toml\"\nallow = []\n");
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn the_files_that_the_cases_spoil_are_right() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in [("application.toml", APPLICATION), ("launch.toml", LAUNCH), ("find.json", SCHEMA)] {
        fs::write(folder.path().join(name), text).expect("a file in our own folder");
    }
    Host::new(env!("CARGO_BIN_EXE_opgate")).arg("serve").arg(folder.path().join("launch.toml")).run().assert_code(0);
}
