//! A refused launch shows the line that is meant, but never a value that the file holds for a context, nor a secret.

use test_host::Fixture;

const CANARY: &str = "correct-horse-battery";

fn fixture() -> Fixture {
    Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["echo"])
}

/// What follows the first two lines of a launch file, and where it is refused.
const REFUSED: [(&str, &str); 14] = [
    (
        "[binding.context]\ndb = { user = \"svc\", phrase = \"correct-horse-battery\", dsn = { env = \"UNSET_X\" } }",
        "launch.toml:4:70: binding.context.db.dsn.env: the environment variable UNSET_X is not set",
    ),
    (
        "[binding.context]\nphrases = [\n  \"correct-horse-battery\", nan,\n]",
        "launch.toml:5:28: binding.context.phrases[1]: expected a finite number",
    ),
    (
        "[binding.context]\npassword = [\n  \"correct-horse-battery\", nan,\n]",
        "launch.toml:5:28: binding.context.password[1]: expected a finite number",
    ),
    ("[binding]\ncontext = \"correct-horse-battery\"", "launch.toml:4:11: binding.context: expected a table"),
    (
        "[binding]\ncontext = { phrase = \"correct-horse-battery\", dsn = { env = \"X\", secrt = true } }",
        "binding.context.dsn.secrt: unknown key\n",
    ),
    (
        "binding = { context = { phrase = \"correct-horse-battery\" }, confirm = { ask = \"mail\" } }",
        "binding.confirm.ask: expected one of terminal, program, client, found \"mail\"",
    ),
    ("[binding]\nphrase = \"correct-horse-battery\"", "launch.toml:4:1: binding.phrase: unknown key"),
    ("phrase = \"correct-horse-battery\"", "launch.toml:3:1: phrase: unknown key"),
    ("bindin = { context = { phrase = \"correct-horse-battery\" } }", "launch.toml:3:1: bindin: unknown key"),
    ("[limits]\nphrase = \"correct-horse-battery\"", "launch.toml:4:1: limits.phrase: unknown key"),
    (
        "[cli]\nbinding = { context = { phrase = [\"correct-horse-battery\"] }, confirm = { ask = \"client\" } }",
        "cli.binding.confirm",
    ),
    (
        "[binding.context]\ndsn = { env = \"DSN\", default = \"correct-horse-battery\" }",
        "launch.toml:4:22: binding.context.dsn.default: unknown key",
    ),
    ("[binding.context]\nphrase = \"correct-horse-battery", "launch.toml:4: it is not TOML"),
    ("[binding.context]\nphrases = [\n  \"correct-horse-battery\" \"a\",\n]", "launch.toml:5: it is not TOML"),
];

#[test]
fn no_literal_of_a_context_is_shown() {
    for (text, expected) in REFUSED {
        let ended = fixture().line(text).host().run();
        ended.assert_refused(&[expected]);
        assert!(!ended.stderr.contains("correct"), "{text}\n{}", ended.stderr);
    }
}

#[test]
fn no_literal_is_shown_of_what_code_binds_too() {
    let fixture = fixture().switch("BIND", "code").line("[binding]\ncontext = { tenant = \"correct-horse-battery\" }");
    let ended = fixture.host().run();
    ended.assert_refused(&["launch.toml:4:11: binding.context: the application binds it in code, too"]);
    assert!(!ended.stderr.contains("correct"), "{}", ended.stderr);
}

#[test]
fn what_is_around_a_literal_is_shown() {
    let fixture = fixture().line(
        "[binding.context]\ndb = { user = \"svc\", phrase = \"correct-horse-battery\", dsn = { env = \"UNSET_X\" } }",
    );
    fixture.host().run().assert_refused(&[
        "\n 4 | db = { user = [REDACTED], phrase = [REDACTED], dsn = { env = [REDACTED] } }\n",
        &format!("\n   | {}^^^^^^^^^^\n", " ".repeat(61)),
    ]);
}

#[test]
fn what_the_file_makes_secret_is_masked_in_a_refusal_of_that_file() {
    for secret in
        ["[redaction]\nsecrets = [{ env = \"DATABASE\" }]", "[cli.binding.context]\nt = { env = \"DATABASE\" }"]
    {
        let fixture = fixture()
            .switch("BIND", "code")
            .line(secret)
            .line("[binding]\nconfirm = { ask = \"program\", command = [\"/bin/echo\", \"correct-horse-battery\"] }");
        let ended = fixture.host().env("DATABASE", CANARY).run();
        ended.assert_refused(&["binding.confirm", "the application binds it in code, too"]);
        assert!(!ended.stderr.contains(CANARY), "{}", ended.stderr);
    }
}
