//! What each example serves is a list of tools as the specification has it, and portable to every client.
//!
//! Source: MCP's own schemas; specification page `server/tools`, section Tool.
#![expect(clippy::expect_used, reason = "a test that cannot go on has failed")]

use std::path::{Path, PathBuf};

use serde_json::Value;
use test_host::{Fixture, Frame, Host, clients, message, specified};

const BINARY: &str = env!("CARGO_BIN_EXE_opgate");

type Variables = &'static [(&'static str, &'static str)];

/// The example applications: the launch file of `config/`, its program, and the variables it needs to be listed.
const EXAMPLES: [(&str, &str, Variables); 4] = [
    ("hello", "hello", &[]),
    ("tasks", "tasks", &[("TASK_DATABASE", "sqlite:never-opened.db"), ("TASK_SESSION", "never-looked-at")]),
    ("notes", "notes", &[("NOTES_DATABASE", "sqlite:never-opened.db"), ("NOTES_MCP_SESSION", "never-looked-at")]),
    ("orders", "opgate", &[("ORDERS_DB", "never-opened.db")]),
];

/// An entry that can be listed.
struct Served {
    name: &'static str,
    program: PathBuf,
    launch: PathBuf,
    env: Variables,
}

impl Served {
    fn host(&self, client: Option<&str>) -> Host {
        let host = match client {
            // A client passes no variables on.
            Some(client) => {
                let variables = self.env.iter().map(|(name, value)| format!("{name}={value}"));
                clients::host(BINARY, client).arg("env").args(variables).arg(&self.program)
            }
            None => self.env.iter().fold(Host::new(&self.program), |host, (name, value)| host.env(name, value)),
        };
        host.arg("serve").arg(&self.launch)
    }

    fn list(&self, revision: &str) -> Frame {
        let mut session = self.host(None).spawn();
        if revision == message::STATELESS {
            session.send(&message::stateless(1, "tools/list", Value::Null));
        } else {
            session.initialize(revision);
            session.send(&message::list(1));
        }
        let list = session.receive();
        session.close();
        list
    }
}

/// The fixture with everything it declares.
fn fixture() -> Fixture {
    let nothing = Fixture::beside(BINARY, &[]);
    let listed = nothing.command("list").arg("--json").text_output().run();
    let listed: Value = serde_json::from_str(listed.assert_code(0).text()).expect("JSON");
    let names: Vec<&str> = listed["operations"]
        .as_array()
        .expect("operations")
        .iter()
        .filter_map(|operation| operation["operation"].as_str()?.strip_prefix("fixture."))
        .collect();
    assert!(names.len() > 20, "{names:?}");
    Fixture::beside(BINARY, &names)
}

fn all(fixture: &Fixture) -> Vec<Served> {
    let config = Path::new(env!("CARGO_MANIFEST_DIR")).join("config");
    let mut all: Vec<Served> = EXAMPLES
        .iter()
        .map(|(name, program, env)| {
            let program = Path::new(BINARY).with_file_name(program);
            assert!(program.exists(), "{} is missing: cargo build --workspace", program.display());
            Served { name, program, launch: config.join(format!("{name}.toml")), env }
        })
        .collect();
    all.push(Served {
        name: "fixture",
        program: fixture.program().to_owned(),
        launch: fixture.launch_file(),
        env: &[],
    });
    all
}

#[test]
fn each_revisions_list_satisfies_the_schema_of_that_revision() {
    let fixture = fixture();
    let all = all(&fixture);
    for revision in message::HANDSHAKE.into_iter().chain([message::STATELESS]) {
        for served in &all {
            let list = served.list(revision);
            assert!(!list.tools().is_empty(), "{}: {list}", served.name);
            let verdict = specified::validate(revision, "ListToolsResult", &list["result"]);
            assert_eq!(verdict, Ok(()), "{}", served.name);
        }
    }
}

#[test]
fn the_inspector_finds_every_schema_portable() {
    let fixture = fixture();
    for served in all(&fixture) {
        for client in ["inspector-legacy-list", "inspector-modern-list"] {
            let ended = served.host(Some(client)).run();
            ended.assert_code(0);
            let shown: Value = serde_json::from_str(ended.text()).expect("JSON");
            let shown = shown["result"]["tools"].as_array().map(Vec::len);
            assert_eq!(shown, Some(served.list("2025-11-25").tools().len()), "{}: {ended:?}", served.name);
        }
    }
}
