//! Text in which nothing is hidden: what a person cannot see, or what moves other text about, is written as `\u{202E}`,
//! and many spaces in a row as `\u{20*70}`.

use std::fmt::Write as _;
use std::iter;

use unicode_general_category::{GeneralCategory, get_general_category};

/// Marks on one letter; more of them cover the lines around.
const MARKS: usize = 3;
/// Spaces in a row; more of them could move a value to where a line of ours would stand.
const SPACES: usize = 2;

/// A string as a quoted literal that no string can imitate: backslashes and quotation marks are escaped.
pub(crate) fn quoted(text: &str) -> String {
    format!("\"{}\"", escaped(text, true))
}

/// A line of text of our own or of trusted people, without line breaks.
pub(crate) fn line(text: &str) -> String {
    escaped(text, false)
}

fn escaped(text: &str, quoted: bool) -> String {
    let mut out = String::with_capacity(text.len());
    // At the start, and after what was escaped, a mark would sit on something that is not its letter.
    let mut marks = MARKS;
    let mut characters = text.chars().peekable();
    let mut spaces = 0;
    while let Some(character) = characters.next() {
        let category = get_general_category(character);
        let is_mark = matches!(category, GeneralCategory::NonspacingMark | GeneralCategory::EnclosingMark);
        marks = if is_mark { marks + 1 } else { 0 };
        spaces = if character == ' ' { spaces + 1 } else { 0 };
        match character {
            '\n' if quoted => out.push_str("\\n"),
            '\t' if quoted => out.push_str("\\t"),
            '"' | '\\' if quoted => {
                out.push('\\');
                out.push(character);
            }
            ' ' if quoted && spaces > SPACES => {
                let more = iter::from_fn(|| characters.next_if_eq(&' ')).count();
                // Writing to a String cannot fail.
                let _ = if more == 0 { write!(out, "\\u{{20}}") } else { write!(out, "\\u{{20*{}}}", more + 1) };
            }
            _ if marks > MARKS || is_hidden(character, category) => {
                // Writing to a String cannot fail.
                let _ = write!(out, "\\u{{{:X}}}", u32::from(character));
                marks = MARKS;
            }
            _ => out.push(character),
        }
    }
    out
}

fn is_hidden(character: char, category: GeneralCategory) -> bool {
    use GeneralCategory as Is;
    match category {
        Is::Control
        | Is::Format
        | Is::LineSeparator
        | Is::ParagraphSeparator
        | Is::PrivateUse
        | Is::Surrogate
        | Is::Unassigned => true,
        Is::SpaceSeparator => character != ' ',
        // Letters, marks and symbols that are drawn as nothing.
        _ => matches!(
            character,
            '\u{34F}'
                | '\u{115F}'
                | '\u{1160}'
                | '\u{17B4}'
                | '\u{17B5}'
                | '\u{180B}'..='\u{180F}'
                | '\u{2800}'
                | '\u{3164}'
                | '\u{FE00}'..='\u{FE0F}'
                | '\u{FFA0}'
                | '\u{FFFC}'
                | '\u{16FE4}'
                | '\u{1D159}'
                | '\u{E0100}'..='\u{E01EF}'
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_hidden_is_written_out() {
        for (text, shown) in [
            ("a \"b\" \\u{202E}", r#""a \"b\" \\u{202E}""#),
            ("\u{1B}[2J\u{7}\u{9B}1m\u{0}\u{7F}", r#""\u{1B}[2J\u{7}\u{9B}1m\u{0}\u{7F}""#),
            (
                "\u{202E}txt.exe\u{202C}\u{2066}\u{2069}\u{200E}\u{61C}",
                r#""\u{202E}txt.exe\u{202C}\u{2066}\u{2069}\u{200E}\u{61C}""#,
            ),
            ("a\u{200B}b\u{200D}c\u{FEFF}d\u{AD}e\u{2060}", r#""a\u{200B}b\u{200D}c\u{FEFF}d\u{AD}e\u{2060}""#),
            ("1\r2\n3\u{2028}4\u{2029}5\u{85}6\u{B}7", r#""1\u{D}2\n3\u{2028}4\u{2029}5\u{85}6\u{B}7""#),
            ("\u{A0}\u{3000}\u{3164}\u{2800}\u{FE0F}\u{E0041}", r#""\u{A0}\u{3000}\u{3164}\u{2800}\u{FE0F}\u{E0041}""#),
            ("\u{301}e\u{301}", r#""\u{301}e"#),
            ("1 2  3   4    5", r#""1 2  3  \u{20}4  \u{20*2}5""#),
            ("Grüße, 日本, שלום, ✓ 👍", r#""Grüße, 日本, שלום, ✓ 👍""#),
        ] {
            assert!(quoted(text).starts_with(shown), "{} is not {shown}", quoted(text));
        }
        assert_eq!(line("a \"b\" \\\u{1B}\n"), "a \"b\" \\\\u{1B}\\u{A}");
        assert_eq!(quoted(&format!("e{}", "\u{301}".repeat(5))).matches("\\u{301}").count(), 2);
    }
}
