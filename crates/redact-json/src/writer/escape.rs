//! What a JSON string must escape: quotation marks, backslashes, control characters. Nothing else is escaped.

/// The next byte at or after `from` that must be escaped.
#[inline]
pub(crate) fn next(text: &[u8], from: usize) -> Option<usize> {
    const WORD: usize = 8;
    let mut at = from;
    while let Some(word) = text.get(at..).and_then(|rest| rest.first_chunk::<WORD>()) {
        let hits = specials(u64::from_le_bytes(*word));
        if hits != 0 {
            // The lowest marked byte is exact: a borrow spoils only those above it.
            return Some(at + (hits.trailing_zeros() / 8) as usize);
        }
        at += WORD;
    }
    text.get(at..)?.iter().position(|&byte| is_special(byte)).map(|offset| at + offset)
}

#[inline]
const fn is_special(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}

/// Marks the highest bit of the bytes of `word` that are special.
#[inline]
const fn specials(word: u64) -> u64 {
    const ONES: u64 = u64::MAX / 255;
    const HIGH: u64 = ONES << 7;
    let quote = word ^ (ONES * b'"' as u64);
    let backslash = word ^ (ONES * b'\\' as u64);
    let control = word.wrapping_sub(ONES * 0x20);
    (control | quote.wrapping_sub(ONES) | backslash.wrapping_sub(ONES)) & !word & HIGH
}

const HEX: &[u8; 16] = b"0123456789abcdef";

/// Writes the escape of a byte, and says how many bytes it has more than in plain text.
pub(super) fn push<const FRAMED: bool>(out: &mut String, byte: u8) -> usize {
    let short = match byte {
        b'"' | b'\\' => {
            out.push_str(if FRAMED { "\\\\\\" } else { "\\" });
            out.push(char::from(byte));
            return if FRAMED { 2 } else { 0 };
        }
        0x08 => 'b',
        0x09 => 't',
        0x0A => 'n',
        0x0C => 'f',
        0x0D => 'r',
        _ => 'u',
    };
    out.push_str(if FRAMED { "\\\\" } else { "\\" });
    out.push(short);
    if short == 'u' {
        out.push_str("00");
        for four in [byte >> 4, byte & 15] {
            out.push(char::from(HEX[usize::from(four)]));
        }
    }
    usize::from(FRAMED)
}

/// The plain text behind text in a frame; text that is plain already as it is.
pub(super) fn unframe<const FRAMED: bool>(text: &[u8]) -> impl Iterator<Item = (usize, u8)> {
    let mut bytes = text.iter().copied().enumerate();
    std::iter::from_fn(move || match bytes.next() {
        // What follows the backslash is the byte; the place is that of the backslash.
        Some((at, b'\\')) if FRAMED => bytes.next().map(|(_, byte)| (at, byte)),
        other => other,
    })
}

/// The bytes that the inside of a canonical JSON string stands for, up to its end.
pub(super) fn decode<const FRAMED: bool>(content: &[u8]) -> impl Iterator<Item = u8> {
    let mut bytes = unframe::<FRAMED>(content).map(|(_, byte)| byte);
    std::iter::from_fn(move || match bytes.next()? {
        b'"' => None,
        b'\\' => Some(match bytes.next()? {
            b'b' => 0x08,
            b't' => 0x09,
            b'n' => 0x0A,
            b'f' => 0x0C,
            b'r' => 0x0D,
            b'u' => {
                let mut digit =
                    || bytes.next().map_or(0, |byte| if byte <= b'9' { byte & 15 } else { (byte & 15) + 9 });
                let [_, _, high, low] = [digit(), digit(), digit(), digit()];
                high << 4 | low
            }
            byte => byte,
        }),
        byte => Some(byte),
    })
}

#[cfg(test)]
mod tests {
    use super::{decode, is_special, next, push};

    #[test]
    fn each_special_byte_is_found_wherever_it_stands() {
        for len in 0..20 {
            for at in 0..len {
                for byte in 0..=255_u8 {
                    let mut text = vec![b'x'; len];
                    text[at] = byte;
                    assert_eq!(next(&text, 0), is_special(byte).then_some(at), "{byte} at {at} of {len}");
                    text[len - 1] = 1;
                    assert_eq!(next(&text, 0), Some(if is_special(byte) { at } else { len - 1 }));
                }
            }
        }
    }

    #[test]
    fn what_is_escaped_decodes_to_itself() {
        for byte in 0..0x80_u8 {
            let (mut plain, mut framed) = (String::new(), String::new());
            if is_special(byte) {
                let more = push::<false>(&mut plain, byte);
                assert_eq!(more, 0);
                assert_eq!(push::<true>(&mut framed, byte), framed.len() - plain.len());
                assert!(decode::<false>(plain.as_bytes()).eq([byte]) && decode::<true>(framed.as_bytes()).eq([byte]));
                assert_eq!(serde_json::from_str::<String>(&format!("\"{framed}\"")).unwrap(), plain);
            }
        }
    }
}
