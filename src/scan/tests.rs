use super::*;

fn fault(text: &str) -> Option<Fault> {
    scan(text.as_bytes()).err()
}

#[test]
fn the_members_of_the_root_are_found_with_their_places() {
    let text = r#" {"a": [1, {"x": 2}], "b\u0041" :"y" } "#;
    let scanned = scan(text.as_bytes()).expect("valid");
    let Root::Object(members) = &scanned.root else { panic!("an object") };
    let found: Vec<(&str, &str)> = members.iter().map(|(key, place)| (&**key, &text[place.clone()])).collect();
    assert_eq!(found, [("a", r#"[1, {"x": 2}]"#), ("bA", r#""y""#)]);
}

#[test]
fn the_items_of_a_root_array_are_found() {
    let text = r#"[1, {"a": 2} ,[]]"#;
    let scanned = scan(text.as_bytes()).expect("valid");
    let Root::Array(items) = &scanned.root else { panic!("an array") };
    assert_eq!(items.iter().map(|place| &text[place.clone()]).collect::<Vec<_>>(), ["1", r#"{"a": 2}"#, "[]"]);
}

#[test]
fn json_that_is_not_json_is_refused() {
    for text in [
        "",
        " ",
        "{",
        "}",
        "[1,]",
        "{\"a\":1,}",
        "{\"a\"}",
        "{a:1}",
        "01",
        "-",
        "1.",
        ".5",
        "1e",
        "+1",
        "NaN",
        "nul",
        "'a'",
        "\"a",
        "\"\\x\"",
        "\"\\u12g4\"",
        "\"\\u12\"",
        "\"\u{1}\"",
        "1 2",
        "[1 2]",
        "{\"a\":1 \"b\":2}",
        "{} x",
        "\u{feff}{}",
    ] {
        assert_eq!(fault(text), Some(Fault::NotJson), "{text:?}");
    }
    assert_eq!(scan(b"\"\xff\"").err(), Some(Fault::NotUtf8));
}

#[test]
fn json_that_is_json_is_accepted() {
    for text in [
        "0",
        "-0",
        "1.5e-7",
        "\"\\u00e9 \\ud83d\\ude00 \\/\"",
        "[]",
        "{}",
        " [ { } , [ ] ] ",
        "true",
        "null",
        "\"\u{7f}\"",
    ] {
        assert_eq!(fault(text), None, "{text:?}");
    }
}

#[test]
fn surrogates_must_be_paired() {
    for text in
        [r#""\ud800""#, r#""\ud800x""#, r#""\ud800\u0041""#, r#""\udc00""#, r#""\ud800\ud800""#, r#"{"\ud800":1}"#]
    {
        assert_eq!(fault(text), Some(Fault::UnpairedSurrogate), "{text}");
    }
}

#[test]
fn nesting_is_bounded_and_the_root_counts() {
    let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    assert_eq!(fault(&nested(DEEPEST)), None);
    assert_eq!(fault(&nested(DEEPEST + 1)), Some(Fault::TooDeep));
    assert_eq!(fault(&"[".repeat(1_000_000)), Some(Fault::TooDeep));
    assert_eq!(fault(&"{\"a\":".repeat(DEEPEST + 1)), Some(Fault::TooDeep));
}

#[test]
fn duplicate_keys_are_found_at_any_depth_and_through_escapes() {
    let many = (0..50).map(|index| format!("\"k{index}\":{index}")).collect::<Vec<_>>().join(",") + ",";
    for text in [r#"{"a":1,"a":2}"#, r#"[{"b":{"a":1,"\u0061":2}}]"#, &format!("{{{many}\"k7\":0}}")] {
        assert_eq!(fault(text), Some(Fault::DuplicateKey), "{text}");
    }
    assert_eq!(fault(r#"{"a":{"a":1},"b":{"a":1}}"#), None);
    assert_eq!(fault(&format!("{{{many}\"k50\":0}}")), None);
}

#[test]
fn numbers_that_nothing_can_hold_are_located() {
    for number in ["18446744073709551616", "-9223372036854775809", "1e400", "-1e400", "123456789012345678901234567890"]
    {
        let text = format!(r#"{{"a":1,"b":{number},"c":2}}"#);
        let scanned = scan(text.as_bytes()).expect("valid");
        let (whole, a, b) = (0..text.len(), 5..6, 11..11 + number.len());
        assert_eq!(&text[b.clone()], number);
        assert!(scanned.is_unholdable(&whole) && scanned.is_unholdable(&b) && !scanned.is_unholdable(&a), "{number}");
        assert!(!scanned.is_unholdable_outside(&b) && scanned.is_unholdable_outside(&a), "{number}");
    }
    for number in ["18446744073709551615", "-9223372036854775808", "1e308", "1e-300", "0.1234567890123456789012345"] {
        let text = format!("[{number}]");
        assert!(!scan(text.as_bytes()).expect("valid").is_unholdable(&(0..text.len())), "{number}");
    }
}

#[test]
fn a_borrowed_part_is_found_again() {
    let text = r#"{"params":{"x":1}}"#;
    let scanned = scan(text.as_bytes()).expect("valid");
    assert_eq!(scanned.place(&scanned.text[10..17]), 10..17);
}

proptest::proptest! {
    #[test]
    fn what_serde_json_refuses_is_refused_here(text in "[\\[\\]{}\",:0-9a-eEtrufalsn\\\\. +-]{0,24}") {
        let theirs = serde_json::from_str::<serde_json::Value>(&text);
        let ours = scan(text.as_bytes());
        match (theirs, ours) {
            (Err(_), Ok(scanned)) => assert!(scanned.is_unholdable(&(0..text.len())), "{text}"),
            (Ok(_), Err(fault)) => assert_eq!(fault, Fault::DuplicateKey, "{text}"),
            _ => {}
        }
    }
}

#[test]
fn the_end_of_what_is_plain_is_found_wherever_it_stands_and_whatever_is_around_it() {
    let is_special = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..0x20);
    for around in [b'a', b' ', b'!', b'#', b'[', b']', 0x7f, 0x80, 0xa2, 0xff] {
        for length in 1..=40 {
            for at in 0..length {
                for byte in 0..=u8::MAX {
                    let mut bytes = vec![around; length];
                    bytes[at] = byte;
                    bytes.push(b'"');
                    assert_eq!(end_of_plain(&bytes), bytes.iter().position(is_special), "{bytes:?}");
                }
            }
        }
    }
    for pair in 0..=u16::MAX {
        let bytes = [pair.to_be_bytes(), *b"aa", *b"aa", *b"aa"].concat();
        assert_eq!(end_of_plain(&bytes), bytes.iter().position(is_special), "{bytes:?}");
    }
}
