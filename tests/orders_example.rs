//! The Orders example works as its README says, and what a team copies from it is as short as promised.
#![expect(clippy::expect_used, reason = "what cannot be made fails the test")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use test_host::{Desk, Ended, Host, Session};

const OPGATE: &str = env!("CARGO_BIN_EXE_opgate");

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A database of its own.
struct Orders {
    folder: tempfile::TempDir,
    database: PathBuf,
}

fn orders() -> Orders {
    let folder = tempfile::tempdir().expect("a folder");
    let database = folder.path().join("orders.db");
    #[expect(clippy::disallowed_methods, reason = "a test starts programs")]
    let prepared = Command::new("python3")
        .arg(root().join("examples/orders/orders.py"))
        .arg("prepare")
        .env("ORDERS_DB", &database)
        .output()
        .expect("python3");
    assert!(prepared.status.success(), "{prepared:?}");
    Orders { folder, database }
}

impl Orders {
    fn host(&self, command: &str) -> Host {
        Host::new(OPGATE)
            .arg(command)
            .arg(root().join("config/orders.toml"))
            .env("ORDERS_DB", &self.database)
            // Where prompts are left.
            .env("TMPDIR", self.folder.path())
    }

    fn session(&self) -> Session {
        let mut session = self.host("serve").spawn();
        session.initialize("2025-11-25");
        session
    }

    fn call(&self, method: &str, input: &Value) -> Ended {
        self.host("call").args(["orders", method, "--input", &input.to_string()]).text_output().run()
    }
}

#[test]
fn an_order_is_found_without_its_card() {
    let orders = orders();
    let mut session = orders.session();
    session.call(1, "operation_0", json!({"id": "o-00042"}));
    let found = session.answer_to(1).output();
    assert_eq!(found["orders"][0]["id"], "o-00042");
    assert_eq!(found["orders"][0]["card"]["number"], "[REDACTED]");
    session.call(2, "operation_0", json!({"customer": "customer-7"}));
    assert_eq!(session.answer_to(2).output()["orders"].as_array().map(Vec::len), Some(20));
    session.call(3, "operation_0", json!({"id": "o-00042", "customer": "x"}));
    session.answer_to(3).assert_failure("invalid-input", "input", "not-started");
    session.close();
}

#[test]
fn an_export_is_too_large_until_less_is_asked_for() {
    let orders = orders();
    let mut session = orders.session();
    session.call(1, "operation_2", json!({}));
    session.answer_to(1).assert_failure("output-too-large", "output", "completed");
    let (mut after, mut count) = (String::new(), 0);
    for id in 2..30 {
        session.call(id, "operation_2", json!({"after": after, "limit": 300}));
        let page = session.answer_to(id).output();
        count += page["orders"].as_array().map_or(0, Vec::len);
        match page["next"].as_str() {
            Some(next) => next.clone_into(&mut after),
            None => break,
        }
    }
    assert_eq!(count, 2000);
    session.close();
}

#[test]
fn a_refund_happens_when_a_person_says_yes_and_not_otherwise() {
    let orders = orders();
    let desk = Desk::new(Host::new(OPGATE).env("TMPDIR", orders.folder.path()));
    let mut session = orders.session();
    let refunded = |session: &mut Session, id: i64| {
        session.call(id, "operation_0", json!({"id": "o-00042"}));
        session.answer_to(id).output()["orders"][0]["refunded"] == true
    };
    session.call(1, "operation_1", json!({"id": "o-00042", "reason": "broken on arrival"}));
    let prompt = desk.wait_for_prompt(&session);
    desk.answer("deny", &prompt).assert_code(0);
    session.answer_to(1).assert_failure("approval-required", "approve", "not-started");
    assert!(!refunded(&mut session, 2));
    session.call(3, "operation_1", json!({"id": "o-00042", "reason": "broken on arrival"}));
    let prompt = desk.wait_for_prompt(&session);
    desk.answer("allow", &prompt).assert_code(0);
    assert_eq!(session.answer_to(3).output()["id"], "o-00042");
    assert!(refunded(&mut session, 4));
    session.close();
}

/// Runs the program itself with one request.
fn run(orders: &Orders, method: &str, input: &Value) -> Value {
    use std::io::Write as _;
    use std::process::Stdio;
    #[expect(clippy::disallowed_methods, reason = "a test starts programs")]
    let mut program = Command::new("python3")
        .arg(root().join("examples/orders/orders.py"))
        .env("ORDERS_DB", &orders.database)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("python3");
    let request = json!({"opgate": 1, "call": "c", "plugin": "orders", "method": method, "input": input});
    program.stdin.take().expect("piped").write_all(request.to_string().as_bytes()).expect("taken");
    let output = program.wait_with_output().expect("ended");
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).expect("one JSON object")
}

#[test]
fn an_order_is_refunded_once() {
    let orders = orders();
    let input = json!({"id": "o-00042", "reason": "broken on arrival"});
    assert_eq!(run(&orders, "refund", &input)["output"]["id"], "o-00042");
    for (input, code) in [(input, "already-refunded"), (json!({"id": "none", "reason": "none"}), "not-found")] {
        let refused = &run(&orders, "refund", &input)["error"];
        assert_eq!((&refused["code"], &refused["changed"]), (&json!(code), &json!(false)));
    }
    let ended = orders.call("find", &json!({"id": "o-00042"}));
    assert_eq!(serde_json::from_str::<Value>(ended.text()).expect("an answer")["orders"][0]["refunded"], true);
}

#[test]
fn the_helper_module_declares_operations_from_pydantic_models() {
    let install = Host::new(root().join("tests/clients/install"))
        .inherit_env()
        .env("CARGO_TARGET_DIR", Path::new(OPGATE).ancestors().nth(2).expect("target/debug/opgate"))
        .text_output()
        .deadline(std::time::Duration::from_mins(5));
    install.run().assert_code(0);
    let python = Path::new(OPGATE).ancestors().nth(2).expect("target").join("clients/python/bin/python");
    let folder = tempfile::tempdir().expect("a folder");
    let helper = fs::read_to_string(root().join("examples/orders/opgate_app.py")).expect("the helper");
    let program = r#"
from typing import Annotated
from pydantic import BaseModel, Field, model_validator
from opgate_app import Problem, operation, run

class Span(BaseModel):
    first: int = Field(ge=0)
    last: int = 9

    @model_validator(mode="after")
    def ordered(self):
        if self.first > self.last:
            raise ValueError(f"secret {self.first}")
        return self

class Count(BaseModel):
    count: int

@operation(effect="read", retry="safe", input=Span)
def count(span):
    """Count from first to last."""
    print("a stray line")
    return Count(count=span.last - span.first)

@operation(effect="write")
def fail(input):
    raise Problem("not-today", "Come again.")

run()
"#;
    let application = format!(
        "name = \"counter\"\n[plugins.counter]\ncommand = [{python:?}, \"counter.py\", \"worker\"]\ndescribe = [{python:?}, \"counter.py\", \"describe\"]\nmode = \"worker\"\n"
    );
    let launch = "application = \"application.toml\"\nallow = [\"counter.count\", \"counter.fail\"]\n";
    for (name, text) in [
        ("opgate_app.py", helper.as_str()),
        ("counter.py", program),
        ("application.toml", &application),
        ("launch.toml", launch),
    ] {
        fs::write(folder.path().join(name), text).expect("a file in our own folder");
    }
    let mut session = Host::new(OPGATE).arg("serve").arg(folder.path().join("launch.toml")).spawn();
    session.initialize("2025-11-25");
    session.call(1, "operation_0", json!({"first": 2}));
    assert_eq!(session.answer_to(1).output(), json!({"count": 7}));
    session.call(2, "operation_0", json!({"first": -1}));
    session.answer_to(2).assert_failure("invalid-input", "input", "not-started");
    session.call(3, "operation_0", json!({"first": 10}));
    session.answer_to(3).assert_failure("not-accepted", "invoke", "unknown");
    session.call(4, "operation_1", json!({}));
    session.answer_to(4).assert_failure("not-today", "invoke", "unknown");
    session.close_input();
    let ended = session.wait();
    ended.assert_code(0);
    assert!(ended.stderr.contains("a stray line"), "{}", ended.stderr);
}

#[test]
fn the_application_in_node_answers() {
    let folder = tempfile::tempdir().expect("a folder");
    let launch = folder.path().join("launch.toml");
    let application = root().join("examples/orders-node/application.toml");
    fs::write(&launch, format!("application = {application:?}\nallow = [\"orders.find\", \"orders.count\"]\n"))
        .expect("written");
    let mut session = Host::new(OPGATE).arg("serve").arg(&launch).spawn();
    session.initialize("2025-11-25");
    session.call(1, "operation_0", json!({"id": "o-1"}));
    assert_eq!(session.answer_to(1).output(), json!({"cents": 1250, "id": "o-1"}));
    session.call(2, "operation_0", json!({"id": "none"}));
    session.answer_to(2).assert_failure("not-found", "invoke", "unknown");
    session.call(3, "operation_1", json!({}));
    assert_eq!(session.answer_to(3).output(), json!(2));
    session.close();
}

#[test]
fn what_a_team_copies_is_short() {
    for (file, most) in [("examples/orders/opgate_app.py", 60), ("examples/orders-node/orders.mjs", 30)] {
        let lines = fs::read_to_string(root().join(file)).expect("an example").lines().count();
        assert!(lines <= most, "{file} has {lines} lines");
    }
}
