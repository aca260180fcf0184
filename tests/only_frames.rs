//! Standard output carries frames and nothing else, whatever the application and its children print.
//!
//! The test host panics at the first byte that belongs to no frame; these tests make the application try.

use std::path::Path;
use std::time::Duration;

use serde_json::json;
use test_host::{Errors, Fixture, message};

const PRINTING: [&str; 6] = ["print", "print_much", "child_prints", "stdin", "descriptors", "echo"];

fn fixture() -> Fixture {
    Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &PRINTING)
        .switch("CONSTRUCTOR", "print")
        .switch("START", "print")
        .switch("STOP", "print")
}

#[test]
fn what_is_printed_goes_to_standard_error() {
    let fixture = fixture();
    for host in [fixture.host(), fixture.host().socket_pair()] {
        let mut session = host.spawn();
        session.initialize("2025-11-25");
        for operation in ["print", "child_prints", "print_much"] {
            session.call(operation, &fixture.tool(operation), json!({}));
            assert!(!session.answer_to(operation).output().is_string());
        }
        session.close_input();
        let ended = session.wait();
        ended.assert_code(0);
        assert_eq!(ended.frames.len(), 0);
        assert!(!String::from_utf8_lossy(&ended.stdout).contains("forged by"));
        for who in ["constructor", "start", "operation", "stop"] {
            for what in ["a line on standard output", "a part of a line", "a line on standard error", "a raw write"] {
                assert!(ended.stderr.contains(&format!("{who}: {what}")), "{who}: {what} is lost:\n{}", ended.stderr);
            }
        }
        for what in ["child: a line on standard output", "child: a line on standard error", "child: a part"] {
            assert!(ended.stderr.contains(what), "{what} is lost:\n{}", ended.stderr);
        }
    }
}

#[test]
fn printing_does_not_block_when_nobody_reads_standard_error() {
    for errors in [Errors::Unread, Errors::Null] {
        let fixture = fixture();
        let mut session = fixture.host().errors(errors).spawn();
        session.initialize("2025-11-25");
        for id in 0..4 {
            session.call(id, &fixture.tool("print_much"), json!({}));
            assert_eq!(session.answer_to(id).output(), json!(null));
        }
        session.close_input();
        let ended = session.wait();
        ended.assert_code(0);
        assert!(ended.took < Duration::from_secs(2), "{:?}", ended.took);
    }
}

#[test]
fn printed_text_is_dropped_where_standard_error_is_standard_output() {
    let fixture = fixture();
    let mut session = fixture.host().errors(Errors::Output).spawn();
    session.initialize("2025-11-25");
    for operation in ["print", "child_prints", "print_much"] {
        session.call(operation, &fixture.tool(operation), json!({}));
        assert!(!session.answer_to(operation).output().is_string());
    }
    session.close();
}

#[test]
fn other_answers_arrive_while_the_application_prints() {
    let fixture = fixture();
    let mut session = fixture.initialized();
    session.call("print", &fixture.tool("print_much"), json!({}));
    for id in 0..100 {
        session.send(&message::ping(id));
        assert_eq!(session.answer_to(id)["result"], json!({}));
    }
    assert_eq!(session.answer_to("print").output(), json!(null));
}

#[test]
fn the_application_reads_an_empty_input() {
    let fixture = fixture();
    let mut session = fixture.initialized();
    session.call(1, &fixture.tool("stdin"), json!({}));
    session.send(&message::ping(2));
    assert_eq!(session.answer_to(1).output(), json!(0));
    assert_eq!(session.answer_to(2)["result"], json!({}));
}

#[test]
fn a_child_inherits_its_three_streams_and_nothing_else() {
    let fixture = fixture();
    for host in [fixture.host(), fixture.host().socket_pair()] {
        let mut session = host.spawn();
        session.initialize("2025-11-25");
        session.call(1, &fixture.tool("descriptors"), json!({}));
        let found: Vec<String> = serde_json::from_value(session.answer_to(1).output()).expect("a list of texts");
        let streams = found.iter().filter(|line| ["0 ->", "1 ->", "2 ->"].iter().any(|each| line.starts_with(each)));
        assert_eq!(streams.count(), 3, "{found:?}");
        // What the test itself was started with, and everything it starts inherits, is not the entry's.
        let other = found.iter().filter(|line| {
            let (number, target) = line.split_once(" -> ").expect("number and target");
            number.parse::<u32>().is_ok_and(|number| number > 2)
                && std::fs::read_link(format!("/proc/self/fd/{number}")).ok().as_deref() != Some(Path::new(target))
        });
        assert_eq!(other.count(), 0, "{found:?}");
    }
}
