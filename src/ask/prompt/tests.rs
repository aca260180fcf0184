use std::sync::Arc;

use secrecy::SecretString;
use serde_json::{Value, json};

use super::*;
use crate::operation::Declaration;

fn call(input: Value) -> Call {
    let mut declaration = Declaration::new("orders", "refund", json!({}), false);
    declaration.description = "Refund one order in full.".to_owned();
    declaration.effect = Effect::Write;
    declaration.destructive = Some(true);
    Call { operation: Arc::new(declaration), input, identity: Some("alice".into()) }
}

fn rules() -> Rules {
    let secret = SecretString::from("correct-horse-battery");
    Rules::builder().secret("EVIDENCE", secret).key("iban").build().expect("rules").0.declared_only()
}

fn prompt(input: Value, allow_partial: bool) -> Result<Prompt, Unaskable> {
    Prompt::new(&call(input), Part::Confirm, &rules(), &Key::fixed(), (Duration::from_secs(50), allow_partial))
}

fn unwrapped(text: &str) -> String {
    text.replace("\n  | ", "").replace("\n| ", "")
}

fn text(input: Value) -> String {
    prompt(input, false).expect("a prompt").question.text
}

#[test]
fn an_ordinary_call() {
    insta::assert_snapshot!(text(json!({"order": "A-7", "lines": [1, 2.5, null, true], "note": {}, "tags": []})));
}

#[test]
fn escape_sequences_cannot_reach_the_terminal() {
    insta::assert_snapshot!(text(
        json!({"note": "\u{1B}[2J\u{1B}[1;1HConfirm this call?\r\u{7}\u{9B}31m\u{8}", "\u{1B}]0;x\u{7}": 1})
    ));
}

#[test]
fn bidirectional_text_does_not_move() {
    insta::assert_snapshot!(text(
        json!({"file": "annexe\u{202E}txt.exe", "to": "\u{2066}bob\u{2069}\u{200F}", "who": "שלום"})
    ));
}

#[test]
fn line_separators_make_no_lines() {
    insta::assert_snapshot!(text(
        json!({"note": "a\nb\r\nc\u{2028}d\u{2029}e\u{85}f\u{B}g\",\n  \"amount\": 1", "zero\u{200B}width": "\u{FEFF}x\u{200D}"})
    ));
}

#[test]
fn a_masked_value_shows_its_length_and_a_tag() {
    let input = json!({
        "iban": "DE02120300000000202051",
        "iban-of": {"deep": [1, 2]},
        "note": "it is correct-horse-battery, you know",
        "whole": "correct-horse-battery",
        "correct-horse-battery": 1,
        "imitated": "[masked: 7 bytes, tag 00000000]",
    });
    let shown = text(input);
    assert!(!shown.contains("DE02") && !shown.contains("correct-horse"), "{shown}");
    insta::assert_snapshot!(shown);
}

#[test]
fn calls_that_differ_in_what_is_masked_look_different() {
    let [one, other, again] = ["one", "two", "one"].map(|word| text(json!({"iban": word})));
    assert_ne!(one, other);
    assert_eq!(one, again);
    let tags = [json!({"iban": 1}), json!({"iban": "1"})].map(text);
    assert_ne!(tags[0], tags[1]);
}

#[test]
fn who_writes_the_arguments_cannot_hide_any_of_them() {
    let shown = text(json!({
        "cmd": "curl https://u:$(rm -rf /srv)@good.example/ -H 'Authorization: Bearer 0123456789abcdef'",
        "reason": "-----BEGIN PRIVATE KEY----- and drop all tables",
        "password": {"delete": "everything"},
        "api_key": ["rm -rf /"],
        "ghp_abcdefghijklmnopqrstuvwxyz0123456789": {"delete": true},
    }));
    assert!(!shown.contains("masked") && !shown.contains("REDACTED"), "{shown}");
    insta::assert_snapshot!(shown);
}

#[test]
fn no_value_imitates_lines_of_the_prompt() {
    // Each begins a line of its own where text wraps at 80 columns.
    let lines = ["  digest     0123456789abcdef", "", "Confirm this call?", "  operation  a.find"];
    let note = lines.iter().fold("ok".to_owned(), |note, line| {
        let blanks = 80 - (note.len() + "    \"note\": \"".len()) % 80;
        note + &" ".repeat(blanks) + line
    });
    let wide = "\u{65E5}".repeat(100);
    let shown = text(json!({"note": note, "wide": wide, "x".repeat(100): "y", "blanks": "a  b"}));
    let columns = shown.lines().flat_map(|line| {
        let characters: Vec<char> = line.chars().collect();
        characters.chunks(80).map(|columns| columns.iter().collect::<String>()).collect::<Vec<_>>()
    });
    let begins = |with: &str| columns.clone().filter(|line| line.trim_start().starts_with(with)).count();
    assert_eq!(["Confirm", "operation", "digest"].map(begins), [1; 3], "{shown}");
    insta::assert_snapshot!(shown);
}

#[test]
fn arguments_that_cannot_be_shown_whole_are_not_asked_for() {
    let long = json!({"note": "x".repeat(200 << 10), "order": "A-7"});
    assert_eq!(prompt(long.clone(), false).err(), Some(Unaskable::TooLong));
    let partial = prompt(long, true).expect("a prompt");
    assert!(partial.question.partial);
    let shown = partial.question.text;
    assert!(shown.len() < 9 << 10, "{}", shown.len());
    insta::assert_snapshot!(unwrapped(&shown).replace(&"x".repeat(1000), "<1000 x>"));
    // What fits is whole, to the byte.
    let fits = |count: usize| {
        prompt(json!({"n": "x".repeat(count)}), false).map(|prompt| unwrapped(&prompt.question.arguments).len())
    };
    let most = (0..LONGEST).rev().find(|count| fits(*count).is_ok()).expect("some fit");
    assert_eq!(fits(most), Ok(LONGEST));
}

#[test]
fn the_digest_is_of_part_operation_identity_and_arguments() {
    let key = Key::fixed();
    let digest = |call: &Call, part| {
        Prompt::new(call, part, &rules(), &key, (Duration::from_secs(50), false)).expect("a prompt").digest
    };
    let base = call(json!({"order": "A-7"}));
    assert_eq!(digest(&base, Part::Confirm), digest(&call(json!({"order": "A-7"})), Part::Confirm));
    assert_ne!(digest(&base, Part::Confirm), digest(&base, Part::Approve));
    assert_ne!(digest(&base, Part::Confirm), digest(&call(json!({"order": "A-8"})), Part::Confirm));
    let mut other = call(json!({"order": "A-7"}));
    other.identity = Some("bob".into());
    assert_ne!(digest(&base, Part::Confirm), digest(&other, Part::Confirm));
    let mut other = call(json!({"order": "A-7"}));
    other.operation = Arc::new(Declaration::new("orders", "remove", json!({}), false));
    assert_ne!(digest(&base, Part::Confirm), digest(&other, Part::Confirm));
    let again = Prompt::new(&base, Part::Confirm, &rules(), &key, (Duration::from_secs(50), false)).expect("a prompt");
    assert_ne!(
        again.id,
        Prompt::new(&base, Part::Confirm, &rules(), &key, (Duration::from_secs(50), false)).expect("a prompt").id
    );
}

#[test]
fn programs_get_the_same_as_json() {
    let prompt = prompt(json!({"order": "A-7", "iban": "DE02120300000000202051"}), false).expect("a prompt");
    insta::assert_snapshot!(prompt.to_json());
}
