//! Known secrets are masked wherever they stand in a string, a key or a number.

use redact_json::{Rules, redact_text};
use secrecy::SecretString;
use serde_json::json;

use super::{knowing, model::base64, text, transcoded};

#[test]
fn a_secret_is_masked_inside_strings_and_keys() {
    let rules = knowing(&["correct horse"]).0;
    let value = json!({"a correct horse b": ["correct horse", "xcorrect horsey", "incorrect horde"]});
    assert_eq!(text(&value, &rules), r#"{"a [REDACTED] b":["[REDACTED]","x[REDACTED]y","incorrect horde"]}"#);
}

#[test]
fn masked_keys_that_collide_are_numbered_in_the_order_of_what_they_were() {
    let rules = knowing(&["correct horse", "battery staple"]).0;
    let json = r#"{"correct horse":1,"z":0,"battery staple":2,"[REDACTED]":3,"[REDACTED] (3)":4}"#;
    let masked = r#"{"[REDACTED]":3,"[REDACTED] (2)":2,"[REDACTED] (3)":4,"[REDACTED] (4)":1,"z":0}"#;
    assert_eq!(transcoded(json, &rules), masked);
    assert_eq!(transcoded(masked, &rules), masked);
}

#[test]
fn a_number_does_not_make_a_key_secret() {
    let rules = Rules::builder().key("name 2").secret("s", SecretString::from("correct horse")).build().unwrap().0;
    let masked = transcoded(r#"{"correct horse name":1,"correct horse  name":2,"correct%20horse name":3}"#, &rules);
    assert_eq!(transcoded(&masked, &rules), masked);
}

#[test]
fn a_secret_across_escapes_of_the_text_is_found() {
    let rules = knowing(&["say \"friend\"\n\u{1f511}"]).0;
    let json = r#"["say \"friend\"\n\ud83d\udd11","\u0073ay \u0022friend\u0022\u000A🔑","say \\\"friend\\\"\\n\\ud83d\\udd11"]"#;
    assert_eq!(transcoded(json, &rules), r#"["[REDACTED]","[REDACTED]","[REDACTED]"]"#);
}

#[test]
fn overlapping_secrets_are_masked_as_one_and_prefixes_by_the_longest() {
    let rules = knowing(&["abcdefghij", "fghijklmno", "abcdefgh"]).0;
    assert_eq!(redact_text("1abcdefghijklmno2", &rules), "1[REDACTED]2");
    assert_eq!(redact_text("abcdefghijk abcdefghx", &rules), "[REDACTED]k [REDACTED]x");
    assert_eq!(redact_text("abcdefghabcdefgh", &rules), "[REDACTED][REDACTED]");
    assert_eq!(redact_text("abcdefg fghijklmn", &rules), "abcdefg fghijklmn");
}

#[test]
fn encoded_secrets_are_found() {
    let rules = knowing(&["p\u{e4}ss/w\u{f6}rd?&"]).0;
    for before in ["", "u", "us", "use", "user:"] {
        let standard = base64(format!("{before}p\u{e4}ss/w\u{f6}rd?&!").as_bytes());
        for encoded in [standard.replace('+', "-").replace('/', "_"), standard] {
            let masked = redact_text(&encoded, &rules).into_owned();
            assert!(masked.contains("[REDACTED]") && masked.len() < 10 + encoded.len() - 14, "{encoded} {masked}");
        }
    }
    for encoded in [
        "p%C3%A4ss%2Fw%C3%B6rd%3F%26",
        "p%c3%a4ss/w%c3%b6rd?&",
        "p\u{e4}ss\\/w\u{f6}rd?&",
        "p\\u00e4ss/w\\u00f6rd?&",
        "p\\u00E4ss/w\\u00F6rd?\\u0026",
    ] {
        assert_eq!(redact_text(encoded, &rules), "[REDACTED]", "{encoded}");
    }
}

#[test]
fn a_secret_of_digits_is_masked_as_a_number_too() {
    let rules = knowing(&["8812345678"]).0;
    assert_eq!(
        text(&json!([8_812_345_678_u64, 188_123_456_789_u64, 881_234_567]), &rules),
        r#"["[REDACTED]","[REDACTED]",881234567]"#
    );
    assert_eq!(transcoded("[8812345678,8812345678.25]", &rules), r#"["[REDACTED]","[REDACTED]"]"#);
}

#[test]
fn short_secrets_and_parts_of_the_mask_are_skipped_and_named() {
    let (rules, skipped) = knowing(&["seven77", "  padded \n", "REDACTED", "x[REDACTED]y", "eight888"]);
    let told: Vec<String> = skipped.iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            "`secret 0` is not searched for: it is shorter than 8 bytes",
            "`secret 1` is not searched for: it is shorter than 8 bytes",
            "`secret 2` is not searched for: it cannot be told from the mask",
            "`secret 3` is not searched for: it cannot be told from the mask",
        ]
    );
    assert_eq!(skipped[0].name(), "secret 0");
    assert_eq!(redact_text("seven77 eight888 [REDACTED]", &rules), "seven77 [REDACTED] [REDACTED]");
}

#[test]
fn lines_of_a_secret_are_found_alone_and_however_they_are_joined() {
    let rules = knowing(&["-----BEGIN KEY-----\nfirst/line1\nsecond+line\nend\n-----END KEY-----"]).0;
    for (plain, masked) in [
        ("<first/line1> <second%2Bline>", "<[REDACTED]> <[REDACTED]>"),
        ("first/line1\r\nsecond+line\r\nend", "[REDACTED]\r\n[REDACTED]\r\nend"),
        ("x -----BEGIN KEY-----\r\nfirst/line1\r\nsecond+line\r\nend\r\n-----END KEY----- y", "x [REDACTED] y"),
        ("x -----BEGIN KEY----- first/line1 second+line end -----END KEY----- y", "x [REDACTED] y"),
        ("-----BEGIN KEY----- end", "-----BEGIN KEY----- end"),
    ] {
        assert_eq!(redact_text(plain, &rules), masked);
    }
}

#[test]
fn white_space_around_a_secret_is_not_part_of_it() {
    let rules = knowing(&["read from a file\n"]).0;
    assert_eq!(redact_text("<read from a file>", &rules), "<[REDACTED]>");
}

#[test]
fn no_secret_is_found_across_a_mask() {
    let rules = knowing(&["abc123![", "]xyz4567", "correct horse"]).0;
    let once = redact_text("abc123!correct horsexyz4567 abc123![ ]xyz4567", &rules).into_owned();
    assert_eq!(once, "abc123![REDACTED]xyz4567 [REDACTED] [REDACTED]");
    assert_eq!(redact_text(&once, &rules), once);
}

#[test]
fn what_is_revealed_is_told_by_name_and_nothing_is_shown() {
    let rules = knowing(&["correct horse", "battery staple"]).0;
    assert_eq!(rules.reveals("a battery%20staple"), Some("secret 1"));
    assert_eq!(rules.reveals("a battery"), None);
    let builder = Rules::builder().secret("s", SecretString::from("correct horse"));
    for shown in
        [format!("{rules:?}"), format!("{builder:?}"), format!("{:?}", redact_json::TextMasker::new(rules.clone()))]
    {
        assert!(!shown.contains("horse") && !shown.contains("staple"), "{shown}");
    }
}

#[test]
fn display_of_any_length_is_masked_without_being_put_together() {
    struct Long(usize);
    impl std::fmt::Display for Long {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            for _ in 0..self.0 {
                f.write_str("xx corr")?;
                f.write_str("ect horse ")?;
            }
            Ok(())
        }
    }
    impl serde::Serialize for Long {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_str(self)
        }
    }
    let rules = knowing(&["correct horse"]).0;
    for times in [0, 1, 3, 1000, 20_000] {
        assert_eq!(text(&Long(times), &rules), format!("\"{}\"", "xx [REDACTED] ".repeat(times)));
    }
}

#[test]
fn a_number_never_completes_a_secret() {
    let secrets = ["secretone1", "secrettwo2", "secretthree", "abcdefg (", "hijklmn (2"];
    let (rules, skipped) = knowing(&secrets);
    assert!(skipped.is_empty());
    let json = r#"{"secretone1abcdefg":1,"secretthreeabcdefg":2,"secrettwo2abcdefg":3}"#;
    let masked = transcoded(json, &rules);
    assert_eq!(
        masked,
        r#"{"[REDACTED]abcdefg":1,"[REDACTED]abcdefg[REDACTED] (2)":2,"[REDACTED]abcdefg[REDACTED] (3)":3}"#
    );
    assert_eq!((rules.reveals(&masked), transcoded(&masked, &rules)), (None, masked));
    let masked = transcoded(r#"{"secretone1hijklmn":1,"secrettwo2hijklmn":2}"#, &rules);
    assert_eq!(masked, r#"{"[REDACTED]hijklmn":1,"[REDACTED]hijklmn (3)":2}"#);
}
