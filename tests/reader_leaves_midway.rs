//! A reader that leaves while answers are being written is noticed at once, whoever was writing.

use std::thread::sleep;
use std::time::Duration;

use serde_json::json;
use test_host::{Fixture, message};

#[test]
fn the_entry_ends_although_its_input_stays_open() {
    let fixture = Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["echo"]);
    for round in 0..150_u32 {
        let host = if round % 2 == 0 { fixture.host() } else { fixture.host().socket_pair() };
        let mut session = host.spawn();
        session.initialize("2025-11-25");
        let burst = (0..300).map(|id| match id % 3 {
            0 => message::ping(id),
            1 => message::list(id),
            _ => message::call(id, &fixture.tool("echo"), &json!({"text": "x"})),
        });
        session.offer(message::lines(burst).as_bytes(), Duration::from_secs(5));
        sleep(Duration::from_micros(u64::from(round) * 40));
        session.close_output();
        // Nothing more is sent and the input is not closed: only the hang-up can end it.
        let ended = session.wait();
        assert!(matches!(ended.status.code(), Some(0 | 1)), "round {round}: {:?}", ended.status);
    }
}
