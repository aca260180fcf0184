//! Long lines, broken by us: where a terminal or a dialog breaks them, a value could begin a line and look like ours.

use unicode_width::UnicodeWidthChar as _;

/// The widest line, in columns, where a character may take two of them. With the margin of a prompt it fits into a terminal of 80.
const WIDEST: usize = 74;
/// What a line begins with that goes on with the one before. No line of ours begins so.
const GOES_ON: &str = "| ";

/// The same lines, the long ones as several.
pub(super) fn wrapped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 16);
    let mut column = 0;
    for character in text.chars() {
        let width = character.width_cjk().unwrap_or(0);
        if character == '\n' {
            column = 0;
        } else if column + width > WIDEST {
            out.push('\n');
            out.push_str(GOES_ON);
            column = GOES_ON.len() + width;
        } else {
            column += width;
        }
        out.push(character);
    }
    out
}
