//! What is not JSON is an error with its place and without its value.

use std::{collections::BTreeMap, io};

use redact_json::{Budget, Error, Reason, Rules, Sink};
use serde::{Serialize, Serializer, ser::Error as _};
use serde_json::json;

use super::{WIDE, knowing, transcoded};

fn fails(value: &impl Serialize) -> String {
    let mut sink = String::from("before");
    let error = redact_json::write(value, &knowing(&["correct horse"]).0, WIDE, Sink::Plain(&mut sink)).unwrap_err();
    assert_eq!(sink, "before");
    error.to_string()
}

fn refused(json: &[u8]) -> (u64, Reason) {
    match redact_json::transcode(json, &Rules::default(), WIDE) {
        Err(Error::InvalidText { offset, reason }) => (offset, reason),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_float_that_is_not_finite_is_told_with_its_place() {
    let deep: BTreeMap<&str, _> = [("a/b", vec![vec![1.0], vec![2.0, f64::NAN]])].into();
    assert_eq!(fails(&deep), "the number at `/a~1b/1/1` is not finite");
    assert_eq!(fails(&f32::INFINITY), "the number at `` is not finite");
    let error = redact_json::transcode(&b"{\"a\":[0,1e400]}"[..], &Rules::default(), WIDE).unwrap_err();
    assert_eq!(error.to_string(), "the number at `/a/1` is not finite");
}

#[test]
fn keys_may_be_integers_and_nothing_else_but_strings() {
    #[derive(Serialize, PartialEq, Eq, PartialOrd, Ord)]
    enum Unit {
        One,
    }
    let integers: BTreeMap<i128, u8> = [(-1, 1), (10, 2), (9, 3), (i128::MAX, 4)].into();
    assert_eq!(
        super::text(&integers, &Rules::default()),
        r#"{"-1":1,"10":2,"170141183460469231731687303715884105727":4,"9":3}"#
    );
    assert_eq!(super::text(&BTreeMap::from([(Unit::One, 'x')]), &Rules::default()), r#"{"One":"x"}"#);
    assert_eq!(super::text(&BTreeMap::from([('c', ())]), &Rules::default()), r#"{"c":null}"#);
    let told = "a key of the map at `/1` is neither a string nor an integer";
    assert_eq!(fails(&(0, BTreeMap::from([(true, 1)]))), told);
    assert_eq!(fails(&(0, BTreeMap::from([(vec![1], 1)]))), told);
    assert_eq!(fails(&(0, BTreeMap::from([((), 1)]))), told);
    assert_eq!(fails(&(0, BTreeMap::from([(Some(None::<u8>), 1)]))), told);
}

#[test]
fn a_hundred_and_twenty_eight_levels_fit_and_one_more_does_not() {
    let nested = |levels| "[".repeat(levels) + &"]".repeat(levels);
    let value = |levels| (1..levels).fold(json!([]), |inner, _| json!([inner]));
    let deepest = format!("{}{}", "/0".repeat(128), "");
    assert_eq!(transcoded(&nested(128), &Rules::default()), nested(128));
    assert_eq!(super::text(&value(128), &Rules::default()), nested(128));
    for error in [
        redact_json::transcode(nested(129).as_bytes(), &Rules::default(), WIDE).unwrap_err(),
        redact_json::to_string(&value(129), &Rules::default(), WIDE).unwrap_err(),
    ] {
        assert!(matches!(&error, Error::TooDeep { path, limit: 128 } if *path == deepest), "{error}");
    }
    // Inside a masked value too, where the text comes from outside.
    let masked = format!("{{\"token\":{}}}", nested(128));
    assert!(redact_json::transcode(masked.as_bytes(), &Rules::default(), WIDE).is_err());
    assert!(redact_json::transcode(&b"[]"[..], &Rules::default(), WIDE.depth(0)).is_err());
    assert!(redact_json::transcode(&b"1"[..], &Rules::default(), WIDE.depth(0)).is_ok());
}

#[test]
fn a_serializer_that_fails_is_told_by_place_and_its_message_is_dropped() {
    struct Fails;
    impl Serialize for Fails {
        fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
            Err(S::Error::custom("correct horse"))
        }
    }
    assert_eq!(fails(&json_like(Fails)), "the value at `/a/2` cannot be serialized");

    struct Swallows;
    impl Serialize for Swallows {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            use serde::ser::SerializeSeq as _;
            let mut seq = serializer.serialize_seq(None)?;
            let _ = seq.serialize_element(&f64::NAN);
            seq.end()
        }
    }
    assert_eq!(fails(&Swallows), "the number at `/0` is not finite");
}

fn json_like<T: Serialize>(value: T) -> impl Serialize {
    BTreeMap::from([("a", ((), (), value))])
}

#[test]
fn a_place_shows_no_secret_no_control_character_and_no_endless_key() {
    let key = format!("correct horse\n{}", "x".repeat(200));
    let told = fails(&BTreeMap::from([(key, f64::NAN)]));
    assert_eq!(told, format!("the number at `/[REDACTED]\u{fffd}{}\u{2026}` is not finite", "x".repeat(53)));
}

#[test]
fn a_key_that_is_there_twice_is_an_error_also_through_escapes_and_types() {
    let twice = |json: &str| match redact_json::transcode(json.as_bytes(), &knowing(&["correct horse"]).0, WIDE) {
        Err(Error::DuplicateKey { path }) => path,
        other => panic!("{json}: {other:?}"),
    };
    assert_eq!(twice(r#"{"a":1,"a":2}"#), "/a");
    assert_eq!(twice(r#"[{"b":1,"a":1,"\u0061":2}]"#), "/0/a");
    assert_eq!(twice(r#"{"x":{"\n":1,"z":0,"\u000a":2}}"#), "/x/\u{fffd}");
    assert_eq!(twice(r#"{"correct horse":1,"correct h\u006frse":2}"#), "/[REDACTED]");
    assert_eq!(twice(r#"{"[REDACTED]":1,"[REDACTED]":2,"correct horse":3}"#), "/[REDACTED]");

    #[derive(Serialize)]
    struct Clash {
        id: u8,
        #[serde(flatten)]
        rest: BTreeMap<&'static str, u8>,
    }
    assert_eq!(fails(&Clash { id: 1, rest: BTreeMap::from([("id", 2)]) }), "the key at `/id` is there twice");
}

#[test]
fn invalid_text_is_told_by_its_byte() {
    for (json, offset, reason) in [
        (&b""[..], 0, Reason::End),
        (b"  ", 2, Reason::End),
        (b"[1,", 3, Reason::End),
        (b"[1,]", 3, Reason::Unexpected),
        (b"[,1]", 1, Reason::Unexpected),
        (b"[1 2]", 3, Reason::Unexpected),
        (b"{\"a\"}", 4, Reason::Unexpected),
        (b"{a:1}", 1, Reason::Unexpected),
        (b"{\"a\":1,}", 7, Reason::Unexpected),
        (b"[1}", 2, Reason::Unexpected),
        (b"nul", 0, Reason::End),
        (b"nulL", 0, Reason::Unexpected),
        (b"NaN", 0, Reason::Unexpected),
        (b"{} {}", 3, Reason::Trailing),
        (b"\"a", 2, Reason::End),
        (b"\"a\nb\"", 2, Reason::Control),
        (b"\"\\x\"", 1, Reason::Escape),
        (b"\"\\u12g4\"", 1, Reason::Escape),
        (b"\"\\ud800\"", 1, Reason::Surrogate),
        (b"\"\\ud800\\n\"", 1, Reason::Surrogate),
        (b"\"\\ud800\\ud800\"", 1, Reason::Surrogate),
        (b"\"a\\udc00\"", 2, Reason::Surrogate),
        (b"\"a\xff\"", 2, Reason::Utf8),
        (b"\"a\xed\xa0\x80\"", 2, Reason::Utf8),
        (b"\"\xc3", 1, Reason::Utf8),
        (b"01", 0, Reason::Number),
        (b"-", 0, Reason::Number),
        (b"1.", 0, Reason::Number),
        (b"1e+", 0, Reason::Number),
        (b"+1", 0, Reason::Unexpected),
        (b".5", 0, Reason::Unexpected),
        (b"{\"token\":\"\\ud800\"}", 10, Reason::Surrogate),
        (b"{\"token\":[1,}", 12, Reason::Unexpected),
    ] {
        assert_eq!(refused(json), (offset, reason), "{}", String::from_utf8_lossy(json));
    }
    assert_eq!(refused("9".repeat(4097).as_bytes()), (0, Reason::LongNumber));
}

#[test]
fn a_reader_that_fails_is_an_error_and_one_that_is_interrupted_is_not() {
    struct Reads(Vec<io::Result<&'static [u8]>>);
    impl io::Read for Reads {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            let bytes = self.0.pop().unwrap_or(Ok(&[]))?;
            out[..bytes.len()].copy_from_slice(bytes);
            Ok(bytes.len())
        }
    }
    let kind = |kind: io::ErrorKind| Err(io::Error::from(kind));
    let interrupted = Reads(vec![Ok(b"2]"), kind(io::ErrorKind::Interrupted), Ok(b"[1,")]);
    assert_eq!(redact_json::transcode(interrupted, &Rules::default(), WIDE).unwrap(), "[1,2]");
    let broken = Reads(vec![kind(io::ErrorKind::BrokenPipe), Ok(b"[1,")]);
    assert!(matches!(redact_json::transcode(broken, &Rules::default(), WIDE), Err(Error::Read(_))));
}

#[test]
fn no_error_shows_a_value() {
    let value = json!({"a": "visible value", "b": "other"});
    let error = redact_json::to_string(&value, &Rules::default(), Budget::bytes(9)).unwrap_err();
    assert_eq!(
        (error.to_string(), format!("{error:?}")),
        ("the text is longer than 9 bytes".into(), "TooLarge { limit: 9 }".into())
    );
}

macro_rules! hostile {
    ($(fn $name:ident($serializer:ident) $body:block)*) => {
        $({
            struct Hostile;
            impl Serialize for Hostile {
                fn serialize<S: Serializer>(&self, $serializer: S) -> Result<S::Ok, S::Error> $body
            }
            for value in [&(0, Hostile) as &dyn Told, &BTreeMap::from([("a", Hostile)]), &Hostile] {
                let told = value.told();
                assert!(told.ends_with("cannot be serialized"), "{}: {told}", stringify!($name));
            }
        })*
    };
}

trait Told {
    fn told(&self) -> String;
}

impl<T: Serialize> Told for T {
    fn told(&self) -> String {
        fails(self)
    }
}

#[test]
fn what_breaks_the_rules_of_serde_is_an_error_and_never_text_that_is_not_json() {
    use serde::ser::{SerializeMap as _, SerializeSeq as _, SerializeStruct as _};
    use serde_json::value::RawValue;

    struct Fails;
    impl Serialize for Fails {
        fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
            Err(S::Error::custom("x"))
        }
    }
    struct FailsInside;
    impl Serialize for FailsInside {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let mut map = serializer.serialize_map(None)?;
            map.serialize_entry("b", &1)?;
            map.serialize_entry("a", &[1])?;
            Err(S::Error::custom("x"))
        }
    }
    hostile! {
        fn swallows(serializer) {
            let mut seq = serializer.serialize_seq(None)?;
            let _ = seq.serialize_element(&Fails);
            seq.serialize_element(&1)?;
            seq.end()
        }
        fn swallows_inside(serializer) {
            let mut map = serializer.serialize_map(None)?;
            let _ = map.serialize_entry("z", &FailsInside);
            let _ = map.serialize_entry("correct horse", &[FailsInside]);
            let _ = map.serialize_entry("y", &FailsInside);
            map.end()
        }
        fn swallows_a_key(serializer) {
            let mut map = serializer.serialize_map(None)?;
            let _ = map.serialize_key(&Fails);
            map.end()
        }
        fn key_twice(serializer) {
            let mut map = serializer.serialize_map(None)?;
            map.serialize_key("a")?;
            map.serialize_key("b")?;
            map.serialize_value(&1)?;
            map.end()
        }
        fn key_twice_masked(serializer) {
            let mut map = serializer.serialize_map(None)?;
            map.serialize_key("token")?;
            map.serialize_key("b")?;
            map.serialize_value(&1)?;
            map.end()
        }
        fn key_without_value(serializer) {
            let mut map = serializer.serialize_map(None)?;
            map.serialize_key("a")?;
            map.end()
        }
        fn value_without_key(serializer) {
            let mut map = serializer.serialize_map(None)?;
            map.serialize_value(&1)?;
            map.end()
        }
        fn value_twice(serializer) {
            let mut map = serializer.serialize_map(None)?;
            map.serialize_entry("token", &1)?;
            map.serialize_value(&1)?;
            map.end()
        }
        fn raw_without_text(serializer) {
            serializer.serialize_struct("$serde_json::private::RawValue", 0)?.end()
        }
        fn raw_of_another_field(serializer) {
            let mut raw = serializer.serialize_struct("$serde_json::private::RawValue", 1)?;
            raw.serialize_field("t", "1")?;
            raw.end()
        }
        fn raw_twice(serializer) {
            let mut raw = serializer.serialize_struct("$serde_json::private::RawValue", 2)?;
            raw.serialize_field("$serde_json::private::RawValue", "1")?;
            raw.serialize_field("$serde_json::private::RawValue", "2")?;
            raw.end()
        }
    }

    #[derive(Serialize)]
    #[serde(tag = "t")]
    enum Tagged {
        #[serde(rename = "1")]
        One(Box<RawValue>),
    }
    let tagged = Tagged::One(RawValue::from_string("{\"x\":2}".into()).unwrap());
    assert_eq!(fails(&[tagged]), "the value at `/0` cannot be serialized");
}
