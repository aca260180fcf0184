//! The value under a key whose name says secret is masked whole, whatever it is.

use std::collections::BTreeMap;

use redact_json::{Rules, RulesError};
use serde::Serialize;
use serde_json::json;

use super::{text, transcoded};

#[test]
fn whole_words_in_any_style_mask_and_parts_of_words_do_not() {
    let value = json!({
        "ACCESS-TOKEN": "a", "accessToken": "b", "access_token": "c", "apiKey": "d", "api_keys": ["e"], "passwd": "f",
        "max_tokens": 4096, "tokenizer": "bpe", "tokens": 12, "secretary": "g", "keyboard": "h",
    });
    assert_eq!(
        text(&value, &Rules::default()),
        r#"{"ACCESS-TOKEN":"[REDACTED]","accessToken":"[REDACTED]","access_token":"[REDACTED]","apiKey":"[REDACTED]","#
            .to_owned()
            + r#""api_keys":"[REDACTED]","keyboard":"h","max_tokens":4096,"passwd":"[REDACTED]","secretary":"g","tokenizer":"bpe","tokens":12}"#
    );
}

#[test]
fn numbers_arrays_objects_booleans_and_null_under_a_secret_key_are_masked() {
    let json =
        r#"[{"token":1.5},{"token":[1,{"a":[]}]},{"token":{"a":{"b":2}}},{"token":true},{"token":null},{"token":""}]"#;
    let masked = format!("[{}]", [r#"{"token":"[REDACTED]"}"#; 6].join(","));
    assert_eq!(transcoded(json, &Rules::default()), masked);
    let value: serde_json::Value = serde_json::from_str(json).unwrap();
    assert_eq!(text(&value, &Rules::default()), masked);
}

#[test]
fn keys_of_structs_enums_flattened_and_tagged_types_are_keys_too() {
    #[derive(Serialize)]
    struct Outer {
        z: u8,
        #[serde(flatten)]
        inner: Inner,
        #[serde(flatten)]
        more: BTreeMap<&'static str, u8>,
        a: Tagged,
        external: [External; 5],
    }
    #[derive(Serialize)]
    struct Inner {
        password: u8,
        b: Option<()>,
    }
    #[derive(Serialize)]
    #[serde(tag = "kind")]
    enum Tagged {
        Login { token: u8, at: u8 },
    }
    #[derive(Serialize)]
    enum External {
        Token(&'static str),
        Secret { a: u8 },
        Password(u8, u8),
        Plain { cookie: u8, b: u8 },
        Unit,
    }
    let value = Outer {
        z: 1,
        inner: Inner { password: 2, b: None },
        more: [("y", 3), ("api_key", 4)].into(),
        a: Tagged::Login { token: 5, at: 6 },
        external: [
            External::Token("x"),
            External::Secret { a: 1 },
            External::Password(1, 2),
            External::Plain { cookie: 7, b: 8 },
            External::Unit,
        ],
    };
    assert_eq!(
        text(&value, &Rules::default()),
        r#"{"a":{"at":6,"kind":"Login","token":"[REDACTED]"},"api_key":"[REDACTED]","b":null,"#.to_owned()
            + r#""external":[{"Token":"[REDACTED]"},{"Secret":"[REDACTED]"},{"Password":"[REDACTED]"},"#
            + r#"{"Plain":{"b":8,"cookie":"[REDACTED]"}},"Unit"],"password":"[REDACTED]","y":3,"z":1}"#
    );
}

#[test]
fn names_can_be_added_and_the_defaults_switched_off() {
    let rules = Rules::builder().default_keys(false).key("Bank Account").build().unwrap().0;
    let value = json!({"bankAccount": 1, "old_bank_account_no": 2, "bankaccount": 3, "bank": 4, "password": 5});
    assert_eq!(
        text(&value, &rules),
        r#"{"bank":4,"bankAccount":"[REDACTED]","bankaccount":"[REDACTED]","old_bank_account_no":"[REDACTED]","password":5}"#
    );
    assert_eq!(Rules::builder().key("--").build().unwrap_err(), RulesError::KeyName { name: "--".into() });
}

#[test]
fn what_is_declared_can_be_masked_alone() {
    let known = secrecy::SecretString::from("correct horse");
    let rules = Rules::builder().secret("S", known).key("iban").key("cookie").path("/place").build().unwrap().0;
    let value = json!({
        "cookie": 1, "iban": 2, "note": "Bearer 0123456789abcdef https://a:b@c correct horse", "password": 3, "place": 4,
    });
    assert_eq!(
        text(&value, &rules.declared_only()),
        r#"{"cookie":"[REDACTED]","iban":"[REDACTED]","note":"Bearer 0123456789abcdef https://a:b@c [REDACTED]","#
            .to_owned()
            + r#""password":3,"place":4}"#
    );
}

#[test]
fn what_is_masked_is_not_even_asked_to_serialize_itself() {
    struct Never;
    impl Serialize for Never {
        fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
            panic!("asked")
        }
    }
    let value: BTreeMap<_, _> = [("token", Never)].into();
    assert_eq!(text(&value, &Rules::default()), r#"{"token":"[REDACTED]"}"#);
}
