//! With `names = "canonical"` a tool keeps its name when the allowlist grows, shrinks or is reordered.
//!
//! Source: specification page `server/tools`, section Tool Names.
#![expect(clippy::expect_used, reason = "helpers outside test functions")]

use std::collections::BTreeMap;

use serde_json::json;
use test_host::{Fixture, message};

fn fixture(operations: &[&str]) -> Fixture {
    Fixture::beside(env!("CARGO_BIN_EXE_opgate"), operations).line("[tools]\nnames = \"canonical\"")
}

/// Title and name of each tool.
fn names(fixture: &Fixture) -> BTreeMap<String, String> {
    let mut session = fixture.initialized();
    session.send(&message::list(1));
    let text = |value: &serde_json::Value| value.as_str().expect("a text").to_owned();
    session.receive().tools().iter().map(|tool| (text(&tool["title"]), text(&tool["name"]))).collect()
}

#[test]
fn a_name_follows_its_operation() {
    let all = names(&fixture(&["order", "echo", "wait"]));
    assert_eq!(all["fixture.echo"], "fixture_echo");
    for other in [&["order", "wait"][..], &["wait", "echo", "order"]] {
        let other = names(&fixture(other));
        assert!(other.iter().all(|(title, name)| all[title] == *name), "{other:?}");
    }
}

#[test]
fn it_is_called_by_that_name_and_by_no_number() {
    let fixture = fixture(&["echo"]);
    let mut session = fixture.initialized();
    session.call(1, "fixture_echo", json!({"text": "a"}));
    assert_eq!(session.receive().output(), json!("a"));
    session.call(2, "operation_0", json!({"text": "a"}));
    session.receive().assert_error(-32602);
}

#[test]
fn such_a_list_may_be_kept_and_one_with_numbers_may_not() {
    for (fixture, keeps) in
        [(fixture(&["echo"]), true), (Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["echo"]), false)]
    {
        let mut session = fixture.host().spawn();
        session.send(&message::stateless(1, "tools/list", json!({})));
        let list = session.receive();
        assert_eq!(list["result"]["ttlMs"].as_u64().expect("a time") > 0, keeps);
        assert_eq!(list["result"]["cacheScope"], "private");
    }
}

#[test]
fn names_of_no_known_kind_are_refused() {
    let fixture = Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["echo"]).line("[tools]\nnames = \"Canonical\"");
    fixture.host().run().assert_refused(&[
        "launch.toml:4:",
        "tools.names: expected one of index, canonical, found \"Canonical\"",
        "did you mean \"canonical\"?",
    ]);
}

#[test]
fn check_warns_of_a_write_that_is_listed_by_number_without_pins() {
    let warned =
        |fixture: &Fixture| fixture.command("check").text_output().run().text().contains("is listed by number");
    assert!(warned(&Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["order"])));
    assert!(!warned(&Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["echo"])));
    assert!(!warned(&fixture(&["order"])));
}
