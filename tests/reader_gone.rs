//! A reader that is slow holds up nobody but itself; one that is gone ends the process, after the drain.

use std::time::Duration;

use serde_json::json;
use test_host::{Fixture, Signal, message};

fn fixture() -> Fixture {
    Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["wait", "echo"])
}

#[test]
fn noticed_when_idle_it_is_a_clean_end() {
    let fixture = fixture();
    for host in [fixture.host(), fixture.host().socket_pair()] {
        let mut session = host.spawn();
        session.initialize("2025-11-25");
        session.close_output();
        let ended = session.wait();
        ended.assert_code(0);
        assert!(ended.took < Duration::from_secs(2), "{:?}", ended.took);
    }
}

#[test]
fn with_an_answer_owed_the_call_is_drained_and_exit_is_1() {
    let fixture = fixture();
    for host in [fixture.host(), fixture.host().socket_pair()] {
        let mut session = host.spawn();
        session.initialize("2025-11-25");
        session.call(1, &fixture.tool("wait"), json!({"ms": 600}));
        session.send(&message::ping(2));
        assert_eq!(session.receive()["id"], 2);
        session.close_output();
        let ended = session.wait();
        ended.assert_code(1);
        assert_eq!(fixture.effects().last().map(String::as_str), Some("stop"));
        assert!(ended.took > Duration::from_millis(300), "{:?}", ended.took);
    }
}

#[test]
fn all_of_many_requests_are_answered_in_order_although_nobody_reads_at_first() {
    let fixture = fixture();
    for host in [fixture.host(), fixture.host().socket_pair()] {
        let mut session = host.output_unread().spawn();
        let pings = message::lines((0..300).map(message::ping));
        session.send_bytes(pings);
        session.start_reading();
        for id in 0..300 {
            assert_eq!(session.receive()["id"], id);
        }
        session.close();
    }
}

#[test]
fn input_is_left_in_the_pipe_while_nobody_reads() {
    let fixture = fixture();
    let mut session = fixture.host().output_unread().spawn();
    let count = 20_000;
    let requests = message::lines((0..count).map(message::list));
    let taken = session.offer(requests.as_bytes(), Duration::from_millis(1500));
    assert!(taken < requests.len() / 2, "{taken} bytes were taken although no answer was read");
    session.start_reading();
    let rest = requests.as_bytes()[taken..].to_owned();
    session.send_bytes(rest);
    session.close_input();
    let ended = session.wait();
    ended.assert_code(0);
    assert_eq!(ended.frames.len(), count);
}

#[test]
fn a_reader_that_takes_nothing_for_5_s_after_the_drain_is_gone() {
    let fixture = fixture();
    let mut session = fixture.host().output_unread().deadline(Duration::from_secs(15)).spawn();
    let requests = message::lines((0..2000).map(message::list));
    session.offer(requests.as_bytes(), Duration::from_millis(500));
    session.signal(Signal::TERM);
    // `wait` reads what is left only after the end.
    let ended = session.wait();
    ended.assert_code(1);
    assert!(ended.took > Duration::from_millis(4500) && ended.took < Duration::from_secs(8), "{:?}", ended.took);
}
