//! How a secret may be written: as it is, percent-encoded, inside a JSON string, or as part of something in base64.

use std::fmt::Write as _;

use super::builder::SHORTEST;
use crate::MASK;

/// The forms of `secret` that are searched for, without repetition. Each is at least as long as 8 bytes if the secret is.
pub(crate) fn of(secret: &str) -> Vec<String> {
    let mut forms = encoded(secret);
    if secret.contains('\n') {
        let lines: Vec<&str> = secret.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        forms.extend(["\n", "\r\n", " "].into_iter().flat_map(|between| encoded(&lines.join(between))));
        // The lines that frame a key in PEM are the same for all keys.
        let secret = |line: &&str| line.len() >= SHORTEST && !line.starts_with("-----") && !MASK.contains(line);
        forms.extend(lines.iter().copied().filter(secret).flat_map(encoded));
    }
    forms.sort_unstable();
    forms.dedup();
    forms
}

fn encoded(secret: &str) -> Vec<String> {
    let mut forms = vec![secret.to_owned()];
    for kept in PERCENT {
        for hex in [upper, lower] {
            forms.push(percent(secret, kept, hex));
        }
    }
    for kept in FORM {
        for hex in [upper, lower] {
            forms.push(percent(secret, kept, hex).replace("%20", "+"));
        }
    }
    for style in STYLES {
        for hex in [upper, lower] {
            forms.push(json(secret, style, hex));
        }
    }
    for alphabet in [STANDARD, URL] {
        for before in 0..3 {
            forms.push(base64(secret.as_bytes(), before, alphabet));
        }
    }
    forms
}

/// The characters besides letters and digits that the common encoders leave alone: RFC 3986, `encodeURIComponent`,
/// `encodeURI`, a path, a segment of one in Go, nothing.
const PERCENT: [&str; 6] = ["-_.~$&+=:@", "-_.~", "-_.!~*'()", "-_.!~*'();/?:@&=+$,#", "-_.~/", ""];

/// The same where blanks are `+`: browsers and Java, Python and Go, PHP, JavaScript, .NET.
const FORM: [&str; 5] = ["-_.*", "-_.~", "-_.", "-_.!~*'()", "-_.!*()"];

fn upper(out: &mut String, byte: u8) {
    let _ = write!(out, "{byte:02X}");
}

fn lower(out: &mut String, byte: u8) {
    let _ = write!(out, "{byte:02x}");
}

fn percent(secret: &str, kept: &str, hex: fn(&mut String, u8)) -> String {
    let mut form = String::new();
    for byte in secret.bytes() {
        let c = char::from(byte);
        if c.is_ascii_alphanumeric() || kept.contains(c) {
            form.push(c);
        } else {
            form.push('%');
            hex(&mut form, byte);
        }
    }
    form
}

/// What a JSON writer escapes besides what it must.
#[derive(Clone, Copy)]
struct Style {
    ascii: bool,
    slash: bool,
    /// ASCII that is written as a code unit.
    units: &'static str,
}

/// Most writers; Python and Java; PHP; PHP with Unicode; Go; Ruby on Rails; .NET.
const STYLES: [Style; 7] = [
    Style { ascii: false, slash: false, units: "" },
    Style { ascii: true, slash: false, units: "" },
    Style { ascii: true, slash: true, units: "" },
    Style { ascii: false, slash: true, units: "" },
    Style { ascii: false, slash: false, units: "<>&" },
    Style { ascii: true, slash: false, units: "<>&" },
    Style { ascii: true, slash: false, units: "<>&\"'`+" },
];

fn json(secret: &str, style: Style, hex: fn(&mut String, u8)) -> String {
    let mut form = String::new();
    for c in secret.chars() {
        match c {
            c if style.units.contains(c) => unit(&mut form, c as u32, hex),
            '"' => form.push_str("\\\""),
            '\\' => form.push_str("\\\\"),
            '\n' => form.push_str("\\n"),
            '\r' => form.push_str("\\r"),
            '\t' => form.push_str("\\t"),
            '\u{8}' => form.push_str("\\b"),
            '\u{c}' => form.push_str("\\f"),
            '/' if style.slash => form.push_str("\\/"),
            '\u{7f}'.. if style.ascii => {
                for code in c.encode_utf16(&mut [0; 2]) {
                    unit(&mut form, u32::from(*code), hex);
                }
            }
            ..' ' => unit(&mut form, c as u32, hex),
            c => form.push(c),
        }
    }
    form
}

fn unit(form: &mut String, code: u32, hex: fn(&mut String, u8)) {
    form.push_str("\\u");
    let [.., high, low] = code.to_be_bytes();
    hex(form, high);
    hex(form, low);
}

const STANDARD: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const URL: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// The characters of the base64 of any text in which `before` bytes (modulo 3) precede the secret, as far as the secret
/// alone decides them.
fn base64(secret: &[u8], before: usize, alphabet: &[u8; 64]) -> String {
    let bits = 8 * (before + secret.len());
    (0..bits / 6)
        .filter(|character| 6 * character >= 8 * before)
        .map(|character| {
            let mut six = 0;
            for bit in 6 * character..6 * character + 6 {
                let byte = secret.get(bit / 8 - before).copied().unwrap_or(0);
                six = six << 1 | usize::from(byte >> (7 - bit % 8) & 1);
            }
            char::from(alphabet.get(six).copied().unwrap_or(b'='))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn the_encodings_that_programs_write_are_among_the_forms() {
        let forms = of("p\u{e4}ss/w\"rd 1&2");
        for expected in [
            "p\u{e4}ss/w\"rd 1&2",
            "p%C3%A4ss%2Fw%22rd%201%262",
            "p%c3%a4ss%2fw%22rd%201%262",
            "p%C3%A4ss/w%22rd%201&2",
            "p%C3%A4ss%2Fw%22rd+1%262",
            "p\u{e4}ss/w\\\"rd 1&2",
            "p\\u00e4ss/w\\\"rd 1&2",
            "p\\u00E4ss\\/w\\\"rd 1&2",
            "p\u{e4}ss/w\\\"rd 1\\u00262",
        ] {
            assert!(forms.iter().any(|form| form == expected), "{expected}");
        }
    }

    #[test]
    fn forms_and_paths_are_encoded_as_the_common_languages_do() {
        for (secret, form) in [
            ("hello world!", "hello+world!"),
            ("correct horse/1", "correct+horse%2f1"),
            ("correct horse~1", "correct+horse~1"),
            ("correct*horse 1", "correct%2Ahorse+1"),
            ("ab/cd+ef==", "ab%2Fcd+ef=="),
            ("p@ss:w/rd", "p@ss:w%2Frd"),
            ("hunter22'x", "hunter22\\u0027x"),
        ] {
            assert!(of(secret).iter().any(|found| found == form), "{form}");
        }
    }

    #[test]
    fn base64_is_found_at_each_alignment_in_both_alphabets() {
        // "hunter22?>" alone, after "x" and after "xy".
        let forms = of("hunter22?>");
        for whole in
            ["aHVudGVyMjI/Pg==", "eGh1bnRlcjIyPz4=", "eHlodW50ZXIyMj8+", "aHVudGVyMjI_Pg==", "eHlodW50ZXIyMj8-"]
        {
            assert!(forms.iter().any(|form| form.len() > 10 && whole.contains(form.as_str())), "{whole}");
        }
    }
}
