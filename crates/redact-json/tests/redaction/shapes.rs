//! What looks like a credential is masked, and what does not is left alone.

use redact_json::{Rules, RulesError, redact_text};
use serde_json::json;

use super::text;

const ALNUM: &str = "0123456789abcdefABCDEF0123456789abcdef";

#[test]
fn credentials_are_masked() {
    for (plain, masked) in [
        ("Authorization: Bearer abcdef0123456789.x-y_z~+/=", "Authorization: Bearer [REDACTED]"),
        ("Authorization: Bearer abcdefghijklmnopqrst", "Authorization: Bearer [REDACTED]"),
        ("authorization: token 8f14e45fceea167a, x", "authorization: token [REDACTED], x"),
        ("-H 'Proxy-Authorization: Acme 8f14e45fceea167a'", "-H 'Proxy-Authorization: Acme [REDACTED]'"),
        ("{'Authorization': 'Token abcdefghijkl'}", "{'Authorization': 'Token [REDACTED]'}"),
        ("bearer  abc12345 next", "bearer  [REDACTED] next"),
        ("Basic dXNlcjpwYXNz", "Basic [REDACTED]"),
        ("BASIC\tdXNlcjpwYXNzd29yZA==, x", "BASIC\t[REDACTED], x"),
        ("postgres://app:s3cret@db:5432/x", "postgres://app:[REDACTED]@db:5432/x"),
        ("redis://:s3@ret@host", "redis://:[REDACTED]@host"),
        ("postgres://u:it's-secret@host/db", "postgres://u:[REDACTED]@host/db"),
        (r"x\nghp_0123456789abcdefABCDEF0123456789abcdef", r"x\n[REDACTED]"),
        ("q=a%3Dghp_0123456789abcdefABCDEF0123456789abcdef", "q=a%3D[REDACTED]"),
        ("a%0abearer abc12345", "a%0abearer [REDACTED]"),
        ("(https://a:b@c, https://d:e@f)", "(https://a:[REDACTED]@c, https://d:[REDACTED]@f)"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl.", "[REDACTED]"),
        ("<eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0>", "<[REDACTED]>"),
        ("AKIAABCDEFGHIJKLMNOP", "[REDACTED]"),
        ("key=AKIAABCDEFGHIJKLMNOP;", "key=[REDACTED];"),
        ("sk-ant-api03-abcdefghijklmnopqrst", "[REDACTED]"),
        ("a\n-----BEGIN RSA PRIVATE KEY-----\nMIIB\n-----END RSA PRIVATE KEY-----\nb", "a\n[REDACTED]\nb"),
        ("-----BEGIN OPENSSH PRIVATE KEY-----\\nb3Bl\\n-----END OPENSSH PRIVATE KEY-----", "[REDACTED]"),
        ("-----BEGIN PGP PRIVATE KEY BLOCK-----\nlQ", "[REDACTED]"),
    ] {
        assert_eq!(redact_text(plain, &Rules::default()), masked);
        assert_eq!(text(&json!([plain]), &Rules::default()), json!([masked]).to_string());
    }
    for prefix in [
        "ghp_",
        "gho_",
        "github_pat_",
        "glpat-",
        "xoxb-",
        "sk_live_",
        "rk_test_",
        "hf_",
        "npm_",
        "AIza",
        "hvs.",
        "ya29.",
    ] {
        assert_eq!(redact_text(&format!("x {prefix}{ALNUM}, y"), &Rules::default()), "x [REDACTED], y", "{prefix}");
    }
}

#[test]
fn ordinary_text_is_left_alone() {
    for plain in [
        "the bearer of bad news, a bearer certificate",
        "basic understanding, Basic authentication, basic 12345678",
        "authorization: see documentation, authorization bearer abcdefghijk, Authorization: none",
        "https://example.com:8080/a@b?c=d:e@f",
        "ssh://git@github.com:org/repo.git, me@example.com",
        "http://[::1]:8080/",
        "eyJpZCI6MTIzfQ== eyJpZCI6MTIzNDU2Nzg5MDEyMzQ1Njc4fQ",
        "task-list-of-many-things-that-goes-on-and-on-and-on",
        "sk-learn, ask-0123456789abcdef0123456789abcdef",
        "ghp_short AKIASHORT xghp_0123456789abcdefABCDEF0123456789abcdef",
        "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----",
        "----- a rule ----- -----BEGIN private key-----",
        "Asia and Asian, hf_ npm_ SG. a://b",
        "550e8400-e29b-41d4-a716-446655440000 2026-11-29T08:15:00Z",
        "",
    ] {
        assert_eq!(redact_text(plain, &Rules::default()), plain);
        assert!(matches!(redact_text(plain, &Rules::default()), std::borrow::Cow::Borrowed(_)), "not copied");
    }
}

#[test]
fn shapes_can_be_switched_off_and_prefixes_added() {
    let off = Rules::builder().value_shapes(false).build().unwrap().0;
    assert_eq!(redact_text("Bearer abcdef0123456789", &off), "Bearer abcdef0123456789");
    let more = Rules::builder().token_prefix("acme-").build().unwrap().0;
    assert_eq!(redact_text("acme-0123456789ab_c acme-01234567890", &more), "[REDACTED] acme-01234567890");
    for prefix in ["ac", "_acme", "a me", "\u{e9}t\u{e9}"] {
        let refused = RulesError::Prefix { prefix: prefix.into() };
        assert_eq!(Rules::builder().token_prefix(prefix).build().unwrap_err(), refused);
    }
}

#[test]
fn a_private_key_without_an_end_masks_no_more_than_a_key_can_be() {
    let text = format!("-----BEGIN PRIVATE KEY-----{}", "\u{e9}".repeat(10_000));
    let masked = redact_text(&text, &Rules::default());
    assert_eq!(*masked, format!("[REDACTED]{}", "\u{e9}".repeat(10_000 - 8192)));
}

#[test]
fn an_authority_that_never_ends_is_masked() {
    let text = format!("x://user:{} y://{}", "p".repeat(600), "q".repeat(600));
    assert_eq!(redact_text(&text, &Rules::default()), "x://user:[REDACTED] y://[REDACTED]");
}

#[test]
fn a_web_token_with_the_longest_header_is_masked_however_it_is_cut() {
    for (header, masked) in [(1024, true), (1025, false)] {
        let token = format!("eyJ{}.eyJzdWIiOiIxIn0.abc", "a".repeat(header));
        let expected = if masked { "[REDACTED]" } else { &token };
        assert_eq!(redact_text(&token, &Rules::default()), expected);
        let mut masker = redact_json::TextMasker::new(Rules::default());
        let mut out = Vec::new();
        token.bytes().for_each(|byte| masker.push(&[byte], &mut out));
        masker.finish(&mut out);
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }
}
