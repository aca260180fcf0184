//! Sets of bytes that runs of a shape are made of.

/// A set of bytes. None has `[`, except what may stand in the authority of a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// Letters and digits.
    Alnum,
    /// Capitals and digits.
    Upper,
    /// Letters, digits, `_` and `-`.
    Word,
    /// The same with `.`.
    Dotted,
    /// What follows an authorization scheme (`token68` of RFC 9110).
    Token68,
    /// Anything up to the end of the authority of a URL.
    Authority,
}

impl Class {
    pub(crate) fn has(self, byte: u8) -> bool {
        match self {
            Self::Alnum => byte.is_ascii_alphanumeric(),
            Self::Upper => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Self::Word => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'),
            Self::Dotted => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'),
            Self::Token68 => byte.is_ascii_alphanumeric() || b"-._~+/=".contains(&byte),
            Self::Authority => {
                !(byte.is_ascii_whitespace() || byte.is_ascii_control() || b"/?#\\\"<>`".contains(&byte))
            }
        }
    }

    /// How many bytes at the beginning of `text` are of this class; no more than `most` are looked at.
    pub(crate) fn run(self, text: &[u8], most: usize) -> usize {
        text.iter().take(most).take_while(|byte| self.has(**byte)).count()
    }
}
