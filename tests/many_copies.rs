//! Every window and agent starts a copy of its own: many at once all answer.

use serde_json::json;
use test_host::{Fixture, message};

#[test]
fn twenty_copies_started_at_once_all_answer() {
    let fixture = Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["echo"]);
    // Written once: every copy reads the same file.
    let host = || fixture.command("serve");
    let hosts: Vec<_> = (0..20).map(|_| host()).collect();
    std::thread::scope(|scope| {
        for (number, host) in hosts.into_iter().enumerate() {
            let tool = fixture.tool("echo");
            scope.spawn(move || {
                let mut session = host.spawn();
                session.initialize("2025-11-25");
                session.send(&message::list(1));
                assert_eq!(session.receive()["result"]["tools"].as_array().map(Vec::len), Some(1));
                session.call(2, &tool, json!({"text": number.to_string()}));
                assert_eq!(session.receive().output(), json!(number.to_string()));
                session.close();
            });
        }
    });
}
