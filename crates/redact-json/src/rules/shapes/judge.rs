//! Whether a shape stands at the beginning of a text.

use super::{
    Class, LOOK_AHEAD,
    triggers::{Token, Trigger},
};

/// What stands at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// No credential.
    No,
    /// The text ends before one can say.
    More,
    /// A credential: mask these bytes, and with `then` also what follows them as far as it is of that class.
    Mask { from: usize, to: usize, then: Option<Class> },
}

/// White space between a scheme and its credentials.
const MOST_BLANKS: usize = 4;
/// How much of a scheme's credentials is looked at.
const SCHEME_WINDOW: usize = 64;
/// How much of a URL's authority is looked at.
const URL_WINDOW: usize = 512;

impl Trigger {
    /// What stands at the beginning of `text`, which ends where the whole text does if `last`.
    pub(super) fn judge(&self, text: &[u8], last: bool) -> Verdict {
        let beginning = self.beginning().as_bytes();
        let seen = text.len().min(beginning.len());
        let (here, expected) = (&text[..seen], &beginning[..seen]);
        if here != expected && !(self.ignores_case() && here.eq_ignore_ascii_case(expected)) {
            return Verdict::No;
        }
        let rest = &text[seen..];
        let verdict = match self {
            _ if seen < beginning.len() => Verdict::More,
            Self::Token(token) => judge_token(rest, token),
            Self::Jwt => judge_jwt(rest),
            Self::Scheme(_) => judge_scheme(rest, has_digit),
            Self::Basic => judge_scheme(rest, is_basic),
            Self::Header => judge_header(rest),
            Self::Url => judge_url(rest, last),
        };
        match verdict {
            Verdict::More if last => Verdict::No,
            Verdict::Mask { to, then, .. } if matches!(self, Self::Token(_) | Self::Jwt) => {
                Verdict::Mask { from: 0, to: seen + to, then }
            }
            Verdict::Mask { from, to, then } => Verdict::Mask { from: seen + from, to: seen + to, then },
            verdict => verdict,
        }
    }
}

fn judge_token(rest: &[u8], token: &Token) -> Verdict {
    match token.class.run(rest, token.least) {
        run if run == token.least => Verdict::Mask { from: 0, to: run, then: Some(token.class) },
        run if run == rest.len() => Verdict::More,
        _ => Verdict::No,
    }
}

/// Header, dot, and the beginning of the payload, after `eyJ`.
fn judge_jwt(rest: &[u8]) -> Verdict {
    const LEAST: usize = 8;
    let header = Class::Word.run(rest, LOOK_AHEAD);
    match rest.get(header) {
        None => Verdict::More,
        Some(b'.') if header >= LEAST => {
            let payload = &rest[header + 1..];
            match Class::Word.run(payload, LEAST) {
                LEAST => Verdict::Mask { from: 0, to: header + 1 + LEAST, then: Some(Class::Dotted) },
                run if run == payload.len() => Verdict::More,
                _ => Verdict::No,
            }
        }
        _ => Verdict::No,
    }
}

/// Blanks and credentials that convince, after the word of a scheme.
fn judge_scheme(rest: &[u8], convinces: fn(&[u8]) -> bool) -> Verdict {
    let blanks = rest.iter().take(MOST_BLANKS + 1).take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    if blanks > MOST_BLANKS || blanks == 0 && !rest.is_empty() {
        return Verdict::No;
    }
    let credentials = &rest[blanks..];
    let run = Class::Token68.run(credentials, SCHEME_WINDOW);
    if convinces(&credentials[..run]) {
        return Verdict::Mask { from: blanks, to: blanks + run, then: Some(Class::Token68) };
    }
    if run == credentials.len() && run < SCHEME_WINDOW { Verdict::More } else { Verdict::No }
}

/// Schemes whose credentials need not look like any, where they follow the header's name.
const SCHEMES: [&[u8]; 5] = [b"bearer", b"token", b"apikey", b"basic", b"negotiate"];
/// The longest scheme. No token with a known prefix is as short, so none is passed over.
const LONGEST_SCHEME: usize = 14;
/// Colon, blanks and quotation marks between the header's name and the scheme.
const MOST_BETWEEN: usize = 8;

/// What is between, a scheme, blanks and credentials, after the name of the header.
fn judge_header(rest: &[u8]) -> Verdict {
    let between = rest.iter().take(MOST_BETWEEN).take_while(|byte| b"\"'\\:= \t".contains(byte)).count();
    let Some(after) = rest.get(between..).filter(|after| !after.is_empty()) else { return Verdict::More };
    if !rest[..between].iter().any(|byte| matches!(byte, b':' | b'=')) {
        return Verdict::No;
    }
    let scheme = Class::Alnum.run(after, LONGEST_SCHEME);
    if scheme == after.len() {
        return Verdict::More;
    }
    let is_known = SCHEMES.iter().any(|known| known.eq_ignore_ascii_case(&after[..scheme]));
    let convinces = if is_known { is_long } else { has_digit };
    match judge_scheme(&after[scheme..], convinces) {
        Verdict::Mask { from, to, then } => {
            let before = between + scheme;
            Verdict::Mask { from: before + from, to: before + to, then }
        }
        verdict => verdict,
    }
}

fn is_long(run: &[u8]) -> bool {
    run.len() >= 8
}

/// Prose has words after `bearer`; credentials have digits, or are longer than any word.
fn has_digit(run: &[u8]) -> bool {
    run.len() >= 8 && run.iter().any(u8::is_ascii_digit) || run.len() >= 40
}

/// Whether this is the base64 of something printable up to a colon.
fn is_basic(run: &[u8]) -> bool {
    let mut bits = 0_u32;
    let mut count = 0;
    for &byte in run {
        let six = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return false,
        };
        bits = (bits << 6 | u32::from(six)) & 0xFFFF;
        count += 6;
        if count >= 8 {
            count -= 8;
            match bits >> count & 0xFF {
                0x3A => return run.len() >= 8,
                ..0x20 | 0x7F => return false,
                _ => {}
            }
        }
    }
    false
}

/// A password that is masked, and what follows it.
const MASKED: &[u8] = b"[REDACTED]@";

/// User, colon, password and `@`, after `://`. A password may hold `@`, so the last one counts.
fn judge_url(rest: &[u8], last: bool) -> Verdict {
    let authority = Class::Authority.run(rest, URL_WINDOW);
    let seen = &rest[..authority];
    let colon = seen.iter().position(|&byte| byte == b':');
    // A password that is masked is done with. Measured again, it might be longer than what it stands for.
    if let Some(colon) = colon {
        let password = &rest[colon + 1..];
        let begun = password.len().min(MASKED.len());
        if password[..begun] == MASKED[..begun] {
            return if begun == MASKED.len() || last { Verdict::No } else { Verdict::More };
        }
    }
    if authority == URL_WINDOW {
        // No real authority is as long, and where it ends cannot be waited for.
        return Verdict::Mask { from: colon.map_or(0, |colon| colon + 1), to: authority, then: Some(Class::Authority) };
    }
    if authority == rest.len() && !last {
        return Verdict::More;
    }
    match (colon, seen.iter().rposition(|&byte| byte == b'@')) {
        (Some(colon), Some(at)) if colon + 1 < at => Verdict::Mask { from: colon + 1, to: at, then: None },
        _ => Verdict::No,
    }
}
