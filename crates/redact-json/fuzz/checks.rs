//! What must hold for any input. The fuzz targets and the ordinary tests share this file.
#![allow(dead_code, reason = "each user needs one of the two")]

use std::{
    io::{self, Read},
    sync::OnceLock,
};

use redact_json::{Budget, Error, MASK, Reason, Rules, Sink, TextMasker, redact_text};
use secrecy::SecretString;
use serde_json::Value;

const SECRETS: [&str; 7] =
    ["hunter22", "hunter22-longer", "er22-lon", "p\u{e4}ss/\"w\\rd", "12345678", "[abc123![", "eyJhbGciOiJIUzI1"];

fn rules() -> &'static Rules {
    static RULES: OnceLock<Rules> = OnceLock::new();
    RULES.get_or_init(|| {
        let mut builder = Rules::builder().token_prefix("acme_").path("/a/*/b").path("/0");
        for secret in SECRETS {
            builder = builder.secret(secret, SecretString::from(secret));
        }
        builder.build().unwrap().0
    })
}

/// A reader that gives so many bytes at a time.
struct Drops<'t>(&'t [u8], usize);

impl Read for Drops<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let len = self.1.min(self.0.len()).min(out.len());
        let (now, later) = self.0.split_at(len);
        out[..len].copy_from_slice(now);
        self.0 = later;
        Ok(len)
    }
}

/// The first byte says how the text is cut and how much room it has; the rest is the text.
pub(crate) fn transcode(data: &[u8]) {
    let Some((&options, json)) = data.split_first() else { return };
    let cut = usize::from(options & 15) + 1;
    let wide = Budget::bytes(if options & 128 == 0 { 1 << 20 } else { 24 }).depth(100);
    let written = redact_json::transcode(json, rules(), wide);
    let dropped = redact_json::transcode(Drops(json, cut), rules(), wide);
    assert_eq!(format!("{written:?}"), format!("{dropped:?}"), "cut into pieces of {cut}");
    let tree = serde_json::from_slice::<Value>(json);
    match written {
        Ok(text) => {
            check_text(&text, wide);
            // serde_json has a bound on nesting of its own, and so have we.
            let tree = tree.unwrap();
            if !json.windows(19).any(|digits| digits.iter().all(u8::is_ascii_digit)) {
                assert_eq!(redact_json::to_string(&tree, rules(), wide).unwrap(), text);
            }
        }
        // The bounds are ours.
        Err(
            Error::TooLarge { .. }
            | Error::TooDeep { .. }
            | Error::DuplicateKey { .. }
            | Error::InvalidText { reason: Reason::LongNumber, .. },
        ) => {}
        Err(Error::NotFinite { .. } | Error::InvalidText { .. }) => assert!(tree.is_err()),
        Err(error) => panic!("{error:?}"),
    }
}

fn check_text(text: &str, budget: Budget) {
    let again = redact_json::transcode(text.as_bytes(), rules(), budget).unwrap();
    assert_eq!(again, text, "a second time");
    let exact = |bytes| {
        let mut framed = String::from("\"");
        redact_json::transcode_into(text.as_bytes(), rules(), Budget::bytes(bytes), Sink::Escaped(&mut framed))
            .map(|()| framed)
    };
    let framed = exact(text.len()).unwrap() + "\"";
    assert_eq!(serde_json::from_str::<String>(&framed).unwrap(), text, "in a frame");
    assert!(matches!(exact(text.len() - 1), Err(Error::TooLarge { .. })), "a byte less");
    check_strings(&serde_json::from_str(text).unwrap());
}

fn check_strings(value: &Value) {
    match value {
        Value::String(text) => check_clean(text),
        Value::Array(items) => items.iter().for_each(check_strings),
        Value::Object(members) => members.iter().for_each(|(key, value)| {
            check_clean(key);
            check_strings(value);
        }),
        _ => {}
    }
}

fn check_clean(text: &str) {
    for segment in text.split(MASK) {
        assert!(!SECRETS.iter().any(|secret| segment.contains(secret)), "{text:?}");
    }
}

/// The first byte says how the text is cut; the rest is the text.
pub(crate) fn masker(data: &[u8]) {
    let Some((&options, text)) = data.split_first() else { return };
    let cut = usize::from(options & 31) + 1;
    let whole = stream(text, text.len().max(1));
    let pieces = stream(text, cut);
    assert_eq!(String::from_utf8_lossy(&whole), String::from_utf8_lossy(&pieces), "cut into pieces of {cut}");
    assert_eq!(whole, pieces);
    let again = stream(&whole, cut);
    assert_eq!(String::from_utf8_lossy(&again), String::from_utf8_lossy(&whole), "a second time");
    if let Ok(text) = std::str::from_utf8(text) {
        assert_eq!(redact_text(text, rules()).as_bytes(), whole);
        check_clean(std::str::from_utf8(&whole).unwrap());
    }
}

fn stream(text: &[u8], cut: usize) -> Vec<u8> {
    let mut masker = TextMasker::new(rules().clone());
    let mut out = Vec::new();
    for piece in text.chunks(cut) {
        masker.push(piece, &mut out);
    }
    masker.finish(&mut out);
    out
}
