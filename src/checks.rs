//! What must hold for any bytes from outside. The fuzz targets and the ordinary tests share this file.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};

use crate::scan::{DEEPEST, Root, scan};
use crate::stdio::{Frames, Line, Recover};

/// The first byte says how the input is cut and how long a line may be; the rest is the input.
///
/// # Panics
/// If lines depend on how the input is cut, are too long, or hold a line end.
pub fn frames(data: &[u8]) {
    let Some((options, input)) = data.split_first() else { return };
    let limit = 1 + usize::from(options >> 4) * 8;
    let cut = |size: usize| {
        let mut frames = Frames::new(limit);
        let mut lines = Vec::new();
        for mut bytes in input.chunks(size) {
            while let Some(line) = frames.next(&mut bytes) {
                lines.push(format!("{line:?}"));
                if let Line::Whole(line) = line {
                    assert!(line.len() <= limit && !line.contains(&b'\n') && !line.trim_ascii().is_empty());
                }
            }
            assert!(bytes.is_empty(), "everything is taken");
        }
        lines.extend(frames.finish().map(|line| format!("{line:?}")));
        lines
    };
    let whole = cut(input.len().max(1));
    assert_eq!(whole, cut(1));
    assert_eq!(whole, cut(1 + usize::from(options & 15)));
}

/// # Panics
/// If the scanner and an independent parser disagree, or an id is found that is not the frame's.
pub fn scanner(data: &[u8]) {
    let mut recover = Recover::default();
    recover.feed(data);
    let mut bytewise = Recover::default();
    for byte in data {
        bytewise.feed(&[*byte]);
    }
    let recovered = recover.id();
    assert_eq!(recovered, bytewise.id(), "an id depends on how the line is cut");

    let strict = serde_json::from_slice::<Strict>(data);
    match scan(data) {
        Ok(scanned) => {
            let whole = 0..scanned.text.len();
            assert!(strict.is_ok() || scanned.is_unholdable(&whole) || is_deep(data), "accepted what is no JSON");
            if let Root::Object(members) = &scanned.root {
                let all = |name: &str| members.iter().filter(|(key, _)| key == name).collect::<Vec<_>>();
                let is_request = all("method").len() == 1 && all("result").is_empty() && all("error").is_empty();
                let raw = all("id").first().filter(|_| is_request).map(|(_, place)| &scanned.text[place.clone()]);
                if let (Some(recovered), Some(raw)) = (&recovered, raw) {
                    assert_eq!(recovered, raw);
                }
                assert!(recovered.is_none() || raw.is_some(), "an id from nowhere");
            }
        }
        // The independent parser allows what is refused here on purpose.
        Err(_) => assert!(strict.is_err() || is_deep(data), "refused what is JSON"),
    }
}

/// Whether brackets alone make this deeper than the independent parser or the scanner goes.
fn is_deep(data: &[u8]) -> bool {
    data.iter().filter(|byte| matches!(byte, b'[' | b'{')).count() >= DEEPEST - 1
}

/// JSON without duplicate keys, by another parser.
struct Strict;

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Strict;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("JSON")
            }
            fn visit_bool<E>(self, _: bool) -> Result<Strict, E> {
                Ok(Strict)
            }
            fn visit_i64<E>(self, _: i64) -> Result<Strict, E> {
                Ok(Strict)
            }
            fn visit_u64<E>(self, _: u64) -> Result<Strict, E> {
                Ok(Strict)
            }
            fn visit_f64<E>(self, _: f64) -> Result<Strict, E> {
                Ok(Strict)
            }
            fn visit_str<E>(self, _: &str) -> Result<Strict, E> {
                Ok(Strict)
            }
            fn visit_unit<E>(self) -> Result<Strict, E> {
                Ok(Strict)
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Strict, A::Error> {
                while items.next_element::<Strict>()?.is_some() {}
                Ok(Strict)
            }
            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Strict, A::Error> {
                let mut seen = BTreeSet::new();
                while let Some(key) = members.next_key::<String>()? {
                    members.next_value::<Strict>()?;
                    if !seen.insert(key) {
                        return Err(serde::de::Error::custom("duplicate key"));
                    }
                }
                Ok(Strict)
            }
        }
        deserializer.deserialize_any(Any)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    fn each(target: &str, check: fn(&[u8])) {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds").join(target);
        let mut count = 0;
        for seed in fs::read_dir(folder).expect("the seeds") {
            check(&fs::read(seed.expect("a seed").path()).expect("a seed"));
            count += 1;
        }
        assert!(count >= 10, "the seeds of {target} are gone");
    }

    #[test]
    fn every_seed_of_the_frame_reader_keeps_the_promises() {
        each("frames", super::frames);
    }

    #[test]
    fn every_seed_of_the_scanner_keeps_the_promises() {
        each("scanner", super::scanner);
    }
}
