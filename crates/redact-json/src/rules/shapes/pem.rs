//! The first and the last line of a private key in PEM.

use super::Class;

/// What begins a block.
pub(crate) const PEM: &[u8] = b"-----BEGIN ";
/// What begins its last line.
pub(crate) const PEM_END: &[u8] = b"-----END ";
const DASHES: &[u8] = b"-----";
/// The longest label.
const LABEL: usize = 48;

/// What stands where a line of a PEM block may begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// Nothing of the kind.
    No,
    /// The text ends before one can say.
    More,
    /// A line of this many bytes.
    Bytes(usize),
}

/// Whether `text` begins with the first line of a private key.
pub(crate) fn pem_header(text: &[u8], last: bool) -> Line {
    line(text, PEM, |label| label.windows(11).any(|window| window == b"PRIVATE KEY"), last)
}

/// Whether `text` begins with the last line of any block.
pub(crate) fn pem_footer(text: &[u8], last: bool) -> Line {
    line(text, PEM_END, |_| true, last)
}

fn line(text: &[u8], beginning: &[u8], accepts: fn(&[u8]) -> bool, last: bool) -> Line {
    let more = if last { Line::No } else { Line::More };
    let seen = text.len().min(beginning.len());
    if text[..seen] != beginning[..seen] {
        return Line::No;
    }
    if seen < beginning.len() {
        return more;
    }
    let rest = &text[seen..];
    let label = rest.iter().take(LABEL).take_while(|byte| Class::Upper.has(**byte) || **byte == b' ').count();
    let dashes = &rest[label..];
    if dashes.starts_with(DASHES) {
        if accepts(&rest[..label]) { Line::Bytes(seen + label + DASHES.len()) } else { Line::No }
    } else if DASHES.starts_with(dashes) {
        more
    } else {
        Line::No
    }
}
