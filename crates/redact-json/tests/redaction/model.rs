//! An independent and obvious model of the redaction of values: slow, over a tree, without shapes.

use std::collections::BTreeMap;

use redact_json::MASK;
use serde::{Serialize, Serializer, ser::SerializeMap};

/// A value whose members have an order of their own.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Json {
    Null,
    Bool(bool),
    Integer(i128),
    Float(f64),
    Text(String),
    Array(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Integer(value) => serializer.serialize_i128(*value),
            Self::Float(value) => serializer.serialize_f64(*value),
            Self::Text(value) => serializer.serialize_str(value),
            Self::Array(items) => serializer.collect_seq(items),
            Self::Object(members) => {
                let mut map = serializer.serialize_map(None)?;
                for (key, value) in members {
                    map.serialize_entry(key, value)?;
                }
                map.end()
            }
        }
    }
}

/// What the model masks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Model {
    pub(crate) names: Vec<&'static str>,
    pub(crate) secrets: Vec<String>,
    pub(crate) paths: Vec<Vec<String>>,
}

impl Model {
    pub(crate) fn redact(&self, value: &Json) -> Json {
        self.redact_at(value, &mut Vec::new())
    }

    fn redact_at(&self, value: &Json, path: &mut Vec<String>) -> Json {
        let declared = |pattern: &Vec<String>| {
            pattern.len() == path.len() && pattern.iter().zip(&*path).all(|(p, s)| p == "*" || p == s)
        };
        if self.paths.iter().any(declared) {
            return Json::Text(MASK.into());
        }
        match value {
            Json::Text(text) => Json::Text(self.redact_text(text)),
            Json::Integer(number) if self.redact_text(&number.to_string()) != number.to_string() => {
                Json::Text(MASK.into())
            }
            Json::Array(items) => Json::Array(
                items
                    .iter()
                    .enumerate()
                    .map(|(index, item)| self.redact_under(&index.to_string(), item, path))
                    .collect(),
            ),
            Json::Object(members) => self.redact_members(members, path),
            other => other.clone(),
        }
    }

    fn redact_under(&self, segment: &str, value: &Json, path: &mut Vec<String>) -> Json {
        path.push(segment.to_owned());
        let redacted = self.redact_at(value, path);
        path.pop();
        redacted
    }

    fn redact_members(&self, members: &[(String, Json)], path: &mut Vec<String>) -> Json {
        let mut sorted = members.to_vec();
        sorted.sort_by(|a, b| a.0.cmp(&b.0));
        let mut done: BTreeMap<String, Json> = BTreeMap::new();
        for changed in [false, true] {
            for (key, value) in &sorted {
                let masked = self.redact_text(key);
                if (masked != *key) == changed {
                    let secret = self.is_secret_name(key) || self.is_secret_name(&masked);
                    let value = if secret { Json::Text(MASK.into()) } else { self.redact_under(key, value, path) };
                    let mut name = masked.clone();
                    let mut number = 1;
                    while done.contains_key(&name) {
                        number += 1;
                        name = format!("{masked} ({number})");
                    }
                    done.insert(name, value);
                }
            }
        }
        Json::Object(done.into_iter().collect())
    }

    fn is_secret_name(&self, key: &str) -> bool {
        let mut key = key.to_owned();
        if let Some((head, number)) = key.rsplit_once(" (")
            && head.contains(MASK)
            && number.strip_suffix(')').is_some_and(|n| n.chars().all(|c| c.is_ascii_digit()))
        {
            key = head.to_owned();
        }
        let chars: Vec<char> = key.chars().collect();
        let mut spaced = String::new();
        for (at, &c) in chars.iter().enumerate() {
            let before = at.checked_sub(1).map_or(' ', |before| chars[before]);
            let after = chars.get(at + 1).copied().unwrap_or(' ');
            let hump = c.is_uppercase() && (!before.is_uppercase() || after.is_lowercase());
            if hump || c.is_numeric() != before.is_numeric() || c.is_alphabetic() && !before.is_alphabetic() {
                spaced.push(' ');
            }
            spaced.extend(c.to_lowercase().filter(|c| c.is_alphanumeric()));
            if !c.is_alphanumeric() {
                spaced.push(' ');
            }
        }
        let words: Vec<&str> = spaced.split_whitespace().collect();
        let runs = (0..words.len()).flat_map(|from| (from + 1..=words.len()).map(move |to| (from, to)));
        runs.map(|(from, to)| words[from..to].concat()).any(|run| self.names.contains(&run.as_str()))
    }

    /// Finds every form of every secret between the masks that are there already, and joins what overlaps.
    pub(crate) fn redact_text(&self, text: &str) -> String {
        let segments: Vec<String> = text.split(MASK).map(|segment| self.redact_segment(segment)).collect();
        segments.join(MASK)
    }

    fn redact_segment(&self, text: &str) -> String {
        let mut found: Vec<(usize, usize)> = Vec::new();
        for form in self.secrets.iter().flat_map(|secret| forms(secret)) {
            let starts = (0..text.len()).filter(|&start| text.as_bytes()[start..].starts_with(form.as_bytes()));
            found.extend(starts.map(|start| (start, start + form.len())));
        }
        found.sort_unstable();
        let mut redacted = String::new();
        let mut done = 0;
        let mut last_end = 0;
        for (start, end) in found {
            if start >= last_end {
                redacted.push_str(&text[done..start]);
                redacted.push_str(MASK);
            }
            last_end = last_end.max(end);
            done = last_end;
        }
        redacted.push_str(&text[done..]);
        redacted
    }

    /// Whether a form of a secret stands anywhere outside masks.
    pub(crate) fn survives_in(&self, text: &str) -> bool {
        text.split(MASK).any(|segment| self.secrets.iter().flat_map(|s| forms(s)).any(|form| segment.contains(&form)))
    }
}

/// Some ways to write a secret; the crate knows these and more.
pub(crate) fn forms(secret: &str) -> Vec<String> {
    let mut forms = vec![secret.to_owned()];
    let json = serde_json::to_string(secret).unwrap();
    forms.push(json[1..json.len() - 1].to_owned());
    let mut ascii = String::new();
    for c in json[1..json.len() - 1].chars() {
        if c.is_ascii() {
            ascii.push(c);
        } else {
            ascii.extend(c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")));
        }
    }
    forms.push(ascii);
    forms.extend(forms.clone().iter().skip(1).map(|json| json.replace('/', "\\/")));
    for (kept, upper) in [("-_.~", true), ("-_.~", false), ("-_.!~*'()", true)] {
        let percent = |byte: u8| match char::from(byte) {
            c if c.is_ascii_alphanumeric() || kept.contains(c) => c.to_string(),
            _ if upper => format!("%{byte:02X}"),
            _ => format!("%{byte:02x}"),
        };
        forms.push(secret.bytes().map(percent).collect());
    }
    for before in ["", "x", "xx"] {
        let whole = base64(format!("{before}{secret}").as_bytes());
        let from = (8 * before.len()).div_ceil(6);
        let to = 8 * (before.len() + secret.len()) / 6;
        forms.push(whole[from..to].to_owned());
        forms.push(whole[from..to].replace('+', "-").replace('/', "_"));
    }
    forms
}

/// Standard base64 with padding.
pub(crate) fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let group = chunk.iter().fold(0_u32, |group, byte| group << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let six = group >> (18 - 6 * place) & 63;
            text.push(if place <= chunk.len() { char::from(ALPHABET[six as usize]) } else { '=' });
        }
    }
    text
}

/// The canonical text of a value whose members are sorted already.
pub(crate) fn canonical(value: &Json) -> String {
    let list = |items: Vec<String>| items.join(",");
    match value {
        Json::Null => "null".into(),
        Json::Bool(value) => value.to_string(),
        Json::Integer(value) => value.to_string(),
        Json::Float(value) => serde_json::to_string(value).unwrap(),
        Json::Text(value) => serde_json::to_string(value).unwrap(),
        Json::Array(items) => format!("[{}]", list(items.iter().map(canonical).collect())),
        Json::Object(members) => {
            let member =
                |(key, value): &(String, Json)| format!("{}:{}", serde_json::to_string(key).unwrap(), canonical(value));
            format!("{{{}}}", list(members.iter().map(member).collect()))
        }
    }
}
