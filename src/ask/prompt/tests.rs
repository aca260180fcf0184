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
    Rules::builder().secret("EVIDENCE", secret).build().expect("rules").0
}

fn prompt(input: Value, allow_partial: bool) -> Result<Prompt, Unaskable> {
    Prompt::new(&call(input), Part::Confirm, &rules(), &Key::fixed(), (Duration::from_secs(50), allow_partial))
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
        "password": "hunter2",
        "token": {"deep": [1, 2]},
        "note": "it is correct-horse-battery, you know",
        "whole": "correct-horse-battery",
        "correct-horse-battery": 1,
        "imitated": "[masked: 7 bytes, tag 00000000]",
    });
    let shown = text(input);
    assert!(!shown.contains("hunter2") && !shown.contains("correct-horse"), "{shown}");
    insta::assert_snapshot!(shown);
}

#[test]
fn calls_that_differ_in_what_is_masked_look_different() {
    let [one, other, again] = ["hunter2", "hunter3", "hunter2"].map(|word| text(json!({"password": word})));
    assert_ne!(one, other);
    assert_eq!(one, again);
    let tags = [json!({"password": 1}), json!({"password": "1"})].map(text);
    assert_ne!(tags[0], tags[1]);
}

#[test]
fn arguments_that_cannot_be_shown_whole_are_not_asked_for() {
    let long = json!({"note": "x".repeat(200 << 10), "order": "A-7"});
    assert_eq!(prompt(long.clone(), false).err(), Some(Unaskable::TooLong));
    let partial = prompt(long, true).expect("a prompt");
    assert!(partial.question.partial);
    let shown = partial.question.text;
    assert!(shown.len() < 9 << 10, "{}", shown.len());
    insta::assert_snapshot!(shown.replace(&"x".repeat(1000), "<1000 x>"));
    // What fits is whole, to the byte.
    let fits =
        |count: usize| prompt(json!({"n": "x".repeat(count)}), false).map(|prompt| prompt.question.arguments.len());
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
    let prompt = prompt(json!({"order": "A-7", "password": "hunter2"}), false).expect("a prompt");
    insta::assert_snapshot!(prompt.to_json());
}
