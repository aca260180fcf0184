//! Memory stays bounded whatever comes in and however little of the answers is read.
#![expect(clippy::expect_used, reason = "what cannot be read fails the test")]

use std::time::Duration;

use serde_json::json;
use test_host::{Fixture, Session, message};

const MIB: usize = 1 << 20;

/// The most memory the entry has had in use, in bytes.
fn peak(session: &Session) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{}/status", session.id())).expect("the process runs");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("VmHWM");
    line.trim().trim_end_matches(" kB").parse::<usize>().expect("a number") * 1024
}

#[test]
fn a_gibibyte_without_a_line_end_is_discarded() {
    let fixture = Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["echo"]);
    let mut session = fixture.host().deadline(Duration::from_mins(2)).spawn();
    session.initialize("2025-11-25");
    let before = peak(&session);
    session.send_bytes(br#"{"jsonrpc":"2.0","method":"ping","params":{"x":""#);
    let piece = vec![b'x'; MIB];
    for _ in 0..1024 {
        session.send_bytes(&piece);
    }
    session.send_bytes(b"\"},\"id\":\"last\"}\n");
    let answer = session.receive();
    assert_eq!(answer.assert_error(-32600)["data"]["code"], "frame-too-large");
    assert_eq!(answer["id"], "last", "the id is found where TypeScript clients put it");
    let more = peak(&session) - before;
    assert!(more < 4 * MIB, "{} KiB", more / 1024);
}

#[test]
fn answers_that_nobody_reads_pause_the_intake() {
    let fixture = Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["echo"]);
    for request in [message::ping, message::list] as [fn(i64) -> serde_json::Value; 2] {
        let mut session = fixture.host().output_unread().deadline(Duration::from_mins(1)).spawn();
        session.send(&message::initialize("first", "2025-11-25"));
        let wanted: i64 = 100_000;
        let lines: Vec<u8> = (0..wanted).flat_map(|id| format!("{}\n", request(id)).into_bytes()).collect();
        let mut sent = 0;
        while sent < lines.len() {
            let taken = session.offer(&lines[sent..], Duration::from_secs(2));
            sent += taken;
            if taken == 0 {
                break;
            }
        }
        assert!(sent < lines.len(), "the intake never paused");
        assert!(peak(&session) < 32 * MIB, "{} KiB", peak(&session) / 1024);
        session.start_reading();
        session.send_bytes(&lines[sent..]);
        session.receive();
        for id in 0..wanted {
            assert_eq!(session.receive()["id"], json!(id));
        }
        assert!(peak(&session) < 32 * MIB, "{} KiB", peak(&session) / 1024);
    }
}
