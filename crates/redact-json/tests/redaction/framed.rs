//! A sink that escapes gets what stands between the quotation marks of a frame.

use redact_json::{Rules, Sink};
use serde_json::json;

use super::{WIDE, knowing};

#[test]
fn framed_text_is_the_plain_text_escaped_once_more() {
    let value =
        json!({"z\"": "a\\b\n\u{1}\u{7f}é", "a": [1, {"c": {}, "b": "[REDACTED]"}], "token": 1, "ab\\": 0, "ab": 1});
    let mut plain = String::new();
    redact_json::write(&value, &Rules::default(), WIDE, Sink::Plain(&mut plain)).unwrap();
    let mut frame = String::from("{\"text\":\"");
    redact_json::write(&value, &Rules::default(), WIDE, Sink::Escaped(&mut frame)).unwrap();
    frame.push_str("\"}");
    assert_eq!(frame, serde_json::to_string(&json!({"text": plain})).unwrap());
}

#[test]
fn large_unsorted_objects_are_sorted_in_a_frame_too() {
    let rules = knowing(&["correct horse"]).0;
    let members: Vec<String> =
        (0..5000).rev().map(|n| format!("\"k\\\"{n:05}\":{{\"b\":[\"],\\\\\"],\"a\":{n}}}")).collect();
    let json = format!("{{{}}}", members.join(","));
    let mut plain = String::new();
    redact_json::transcode_into(json.as_bytes(), &rules, WIDE, Sink::Plain(&mut plain)).unwrap();
    let sorted: Vec<String> = (0..5000).map(|n| format!("\"k\\\"{n:05}\":{{\"a\":{n},\"b\":[\"],\\\\\"]}}")).collect();
    assert_eq!(plain, format!("{{{}}}", sorted.join(",")));
    let mut frame = String::from("\"");
    redact_json::transcode_into(json.as_bytes(), &rules, WIDE, Sink::Escaped(&mut frame)).unwrap();
    frame.push('"');
    assert_eq!(serde_json::from_str::<String>(&frame).unwrap(), plain);
}
