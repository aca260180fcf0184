//! `init`, `host-config`, `completions` and `try --frames`: from an application to a host, without writing a file by hand.
#![expect(clippy::expect_used, reason = "what cannot be made fails the test")]

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use test_host::{Ended, Fixture, Host};

const OPGATE: &str = env!("CARGO_BIN_EXE_opgate");

fn orders() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/orders/application.toml"))
}

fn opgate(arguments: &[&str]) -> Ended {
    Host::new(OPGATE).args(arguments).env("ORDERS_DB", "the-value-of-it").text_output().run()
}

/// A launch file of the Orders example in a folder of its own.
fn init(arguments: &[&str]) -> (tempfile::TempDir, String, Ended) {
    let folder = tempfile::tempdir().expect("a folder");
    let launch = folder.path().join("orders.toml").to_str().expect("a path").to_owned();
    let application = orders().to_str().expect("a path");
    let ended = opgate(&[&["init", &launch, "--application", application], arguments].concat());
    (folder, launch, ended)
}

#[test]
fn what_init_writes_is_a_launch_file_that_exposes_what_only_reads() {
    let (_folder, launch, ended) = init(&[]);
    ended.assert_code(0);
    assert!(ended.text().contains("2 of 3 operations allowed"), "{}", ended.text());
    let text = fs::read_to_string(&launch).expect("written");
    assert!(text.contains("# \"orders.refund\",") && text.contains("needs approval"), "{text}");
    assert!(text.contains("max_output_bytes = 65536") && text.contains("# [binding.approve]"), "{text}");
    assert!(!text.contains("binding.context"), "{text}");
    let report: Value = serde_json::from_str(opgate(&["check", "--json", &launch]).text()).expect("a report");
    let titles: Vec<&Value> = report["tools"].as_array().expect("tools").iter().map(|tool| &tool["title"]).collect();
    assert_eq!(titles, [&json!("orders.find"), &json!("orders.export")]);
    assert_eq!(report["limits"]["max_output_bytes"], 65536);
    assert_eq!(report["variables"]["ORDERS_DB"], true);
}

#[test]
fn what_is_picked_is_allowed_in_that_order() {
    let (_folder, launch, ended) =
        init(&["--allow", "orders.refund", "--allow", "orders.find", "--identity", "bob \"b\""]);
    ended.assert_code(0);
    let report: Value = serde_json::from_str(opgate(&["check", "--json", &launch]).text()).expect("a report");
    assert_eq!(report["tools"][0]["title"], "orders.refund");
    assert_eq!(report["tools"][1]["title"], "orders.find");
    assert_eq!(report["identity"], "bob \"b\"");
}

#[test]
fn init_overwrites_nothing_unless_it_is_told_to() {
    let (_folder, launch, ended) = init(&[]);
    ended.assert_code(0);
    fs::write(&launch, "mine").expect("our own file");
    let application = orders().to_str().expect("a path");
    let again = opgate(&["init", &launch, "--application", application]);
    again.assert_code(2);
    assert!(again.stderr.contains("--force"), "{}", again.stderr);
    assert_eq!(fs::read_to_string(&launch).expect("there"), "mine");
    let wrong = opgate(&["init", &launch, "--application", application, "--force", "--allow", "orders.fnd"]);
    wrong.assert_code(2);
    assert!(wrong.stderr.contains("did you mean \"orders.find\"?"), "{}", wrong.stderr);
    assert_eq!(fs::read_to_string(&launch).expect("there"), "mine");
    opgate(&["init", &launch, "--application", application, "--force"]).assert_code(0);
    assert_ne!(fs::read_to_string(&launch).expect("there"), "mine");
    let missing = opgate(&["init", "no-such-folder/launch.toml"]);
    missing.assert_code(2);
    assert!(missing.stderr.contains("--application"), "{}", missing.stderr);
}

#[test]
fn a_native_application_has_the_same_commands() {
    let fixture = Fixture::beside(OPGATE, &["echo"]);
    let launch = fixture.folder().join("new.toml");
    let host = Host::new(fixture.program()).arg("init").arg(&launch).args(["--allow", "fixture.echo"]);
    host.env("FIXTURE_LOG", fixture.folder().join("effects")).text_output().run().assert_code(0);
    let text = fs::read_to_string(&launch).expect("written");
    assert!(!text.contains("application ="), "{text}");
    let ended = Host::new(fixture.program())
        .args(["host-config", "--host", "claude-code"])
        .arg(&launch)
        .env("FIXTURE_LOG", fixture.folder().join("effects"))
        .text_output()
        .run();
    ended.assert_code(0);
    let config: Value = serde_json::from_str(ended.text()).expect("JSON");
    assert_eq!(config["mcpServers"]["new"]["command"], json!(fixture.program().canonicalize().expect("there")));
}

#[test]
fn each_host_gets_absolute_paths_and_only_the_names_of_variables() {
    let (_folder, launch, ended) = init(&[]);
    ended.assert_code(0);
    let real = Path::new(&launch).canonicalize().expect("there");
    let program = Path::new(OPGATE).canonicalize().expect("there");
    for host in ["claude-desktop", "claude-code", "cursor", "vscode", "codex"] {
        let ended = opgate(&["host-config", &launch, "--host", host, "--name", "shop"]);
        ended.assert_code(0);
        let text = ended.text();
        for part in [real.to_str().expect("a path"), program.to_str().expect("a path"), "ORDERS_DB", "shop", "serve"] {
            assert!(text.contains(part), "{host} lacks {part}:\n{text}");
        }
        assert!(!text.contains("the-value-of-it") && !ended.stderr.contains("the-value-of-it"), "{host}: {text}");
        match host {
            "codex" => assert!(text.contains("env_vars = [\"ORDERS_DB\"]"), "{text}"),
            _ => assert!(serde_json::from_str::<Value>(text).is_ok_and(|config| config.is_object()), "{text}"),
        }
    }
    let config =
        |host| serde_json::from_str::<Value>(opgate(&["host-config", &launch, "--host", host]).text()).expect("JSON");
    assert_eq!(config("claude-code")["mcpServers"]["orders"]["env"]["ORDERS_DB"], "${ORDERS_DB}");
    assert_eq!(config("cursor")["mcpServers"]["orders"]["env"]["ORDERS_DB"], "${env:ORDERS_DB}");
    assert_eq!(config("vscode")["servers"]["orders"]["env"]["ORDERS_DB"], "${input:ORDERS_DB}");
    assert_eq!(config("vscode")["inputs"][0]["id"], "ORDERS_DB");
    opgate(&["host-config", &launch, "--host", "emacs"]).assert_code(2);
}

#[test]
fn shells_complete_the_commands() {
    for shell in ["bash", "zsh", "fish"] {
        let ended = opgate(&["completions", shell]);
        ended.assert_code(0);
        for command in ["serve", "host-config", "completions", "frames"] {
            assert!(ended.text().contains(command), "{shell} lacks {command}");
        }
    }
}

#[test]
fn try_shows_the_frames_on_request() {
    let fixture = Fixture::beside(OPGATE, &["echo"]);
    let arguments = ["operation_0", r#"{"text":"tried"}"#];
    let quiet = fixture.command("try").args(arguments).text_output().run();
    assert_eq!((quiet.text(), quiet.stderr.as_str()), ("\"tried\"\n", ""));
    let shown = fixture.command("try").arg("--frames").args(arguments).text_output().run();
    shown.assert_code(0);
    assert_eq!(shown.text(), "\"tried\"\n", "standard output stays the result's");
    let frames = |mark: &str| -> Vec<Value> {
        let lines = shown.stderr.lines().filter_map(|line| line.strip_prefix(mark));
        lines.map(|line| serde_json::from_str(line).expect("a frame")).collect()
    };
    assert!(frames("-> ").iter().any(|frame| frame["params"]["arguments"]["text"] == "tried"), "{}", shown.stderr);
    assert!(frames("<- ").iter().any(|frame| frame["result"]["content"][0]["text"] == "\"tried\""), "{}", shown.stderr);
}

#[test]
fn check_warns_of_what_others_can_write() {
    use std::os::unix::fs::PermissionsExt;
    let (folder, launch, ended) = init(&[]);
    ended.assert_code(0);
    let warned = || opgate(&["check", &launch]).text().contains("can be written by others");
    let permit = |path: &Path, mode| fs::set_permissions(path, PermissionsExt::from_mode(mode)).expect("our own");
    permit(folder.path(), 0o755);
    permit(Path::new(&launch), 0o644);
    let before = warned();
    permit(Path::new(&launch), 0o666);
    assert!(warned());
    permit(Path::new(&launch), 0o644);
    permit(folder.path(), 0o777);
    assert!(warned(), "whoever can write the folder can replace the file");
    permit(folder.path(), 0o755);
    assert_eq!(warned(), before);
}

#[test]
fn check_warns_of_the_folder_of_a_file_that_is_named_alone() {
    use std::os::unix::fs::PermissionsExt;
    let (folder, launch, ended) = init(&[]);
    ended.assert_code(0);
    let permit = |path: &Path, mode| fs::set_permissions(path, PermissionsExt::from_mode(mode)).expect("our own");
    permit(Path::new(&launch), 0o644);
    permit(folder.path(), 0o777);
    let check = Host::new(OPGATE).args(["check", "orders.toml"]).current_dir(folder.path()).text_output();
    let ended = check.env("ORDERS_DB", "x").run();
    let folder = fs::canonicalize(folder.path()).expect("our own");
    let warning = format!("warning: {} can be written by others", folder.display());
    assert!(ended.text().contains(&warning), "{}", ended.text());
}

#[test]
fn check_warns_of_the_script_of_a_program_that_is_asked() {
    use std::os::unix::fs::PermissionsExt;
    let fixture = Fixture::beside(OPGATE, &["echo"]).line(
        "[binding.confirm]\nask = \"program\"\ncommand = [\"/bin/sh\", \"asker.sh\"]\n[cli.binding.approve]\nask = \"program\"\ncommand = [\"/bin/sh\", \"gone.sh\"]",
    );
    let asker = fixture.folder().join("asker.sh");
    fs::write(&asker, "echo yes").expect("our own");
    fs::set_permissions(&asker, PermissionsExt::from_mode(0o666)).expect("our own");
    let ended = fixture.command("check").text_output().run();
    ended.assert_code(0);
    for warning in [
        "/asker.sh can be written by others",
        "warning: cli.binding.approve.command: there is no file \"gone.sh\" in the folder of the launch file",
    ] {
        assert!(ended.text().contains(warning), "{warning}\n{}", ended.text());
    }
}

/// A launch file of an application of one operation, with `lines` in its declaration.
fn declared(lines: &str, launch: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let application = format!(
        "name = \"shop\"\n[plugins.shop]\ncommand = [\"true\"]\n[[operations]]\nplugin = \"shop\"\nmethod = \"do\"\ndescription = \"Do.\"\n{lines}\n"
    );
    let launch = format!("application = \"application.toml\"\nallow = [\"shop.do\"]\n{launch}\n");
    fs::write(folder.path().join("application.toml"), application).expect("our own file");
    fs::write(folder.path().join("launch.toml"), launch).expect("our own file");
    let path = folder.path().join("launch.toml").to_str().expect("a path").to_owned();
    (folder, path)
}

#[test]
fn check_warns_of_what_a_schema_says_and_nothing_checks() {
    let schema = r#"input = { type = "object", x-order = 1, properties = { mail = { type = "string", format = "emial", maxLenght = 3 }, n = { type = "integer", format = "int32" } } }"#;
    let (_folder, launch) = declared(schema, "");
    let checked = opgate(&["check", &launch]);
    checked.assert_code(0);
    let warned: Vec<&str> = checked.text().lines().filter(|line| line.contains("input schema")).collect();
    assert_eq!(
        warned,
        [
            r#"warning: the input schema of shop.do, at /properties/mail, "maxLenght" is no keyword of JSON Schema, and nothing checks it: did you mean "maxLength"?"#,
            r#"warning: the input schema of shop.do, at /properties/mail, nothing checks the format "emial": did you mean "email"?"#,
        ]
    );
}

#[test]
fn a_host_is_given_the_variables_that_mcp_needs() {
    let folder = tempfile::tempdir().expect("a folder");
    let application = "name = \"corner shop\"\n[plugins.shop]\ncommand = [\"true\"]\nenv = [\"REGION\", \"SHOP_TOKEN\", { name = \"NOTE\", optional = true }]\n";
    fs::write(folder.path().join("application.toml"), application).expect("our own file");
    let launch = folder.path().join("launch.toml").to_str().expect("a path").to_owned();
    let text = "application = \"application.toml\"\nallow = []\n[binding.context]\nsession = { env = \"MCP_EVIDENCE\" }\ntenant = { env = \"TENANT\", secret = false }\n[cli.binding.context]\nsession = { env = \"CLI_EVIDENCE\" }\n";
    fs::write(&launch, text).expect("our own file");
    let opgate = |arguments: &[&str]| {
        let host = Host::new(OPGATE).args(arguments).args([&launch]).text_output();
        let names = ["REGION", "SHOP_TOKEN", "NOTE", "MCP_EVIDENCE", "TENANT", "CLI_EVIDENCE"];
        let ended = names.iter().fold(host, |host, name| host.env(name, "x")).run();
        ended.assert_code(0);
        ended
    };
    for host in ["claude-desktop", "claude-code", "cursor", "vscode", "codex"] {
        let ended = opgate(&["host-config", "--host", host]);
        for name in ["REGION", "SHOP_TOKEN", "MCP_EVIDENCE", "TENANT"] {
            assert!(ended.text().contains(name), "{host}: {}", ended.text());
        }
        // What `call` alone is given is often the stronger one.
        assert!(!ended.text().contains("CLI_EVIDENCE") && !ended.text().contains("NOTE"), "{host}: {}", ended.text());
        assert!(ended.stderr.contains("left out, as they are optional: NOTE;"), "{}", ended.stderr);
    }
    let config: Value = serde_json::from_str(opgate(&["host-config", "--host", "vscode"]).text()).expect("JSON");
    assert!(config["servers"]["corner_shop"].is_object(), "{config}");
    let inputs = config["inputs"].as_array().expect("inputs").iter();
    let secret: Vec<&Value> = inputs.filter(|input| input["password"] == true).map(|input| &input["id"]).collect();
    assert_eq!(secret, ["MCP_EVIDENCE", "SHOP_TOKEN"]);
}

#[test]
fn every_unset_variable_is_told_at_once() {
    let (folder, launch) =
        declared("input = { type = \"object\" }", "[redaction]\nsecrets = [{ env = \"NO_A\" }, { env = \"NO_B\" }]");
    let refused = opgate(&["serve", &launch]);
    refused.assert_code(3);
    assert!(refused.stderr.contains("these environment variables are not set: NO_A, NO_B"), "{}", refused.stderr);
    fs::write(&launch, "application = \"application.toml\"\nallow = []\n").expect("our own file");
    let application = "name = \"shop\"\n[plugins.shop]\ncommand = [\"true\"]\nenv = [\"NO_C\", \"HOME\", \"NO_D\"]\n";
    fs::write(folder.path().join("application.toml"), application).expect("our own file");
    let refused = opgate(&["serve", &launch]);
    refused.assert_code(3);
    assert!(refused.stderr.contains("these environment variables are not set: NO_C, NO_D"), "{}", refused.stderr);
}

#[test]
fn check_warns_of_a_program_that_a_host_may_not_find() {
    let (folder, launch) = declared("input = { type = \"object\" }", "");
    let application = "name = \"shop\"\n[plugins.shop]\ncommand = [\"tool\", \"gone.py\"]\n[[operations]]\nplugin = \"shop\"\nmethod = \"do\"\ninput = { type = \"object\" }\n";
    fs::write(folder.path().join("application.toml"), application).expect("our own file");
    let tool = folder.path().join("tool");
    fs::write(&tool, "#!/bin/sh\n").expect("our own file");
    fs::set_permissions(&tool, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("our own");
    let checked = Host::new(OPGATE).args(["check", &launch]).env("PATH", folder.path()).text_output().run();
    checked.assert_code(0);
    assert!(checked.text().contains("a host with another PATH runs another one"), "{}", checked.text());
    assert!(checked.text().contains("there is no file \"gone.py\""), "{}", checked.text());
}
