//! A stream is masked however it is cut, and holds back only what is not decided.

use redact_json::{Rules, TextMasker};

use super::knowing;

/// What came out after each push, and at the end.
fn pushed(rules: &Rules, pieces: &[&str]) -> Vec<String> {
    let mut masker = TextMasker::new(rules.clone());
    let mut came = Vec::new();
    for piece in pieces {
        let mut out = Vec::new();
        masker.push(piece.as_bytes(), &mut out);
        came.push(String::from_utf8(out).unwrap());
    }
    let mut out = Vec::new();
    masker.finish(&mut out);
    came.push(String::from_utf8(out).unwrap());
    came
}

#[test]
fn a_secret_over_any_two_pushes_is_masked() {
    let secret = "correct horse";
    let rules = knowing(&[secret]).0;
    let text = format!("<{secret}>");
    for cut in 0..=text.len() {
        assert_eq!(pushed(&rules, &[&text[..cut], &text[cut..]]).concat(), "<[REDACTED]>", "at {cut}");
    }
    let bytes: Vec<String> = text.chars().map(String::from).collect();
    let bytes: Vec<&str> = bytes.iter().map(String::as_str).collect();
    assert_eq!(pushed(&rules, &bytes).concat(), "<[REDACTED]>");
}

#[test]
fn ordinary_output_is_not_held_back() {
    let rules = knowing(&["correct horse"]).0;
    assert_eq!(
        pushed(&rules, &["listening on port 80", "80\n", "Password: ", "co", "w\n", "correct hor", "n"]),
        ["listening on port 80", "80\n", "Password: ", "", "cow\n", "", "correct horn", ""]
    );
}

#[test]
fn no_more_than_the_longest_secret_is_held_back() {
    let secret = "x".repeat(50);
    let rules = Rules::builder().value_shapes(false).secret("s", secret.clone().into()).build().unwrap().0;
    let longest = 4 * secret.len();
    let mut masker = TextMasker::new(rules);
    let mut out = Vec::new();
    for (pushed, piece) in ["x".repeat(49), "y".repeat(10), "x".repeat(300), "eHh4".repeat(100)].iter().enumerate() {
        let before = out.len();
        masker.push(piece.as_bytes(), &mut out);
        if pushed == 1 {
            assert_eq!(out.len() - before, 59);
        }
    }
    let before = out.len();
    masker.finish(&mut out);
    assert!(out.len() - before <= longest);
}

#[test]
fn the_beginning_of_a_credential_is_held_until_it_is_decided() {
    assert_eq!(
        pushed(
            &Rules::default(),
            &["see eyJhbGciOiJIUzI1NiJ9", " and gh", "p_0123456789abcdefABCDEF01234567", "89", "abc\n", "z"]
        ),
        ["see ", "eyJhbGciOiJIUzI1NiJ9 and ", "[REDACTED]", "", "\n", "z", ""].map(String::from)
    );
}

#[test]
fn after_the_end_another_stream_begins() {
    let mut masker = TextMasker::new(knowing(&["correct horse"]).0);
    let mut out = Vec::new();
    masker.push(b"correct hor", &mut out);
    masker.finish(&mut out);
    masker.push(b"se", &mut out);
    masker.finish(&mut out);
    assert_eq!(out, b"correct horse");
}
