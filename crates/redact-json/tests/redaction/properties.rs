//! Whatever the value: exactly what the model says, from types and from text, and the same again.

use std::io::{self, Read};

use proptest::prelude::*;
use redact_json::{Rules, Sink, TextMasker, redact_text};
use secrecy::SecretString;

use super::{
    WIDE,
    model::{Json, Model, canonical},
    text, transcoded,
    values::{self, NAMES},
};

fn rules(model: &Model, shapes: bool) -> Rules {
    let mut builder = Rules::builder().value_shapes(shapes).default_keys(false);
    for name in &model.names {
        builder = builder.key(name);
    }
    for secret in &model.secrets {
        builder = builder.secret("one of them", SecretString::from(secret.as_str()));
    }
    for path in &model.paths {
        let pointer: String =
            path.iter().flat_map(|s| ["/".to_owned(), s.replace('~', "~0").replace('/', "~1")]).collect();
        builder = builder.path(&pointer);
    }
    builder.build().unwrap().0
}

/// A reader that gives a few bytes at a time.
struct Drops<'t>(&'t [u8], usize);

impl Read for Drops<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.1 = self.1 % 7 + 1;
        let len = self.1.min(self.0.len()).min(out.len());
        let (now, later) = self.0.split_at(len);
        out[..len].copy_from_slice(now);
        self.0 = later;
        Ok(len)
    }
}

fn reversed(value: &Json) -> Json {
    match value {
        // The order of items is theirs to keep.
        Json::Array(items) => Json::Array(items.iter().map(reversed).collect()),
        Json::Object(members) => {
            Json::Object(members.iter().rev().map(|(key, value)| (key.clone(), reversed(value))).collect())
        }
        other => other.clone(),
    }
}

fn strings(value: &serde_json::Value, seen: &mut impl FnMut(&str)) {
    match value {
        serde_json::Value::String(text) => seen(text),
        serde_json::Value::Array(items) => items.iter().for_each(|item| strings(item, seen)),
        serde_json::Value::Object(members) => members.iter().for_each(|(key, value)| {
            seen(key);
            strings(value, seen);
        }),
        _ => {}
    }
}

/// The stream's output for one way to cut the text.
fn streamed(text: &[u8], rules: &Rules, cuts: &[usize]) -> Vec<u8> {
    let mut masker = TextMasker::new(rules.clone());
    let mut out = Vec::new();
    let mut rest = text;
    let mut cuts = cuts.iter().cycle();
    while !rest.is_empty() {
        let (now, later) = rest.split_at(cuts.next().map_or(1, |cut| *cut).min(rest.len()));
        masker.push(now, &mut out);
        rest = later;
    }
    masker.finish(&mut out);
    out
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, max_shrink_iters: 2000, ..ProptestConfig::default() })]

    #[test]
    fn values_are_redacted_as_the_model_says((model, value) in values::case(), noise in any::<u64>()) {
        let rules = rules(&model, false);
        let written = text(&value, &rules);
        prop_assert_eq!(&written, &canonical(&model.redact(&value)));
        let json = values::noisy(&value, &mut noise.clone());
        prop_assert_eq!(&transcoded(&json, &rules), &written, "from text: {}", json);
        let dropped = redact_json::transcode(Drops(json.as_bytes(), json.len() % 7), &rules, WIDE).unwrap();
        prop_assert_eq!(&dropped, &written);
        prop_assert_eq!(&transcoded(&written, &rules), &written, "a second time");
        prop_assert_eq!(&text(&reversed(&value), &rules), &written, "in another order");
    }

    #[test]
    fn no_planted_secret_survives((model, value) in values::case()) {
        let written = text(&value, &rules(&model, true));
        let parsed: serde_json::Value = serde_json::from_str(&written).unwrap();
        let mut survivor = None;
        strings(&parsed, &mut |text| if model.survives_in(text) { survivor = Some(text.to_owned()) });
        prop_assert_eq!(survivor, None);
        prop_assert_eq!(&transcoded(&written, &rules(&model, true)), &written);
    }

    #[test]
    fn without_secrets_nothing_but_order_and_form_changes(value in values::value(&[])) {
        let rules = Rules::builder().default_keys(false).value_shapes(false).build().unwrap().0;
        let written = text(&value, &rules);
        prop_assert_eq!(&written, &canonical(&Model::default().redact(&value)));
        prop_assert_eq!(serde_json::from_str::<serde_json::Value>(&written).unwrap(), serde_json::to_value(Lossy(&value)).unwrap());
    }

    #[test]
    fn in_a_frame_stands_the_same_text((model, value) in values::case()) {
        let rules = rules(&model, true);
        let mut framed = String::from("\"");
        redact_json::write(&value, &rules, WIDE, Sink::Escaped(&mut framed)).unwrap();
        framed.push('"');
        let written = text(&value, &rules);
        prop_assert_eq!(&serde_json::from_str::<String>(&framed).unwrap(), &written);
        prop_assert_eq!(&framed, &serde_json::to_string(&written).unwrap(), "with minimal escapes");
        let exact = redact_json::Budget::bytes(written.len());
        prop_assert!(redact_json::write(&value, &rules, exact, Sink::Escaped(&mut framed)).is_ok());
        let short = redact_json::Budget::bytes(written.len() - 1);
        let before = framed.clone();
        prop_assert!(redact_json::write(&value, &rules, short, Sink::Escaped(&mut framed)).is_err());
        prop_assert_eq!(framed, before);
    }

    #[test]
    fn text_is_redacted_as_the_model_says(
        (secrets, text) in values::secrets().prop_flat_map(|secrets| (Just(secrets.clone()), values::text(&secrets))),
        cuts in proptest::collection::vec(1..9_usize, 1..4),
    ) {
        let model = Model { secrets, ..Model::default() };
        let rules = rules(&model, false);
        let masked = redact_text(&text, &rules);
        prop_assert_eq!(&*masked, &model.redact_text(&text));
        prop_assert_eq!(&*redact_text(&masked, &rules), &*masked);
        prop_assert_eq!(String::from_utf8(streamed(text.as_bytes(), &rules, &cuts)).unwrap(), &*masked);
    }

    #[test]
    fn however_credentials_are_cut_and_combined_twice_is_once(
        text in values::shapely(),
        secret in proptest::sample::select(vec!["p4ss@host/", "EFGHIJKL.eyJ", "unrelated1", "KEY-----MIIB", "://user:"]),
        cuts in proptest::collection::vec(1..9_usize, 1..4),
    ) {
        let rules = rules(&Model { secrets: vec![secret.to_owned()], names: NAMES.to_vec(), ..Model::default() }, true);
        let masked = redact_text(&text, &rules);
        prop_assert_eq!(&*redact_text(&masked, &rules), &*masked, "a second time");
        prop_assert_eq!(&String::from_utf8(streamed(text.as_bytes(), &rules, &cuts)).unwrap(), &*masked, "as a stream");
    }

    #[test]
    fn bytes_that_are_no_text_pass_a_stream(bytes in proptest::collection::vec(any::<u8>(), 0..200), cut in 1..9_usize) {
        let rules = super::knowing(&["correct horse"]).0;
        let out = streamed(&bytes, &rules, &[cut]);
        if std::str::from_utf8(&bytes).map_or(true, |text| redact_text(text, &rules) == text) {
            prop_assert_eq!(out, bytes);
        }
    }
}

/// Integers as `serde_json` reads them: those beyond 64 bits as floats.
struct Lossy<'v>(&'v Json);

impl serde::Serialize for Lossy<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Json::Integer(number) => match (i64::try_from(*number), u64::try_from(*number)) {
                (Ok(number), _) => serializer.serialize_i64(number),
                (_, Ok(number)) => serializer.serialize_u64(number),
                _ => serializer.serialize_f64(number.to_string().parse().unwrap()),
            },
            Json::Array(items) => serializer.collect_seq(items.iter().map(Lossy)),
            Json::Object(members) => serializer.collect_map(members.iter().map(|(key, value)| (key, Lossy(value)))),
            other => other.serialize(serializer),
        }
    }
}
