//! The budget is exact, of the plain text, and ends what is too large early.

use std::{
    cell::Cell,
    io::{self, Read},
};

use redact_json::{Budget, Error, Rules, Sink};
use serde::Serialize;
use serde_json::json;

use super::knowing;

fn fits(value: &impl Serialize, bytes: usize) -> bool {
    let mut sinks = [String::from("x"), String::from("x")];
    let [plain, escaped] = &mut sinks;
    let fits = [
        redact_json::write(
            value,
            &knowing(&["a phrase that is quite long"]).0,
            Budget::bytes(bytes),
            Sink::Plain(plain),
        ),
        redact_json::write(
            value,
            &knowing(&["a phrase that is quite long"]).0,
            Budget::bytes(bytes),
            Sink::Escaped(escaped),
        ),
    ]
    .map(|written| match written {
        Ok(()) => true,
        Err(Error::TooLarge { limit }) if limit == bytes => false,
        Err(error) => panic!("{error}"),
    });
    assert_eq!(fits[0], fits[1], "plain and escaped");
    assert!(fits[0] || sinks.iter().all(|sink| sink == "x"), "the sinks are as before");
    fits[0]
}

#[test]
fn exactly_the_budget_fits_and_one_byte_more_does_not() {
    for (value, text) in [
        (json!("0123456789"), r#""0123456789""#),
        (json!("01234567\n"), r#""01234567\n""#),
        (json!("\u{1}\""), r#""\u0001\"""#),
        (json!({"a": [1, 2.5, null, true]}), r#"{"a":[1,2.5,null,true]}"#),
        (json!({"b\n": 1, "a": 2}), r#"{"a":2,"b\n":1}"#),
        (json!(1_234_567_890), "1234567890"),
        (json!({"token": "a secret"}), r#"{"token":"[REDACTED]"}"#),
        (json!("a phrase that is quite long"), r#""[REDACTED]""#),
        (json!({"a phrase that is quite long": 1}), r#"{"[REDACTED]":1}"#),
        (json!({"a phrase that is quite long": 1, "[REDACTED]": 2}), r#"{"[REDACTED]":2,"[REDACTED] (2)":1}"#),
    ] {
        assert!(fits(&value, text.len()) && !fits(&value, text.len() - 1), "{value}");
    }
    assert!(!fits(&json!(1), 0));
}

#[test]
fn a_mebibyte_of_string_fits_a_budget_of_its_length() {
    let value = "é\"".repeat(350_000);
    let len = 350_000 * 4 + 2;
    assert!(fits(&value, len) && !fits(&value, len - 1));
}

#[test]
fn a_type_that_never_ends_is_stopped() {
    struct Endless<'c>(&'c Cell<u64>);
    impl Serialize for Endless<'_> {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_seq((0..u64::MAX).inspect(|n| self.0.set(*n)))
        }
    }
    let items = Cell::new(0);
    assert!(redact_json::to_string(&Endless(&items), &Rules::default(), Budget::bytes(1000)).is_err());
    assert!(items.get() < 1000);
}

#[test]
fn text_that_never_ends_is_stopped() {
    struct Endless(usize, &'static [u8]);
    impl Read for Endless {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            for byte in &mut *out {
                *byte = if self.0 == 0 { b'[' } else { self.1[self.0 % self.1.len()] };
                self.0 += 1;
            }
            assert!(self.0 < 1 << 20, "still reading");
            Ok(out.len())
        }
    }
    for text in [&b"0,"[..], b"x\""] {
        let text: &'static [u8] = if text == b"x\"" { b"xxxxxxxxx" } else { text };
        let error = redact_json::transcode(Endless(0, text), &Rules::default(), Budget::bytes(1000));
        assert!(error.is_err());
    }
}

#[test]
fn what_never_ends_is_stopped_where_nothing_of_it_is_written_too() {
    struct Endless(&'static str, &'static str, usize);
    impl Read for Endless {
        fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
            assert!(self.2 < MOST + (1 << 20), "still reading");
            let text = if self.2 == 0 { self.0 } else { self.1 };
            let len = out.len() / text.len().max(1) * text.len();
            out.chunks_exact_mut(text.len().max(1)).for_each(|chunk| chunk.copy_from_slice(text.as_bytes()));
            if self.2 == 0 {
                self.2 = 1;
                return Ok(text.len());
            }
            self.2 += len;
            Ok(len)
        }
    }
    impl std::fmt::Display for Endless {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str(self.0)?;
            let text = self.1.repeat(1 << 16);
            let mut written = 0;
            while written < MOST + (1 << 20) {
                f.write_str(&text)?;
                written += text.len();
            }
            panic!("still writing")
        }
    }
    const BUDGET: usize = 1000;
    const MOST: usize = 64 * BUDGET + (64 << 20);
    for (begin, again) in
        [(" ", "    "), ("{\"password\":\"", "a"), ("{\"password\":[0", ",0"), ("\"Bearer a1", "b2345678")]
    {
        let error = redact_json::transcode(Endless(begin, again, 0), &Rules::default(), Budget::bytes(BUDGET));
        assert!(matches!(error, Err(Error::TooLarge { limit: BUDGET })), "{begin}");
    }
    struct Shown(Endless);
    impl Serialize for Shown {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_str(&self.0)
        }
    }
    let value = Shown(Endless("Bearer a1", "b2345678", 0));
    let error = redact_json::to_string(&value, &Rules::default(), Budget::bytes(BUDGET));
    assert!(matches!(error, Err(Error::TooLarge { limit: BUDGET })));
    let key = std::collections::HashMap::<_, _, std::hash::RandomState>::from_iter([(Key, 1)]);
    let error = redact_json::to_string(&key, &Rules::default(), Budget::bytes(BUDGET));
    assert!(matches!(error, Err(Error::TooLarge { limit: BUDGET })));

    #[derive(PartialEq, Eq, Hash)]
    struct Key;
    impl Serialize for Key {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            struct Text;
            impl std::fmt::Display for Text {
                fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                    (0..10).try_for_each(|_| f.write_str(&"x".repeat(10_000)))?;
                    panic!("held as a whole")
                }
            }
            serializer.collect_str(&Text)
        }
    }
}
