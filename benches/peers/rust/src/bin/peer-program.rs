//! A process application: returns what `big` builds, neither redacted nor sorted. One call a process, or with `worker` a line
//! a call.

use std::fmt::Write as _;
use std::io::{Read, Write};

use peers::{PAD, RECORD};
use serde::Deserialize;

#[derive(Deserialize)]
struct Call {
    call: String,
    input: Input,
}

#[derive(Deserialize)]
struct Input {
    bytes: usize,
}

fn records(bytes: usize) -> String {
    let count = bytes / RECORD;
    let mut text = String::with_capacity(bytes * 9 / 8 + 64);
    text += r#"{"records":["#;
    for i in 0..count {
        let comma = if i == 0 { "" } else { "," };
        let (active, zeta, amount) = (i % 2 == 0, i * 7, i * 13);
        write!(
            text,
            r#"{comma}{{"name":"record-{i:08}","id":{i},"password":"p-{i:08}","email":"user{i:08}@example.test","#
        )
        .unwrap();
        write!(text, r#""active":{active},"nested":{{"token":"t-{i:08}","zeta":{zeta},"alpha":[1,2,3],"#).unwrap();
        write!(text, r#""kind":"business"}},"description":"{PAD}","amount":{amount}}}"#).unwrap();
    }
    write!(text, r#"],"count":{count}}}"#).unwrap();
    text
}

fn main() {
    let mut output = std::io::stdout();
    if std::env::args().any(|argument| argument == "worker") {
        for line in std::io::stdin().lines() {
            let Call { call, input } = serde_json::from_str(&line.unwrap()).unwrap();
            let answer = format!("{{\"call\":\"{call}\",\"output\":{}}}\n", records(input.bytes));
            output.write_all(answer.as_bytes()).unwrap();
            output.flush().unwrap();
        }
        return;
    }
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    let Call { input, .. } = serde_json::from_str(&text).unwrap();
    output.write_all(format!("{{\"output\":{}}}", records(input.bytes)).as_bytes()).unwrap();
}
