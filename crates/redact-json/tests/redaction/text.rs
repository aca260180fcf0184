//! The canonical form: sorted keys, exact numbers, minimal escapes.

use std::collections::BTreeMap;

use redact_json::Rules;
use serde::Serialize;
use serde_json::{json, value::RawValue};

use super::{text, transcoded};

#[test]
fn keys_are_sorted_by_code_point_and_empty_containers_stay() {
    let json =
        r#"{"\ud83d\ude00":1,"\uff61":2,"é":3,"z":4,"Z":5,"":6,"a\u0000":7,"a":8,"a\"":9,"aa":10,"[]":[],"{}":{}}"#;
    let sorted = "{\"\":6,\"Z\":5,\"[]\":[],\"a\":8,\"a\\u0000\":7,\"a\\\"\":9,\"aa\":10,\"z\":4,\"{}\":{},\"é\":3,\"\u{ff61}\":2,\"\u{1f600}\":1}";
    assert_eq!(transcoded(json, &Rules::default()), sorted);
    let value: serde_json::Value = serde_json::from_str(json).unwrap();
    assert_eq!(text(&value, &Rules::default()), sorted);
}

#[test]
fn integers_are_exact_and_floats_are_those_of_serde_json() {
    let rules = Rules::default();
    assert_eq!(
        text(&(u128::MAX, i128::MIN, u64::MAX, -0.0_f64, 0.1_f32, 1e16, 1.0), &rules),
        format!("[{},{},{},-0.0,0.1,1e+16,1.0]", u128::MAX, i128::MIN, u64::MAX)
            .replace("1e+16", &serde_json::to_string(&1e16).unwrap())
    );
    let big = "1".repeat(100);
    assert_eq!(
        transcoded(&format!("[{big},-{big},-0,0,1E2,1e-7,0.10]"), &rules),
        format!("[{big},-{big},-0.0,0,100.0,1e-7,0.1]")
    );
    let mut bits = 1_u64;
    for _ in 0..20_000 {
        bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let float = f64::from_bits(bits);
        if float.is_finite() {
            let expected = serde_json::to_string(&float).unwrap();
            assert_eq!(text(&float, &rules), expected);
            assert_eq!(transcoded(&format!("{float:e}"), &rules), expected);
        }
    }
}

#[test]
fn types_are_written_as_serde_json_writes_them() {
    #[derive(Serialize)]
    struct All<'a> {
        unit: (),
        none: Option<u8>,
        some: Option<u8>,
        character: char,
        tuple: (u8, &'a str),
        bytes: &'a [u8],
        newtype: Newtype,
        nothing: Nothing,
        map: BTreeMap<u8, bool>,
    }
    #[derive(Serialize)]
    struct Newtype(u8);
    #[derive(Serialize)]
    struct Nothing;
    let value = All {
        unit: (),
        none: None,
        some: Some(1),
        character: '"',
        tuple: (2, "\u{8}\u{c}\u{7f}/"),
        bytes: b"ab",
        newtype: Newtype(3),
        nothing: Nothing,
        map: BTreeMap::from([(4, true)]),
    };
    let tree: serde_json::Value = serde_json::to_value(&value).unwrap();
    assert_eq!(text(&value, &Rules::default()), tree.to_string());
}

#[test]
fn text_that_is_json_already_is_redacted_and_sorted_too() {
    #[derive(Serialize)]
    struct Holds {
        z: Box<RawValue>,
        a: u8,
        token: Box<RawValue>,
    }
    let raw = |json: &str| RawValue::from_string(json.to_owned()).unwrap();
    let value = Holds { z: raw(r#"{ "b" : [1.50, "\u0061"], "a": {"password": 1} }"#), a: 1, token: raw("{}") };
    assert_eq!(
        text(&value, &Rules::default()),
        r#"{"a":1,"token":"[REDACTED]","z":{"a":{"password":"[REDACTED]"},"b":[1.5,"a"]}}"#
    );
    let too_deep = raw(&("[".repeat(200) + &"]".repeat(200)));
    assert!(redact_json::to_string(&too_deep, &Rules::default(), super::WIDE).is_err());
    assert!(redact_json::to_string(&raw(r#"["\ud800"]"#), &Rules::default(), super::WIDE).is_err());
    assert!(redact_json::to_string(&raw(r#"[{"a":1,"a":1}]"#), &Rules::default(), super::WIDE).is_err());
}

#[test]
fn many_and_few_members_are_sorted_alike() {
    for count in [0, 1, 2, 20, 21, 1023, 1024, 1025, 3000] {
        let members: Vec<String> =
            (0..count).map(|n| format!("\"{}\":{{\"n\":{n},\"a\":[{n}]}}", n * 7919 % 3001)).collect();
        let json = format!("{{{}}}", members.join(","));
        let value: BTreeMap<String, serde_json::Value> = serde_json::from_str(&json).unwrap();
        assert_eq!(transcoded(&json, &Rules::default()), serde_json::to_string(&value).unwrap());
    }
}

#[test]
fn a_long_string_comes_through_as_it_is() {
    let long = "An ordinary sentence, with a \"quotation\" and a \u{1f600}.\n".repeat(20_000);
    let json = serde_json::to_string(&json!({"b": long, "a": long})).unwrap();
    assert_eq!(transcoded(&json, &super::knowing(&["correct horse"]).0), json);
}
