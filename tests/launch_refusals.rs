//! A launch that is not right is refused before anything is served: exit 3, nothing on standard output, and a message
//! that names file, line and entry.

use test_host::Fixture;

fn fixture() -> Fixture {
    Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["echo"])
}

/// The launch file, and what standard error must hold besides the file's name.
const REFUSED: [(&str, &[&str]); 22] = [
    ("identity = \"a\"\n", &["allow"]),
    ("allow = [\n  \"fixture.echo\",\n  \"fixture.nope\",\n]\n", &["launch.toml:3:", "fixture.nope"]),
    ("allow = [\"fixture.echo\",\n\"fixture.echo\"]\n", &["launch.toml:2:", "fixture.echo"]),
    ("allow = [\"fixture.Echo\"]\n", &["launch.toml:1:", "fixture.Echo"]),
    ("allow = [\"Fixture.echo\"]\n", &["launch.toml:1:", "Fixture.echo"]),
    ("allow = [\" fixture.echo\"]\n", &["launch.toml:1:", "fixture.echo"]),
    ("allow = [\"fixture.echo \"]\n", &["launch.toml:1:", "fixture.echo"]),
    ("allow = [\"fixture.*\"]\n", &["launch.toml:1:", "fixture.*"]),
    ("allow = [\"*\"]\n", &["launch.toml:1:", "*"]),
    ("allow = [\"\"]\n", &["launch.toml:1:"]),
    ("allow = [7]\n", &["launch.toml:1:"]),
    ("allow = \"fixture.echo\"\n", &["launch.toml:1:", "allow"]),
    ("allow = []\n\n[limits]\nmax_input_bytes = 0\n", &["launch.toml:4:", "max_input_bytes"]),
    ("allow = []\n[limits]\nmax_frame_bytes = -1\n", &["launch.toml:3:", "max_frame_bytes"]),
    ("allow = []\n[limits]\nmax_frame_bytes = 1.5\n", &["launch.toml:3:", "max_frame_bytes"]),
    ("allow = []\n[limits]\nmax_frame_bytes = \"1\"\n", &["launch.toml:3:", "max_frame_bytes"]),
    ("allow = []\n[limits]\nmax_output_bytes = 90\n", &["launch.toml:3:", "max_output_bytes", "91"]),
    ("allow = []\n[limits]\nmax_outputbytes = 900\n", &["launch.toml:3:", "max_outputbytes", "max_output_bytes"]),
    ("allow = []\nidentiti = \"a\"\n", &["launch.toml:2:", "identiti", "identity"]),
    ("allow = [\"fixture.echo\"]\n[limits]\nmax_catalog_bytes = 100\n", &["max_catalog_bytes"]),
    ("allow = []\nallow = []\n", &["launch.toml:2:", "allow"]),
    ("allow = [\n", &[]),
];

#[test]
fn a_launch_file_that_is_not_right_is_refused() {
    for (text, expected) in REFUSED {
        for command in ["serve", "check"] {
            let ended = fixture().launch(text).command(command).text_output().run();
            ended.assert_code(3);
            assert!(command != "serve" || ended.stdout.is_empty(), "{text}");
            for part in ["launch.toml"].iter().chain(expected) {
                assert!(ended.stderr.contains(part), "{text}\n{command} does not name {part:?}:\n{}", ended.stderr);
            }
        }
    }
}

#[test]
fn the_line_is_that_of_the_entry() {
    for lines in [0, 5] {
        let text = format!("{}allow = [\"fixture.nope\"]\n", "# a comment\n".repeat(lines));
        let ended = fixture().launch(&text).host().run();
        ended.assert_refused(&[&format!("launch.toml:{}", lines + 1), "fixture.nope"]);
    }
}

#[test]
fn the_smallest_output_budget_is_accepted() {
    let fixture = fixture().launch("allow = []\n[limits]\nmax_output_bytes = 91\n");
    fixture.host().run().assert_code(0);
}

#[test]
fn a_launch_file_that_is_not_there_is_refused() {
    let fixture = fixture();
    let host = fixture.command("serve");
    std::fs::remove_file(fixture.folder().join("launch.toml")).expect("the launch file");
    host.run().assert_refused(&["launch.toml"]);
}

#[test]
fn a_declaration_that_is_not_right_refuses_the_launch() {
    for (declare, expected) in [
        ("twice", &["fixture.echo"][..]),
        ("no-identifier", &["not an identifier"]),
        ("no-object", &["fixture.no_object"]),
        ("panic", &["launch refused"]),
    ] {
        let ended = fixture().switch("DECLARE", declare).host().run();
        ended.assert_refused(expected);
    }
}

#[test]
fn a_known_secret_in_the_catalogue_refuses_the_launch_and_is_not_repeated() {
    let fixture = fixture();
    // The description of `echo`.
    let ended = fixture.host().env("FIXTURE_PASSWORD", "Return the text.").run();
    ended.assert_refused(&["launch refused"]);
    assert!(!ended.stderr.contains("Return the text."), "{}", ended.stderr);
}

#[test]
fn operations_of_the_command_line_alone_cannot_be_allowed() {
    let fixture = Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["wait"]);
    fixture.host().run().assert_code(0);
    for declare in ["mcp-values", "mcp-nothing"] {
        let fixture = Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["wait"]).switch("DECLARE", declare);
        fixture.host().run().assert_refused(&["launch.toml:1", "fixture.wait"]);
    }
}

#[test]
fn a_constructor_that_fails_refuses_the_launch() {
    for (how, expected) in
        [("fail", &[][..]), ("safe", &["The fixture does not feel like it."]), ("panic", &[]), ("rude", &[])]
    {
        let fixture = fixture().switch("CONSTRUCTOR", how);
        fixture.host().run().assert_refused(expected);
        assert_eq!(fixture.effects(), ["constructor"], "{how}");
    }
}

#[test]
fn nothing_is_printed_to_standard_output_by_a_constructor_of_a_refused_launch() {
    let fixture = fixture().switch("CONSTRUCTOR", "print").launch("allow = [\"fixture.nope\"]\n");
    fixture.host().run().assert_refused(&["launch.toml:1", "fixture.nope"]);
}

#[test]
fn a_bad_command_line_exits_with_2_and_usage_on_standard_error() {
    let fixture = fixture();
    let hosts = [fixture.command("bogus"), fixture.command("serve").arg("--bogus"), fixture.command("call")];
    for host in hosts {
        let ended = host.run();
        ended.assert_code(2);
        assert_eq!(ended.stdout, b"");
        assert!(ended.stderr.contains("Usage"), "{}", ended.stderr);
    }
}
