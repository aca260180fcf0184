//! Random values with secrets planted in them.

use proptest::{collection::vec, prelude::*, sample::select};
use redact_json::MASK;

use super::model::{Json, Model, base64, forms};

/// The names that the model masks here, and that the default rules mask too.
pub(crate) const NAMES: [&str; 4] = ["token", "password", "apikey", "secret"];

fn secret() -> impl Strategy<Value = String> {
    "[a-zA-Z0-9][a-c0-3/\"\\\\ \u{e9}+&\\[\\]~?]{6,14}[a-zA-Z0-9\u{e9}\\[]"
}

/// Up to four secrets, some of them parts of another or overlapping it.
pub(crate) fn secrets() -> impl Strategy<Value = Vec<String>> {
    vec(secret(), 0..3).prop_flat_map(|secrets| {
        let longest = secrets.iter().max_by_key(|s| s.chars().count()).cloned().unwrap_or_default();
        let chars: Vec<char> = longest.chars().collect();
        let kin = if chars.len() > 10 {
            let prefix: String = chars[..chars.len() - 1].iter().collect();
            let inner: String = chars[1..chars.len() - 1].iter().collect();
            let shifted: String = chars[4..].iter().chain(&['q', 'r', 's', 't']).collect();
            select(vec![None, Some(prefix), Some(inner), Some(shifted)]).boxed()
        } else {
            Just(None).boxed()
        };
        kin.prop_map(move |kin| {
            secrets.iter().cloned().chain(kin).filter(|s| s.trim().len() >= 8 && s.trim() == s).collect()
        })
    })
}

/// Text with forms of the secrets in it, whole, cut, adjacent, and near masks.
pub(crate) fn text(secrets: &[String]) -> BoxedStrategy<String> {
    let mut planted: Vec<String> = secrets.iter().flat_map(|secret| forms(secret)).collect();
    planted.extend(secrets.iter().map(|secret| base64(format!("user:{secret}!").as_bytes())));
    planted.extend(secrets.iter().map(|secret| secret.chars().skip(1).collect()));
    planted.extend(secrets.iter().map(|secret| secret.chars().take(7).collect()));
    planted.extend(["[REDA", "CTED]", MASK, "", "[", "]"].map(String::from));
    let piece = prop_oneof![2 => "[a-c0-3\"\\\\ \n\u{0}\u{7f}\u{e9}\u{1f600}%\\[\\]]{0,5}", 1 => select(planted)];
    vec(piece, 0..5).prop_map(|pieces| pieces.concat()).boxed()
}

fn key(secrets: &[String]) -> BoxedStrategy<String> {
    let names = [
        "id",
        "name",
        "max_tokens",
        "accessToken",
        "API-KEY",
        "pass_word",
        "a/b",
        "~",
        "created_at",
        "created_by",
        "x2",
    ];
    prop_oneof![3 => select(names.to_vec()).prop_map(String::from), 2 => text(secrets)].boxed()
}

fn leaf(secrets: &[String]) -> BoxedStrategy<Json> {
    prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::Bool),
        any::<i64>().prop_map(|number| Json::Integer(number.into())),
        any::<i128>().prop_map(Json::Integer),
        any::<f64>().prop_filter("finite", |number| number.is_finite()).prop_map(Json::Float),
        text(secrets).prop_map(Json::Text),
        text(secrets).prop_map(Json::Text),
    ]
    .boxed()
}

pub(crate) fn value(secrets: &[String]) -> BoxedStrategy<Json> {
    let secrets = secrets.to_vec();
    leaf(&secrets)
        .prop_recursive(4, 40, 6, move |inner| {
            let members = vec((key(&secrets), inner.clone()), 0..6).prop_map(|mut members| {
                let mut seen = std::collections::HashSet::new();
                members.retain(|(key, _)| seen.insert(key.clone()));
                Json::Object(members)
            });
            prop_oneof![1 => vec(inner, 0..5).prop_map(Json::Array), 2 => members]
        })
        .boxed()
}

fn paths() -> impl Strategy<Value = Vec<Vec<String>>> {
    let segment = select(vec!["*", "id", "name", "0", "1", "a/b", "~", "created_at"]).prop_map(String::from);
    vec(vec(segment, 1..4), 0..3)
}

/// A model and a value for it.
pub(crate) fn case() -> impl Strategy<Value = (Model, Json)> {
    (secrets(), paths()).prop_flat_map(|(secrets, paths)| {
        let value = value(&secrets);
        (Just(Model { names: NAMES.to_vec(), secrets, paths }), value)
    })
}

/// JSON text for a value, with white space and escapes where they may be; `noise` chooses.
pub(crate) fn noisy(value: &Json, noise: &mut u64) -> String {
    let mut next = |below: u64| {
        *noise = noise.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*noise >> 33) % below
    };
    let space = match next(6) {
        0 => " ",
        1 => "\n",
        2 => "\t\r ",
        _ => "",
    };
    let inner = match value {
        Json::Null => "null".to_owned(),
        Json::Bool(value) => value.to_string(),
        Json::Integer(value) => value.to_string(),
        Json::Float(value) => format!("{value:e}"),
        Json::Text(value) => quoted(value, &mut next),
        Json::Array(items) => {
            let items: Vec<String> = items.iter().map(|item| noisy(item, noise)).collect();
            format!("[{space}{}]", items.join(","))
        }
        Json::Object(members) => {
            let mut text = Vec::new();
            for (key, value) in members {
                let key = noisy(&Json::Text(key.clone()), noise);
                text.push(format!("{key}:{}", noisy(value, noise)));
            }
            format!("{{{space}{}}}", text.join(","))
        }
    };
    format!("{space}{inner}{space}")
}

fn quoted(text: &str, next: &mut impl FnMut(u64) -> u64) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match (c, next(8)) {
            ('/', 0..4) => out.push_str("\\/"),
            ('"' | '\\', 1..) => out.extend(['\\', c]),
            ('\n', 1..) => out.push_str("\\n"),
            (..' ' | '"' | '\\', _) | (_, 0) => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    out.extend([if next(2) == 0 { format!("\\u{unit:04x}") } else { format!("\\u{unit:04X}") }]);
                }
            }
            (c, _) => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Pieces that credentials are made of.
pub(crate) fn shapely() -> impl Strategy<Value = String> {
    let pieces = [
        "eyJ",
        "eyJhbGciOi",
        "JIUzI1NiJ9",
        ".",
        "eyJzdWIiOiIx",
        "ghp_",
        "0123456789abcdefABCDEF0123456789xyz",
        "AKIA",
        "ABCDEFGHIJKLMNOP",
        "sk-",
        "sk-ant-",
        "Bearer",
        "bearer ",
        "Basic ",
        "dXNlcjpwYXNz",
        " ",
        "\t",
        "://",
        "https",
        ":",
        "user",
        "p4ss",
        "@",
        "host",
        "/",
        "?",
        "-----BEGIN ",
        "RSA PRIVATE KEY",
        "PUBLIC KEY",
        "-----",
        "-----END ",
        "-",
        "MIIB",
        "\n",
        "[REDACTED]",
        "[RED",
        "ACTED]",
        "é",
        "x",
        "_",
        "\"",
        "xoxb-",
        "12-34",
        "hf_",
        "%",
        "=",
        "apikey",
        "AIza",
    ];
    vec(select(pieces.to_vec()), 0..14).prop_map(|pieces| pieces.concat())
}

#[test]
fn a_short_float_has_the_notation_of_a_long_one() {
    for (value, expected) in [(1e-6_f32, "1e-6"), (1e13, "10000000000000.0"), (0.1, "0.1"), (f32::MAX, "3.4028235e+38")]
    {
        let text = super::text(&value, &redact_json::Rules::default());
        assert_eq!((text.as_str(), super::transcoded(&text, &redact_json::Rules::default())), (expected, text.clone()));
    }
}
