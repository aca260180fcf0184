//! What shapes begin with, and a filter that finds the few places where one may.

use super::{Class, PEM};

/// A token that is recognized by its prefix.
#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub(crate) prefix: Box<str>,
    /// What follows the prefix.
    pub(crate) class: Class,
    /// How many of these at least.
    pub(crate) least: usize,
}

/// The beginning of a shape.
#[derive(Clone, Debug)]
pub(crate) enum Trigger {
    Token(Token),
    /// `eyJ`: base64 of `{"`.
    Jwt,
    /// An authorization scheme in any letter case.
    Scheme(&'static str),
    /// `Basic` in any letter case.
    Basic,
    /// `Authorization` in any letter case, the header's name.
    Header,
    /// `://`.
    Url,
}

const TOKENS: [(&str, Class, usize); 39] = [
    // Amazon access keys.
    ("AKIA", Class::Upper, 16),
    ("ASIA", Class::Upper, 16),
    // Git hosts.
    ("ghp_", Class::Alnum, 30),
    ("gho_", Class::Alnum, 30),
    ("ghu_", Class::Alnum, 30),
    ("ghs_", Class::Alnum, 30),
    ("ghr_", Class::Alnum, 30),
    ("github_pat_", Class::Word, 22),
    ("glpat-", Class::Word, 20),
    ("glptt-", Class::Word, 20),
    ("gldt-", Class::Word, 20),
    ("glrt-", Class::Word, 20),
    // Chat.
    ("xoxa-", Class::Word, 10),
    ("xoxb-", Class::Word, 10),
    ("xoxe-", Class::Word, 10),
    ("xoxe.", Class::Dotted, 10),
    ("xoxo-", Class::Word, 10),
    ("xoxp-", Class::Word, 10),
    ("xoxr-", Class::Word, 10),
    ("xoxs-", Class::Word, 10),
    ("xapp-", Class::Word, 10),
    // Payments and mail.
    ("sk_live_", Class::Alnum, 16),
    ("sk_test_", Class::Alnum, 16),
    ("rk_live_", Class::Alnum, 16),
    ("rk_test_", Class::Alnum, 16),
    ("whsec_", Class::Token68, 20),
    ("SG.", Class::Dotted, 40),
    // Models.
    ("sk-ant-", Class::Word, 20),
    ("sk-proj-", Class::Word, 20),
    ("sk-svcacct-", Class::Word, 20),
    ("sk-", Class::Alnum, 32),
    ("hf_", Class::Alnum, 30),
    // Google.
    ("AIza", Class::Word, 35),
    ("GOCSPX-", Class::Word, 20),
    ("ya29.", Class::Word, 20),
    // Package registries and infrastructure.
    ("npm_", Class::Alnum, 30),
    ("pypi-", Class::Word, 50),
    ("dop_v1_", Class::Alnum, 60),
    ("hvs.", Class::Word, 24),
];

#[derive(Clone)]
pub(crate) struct Triggers {
    /// By the low bits of their first byte, which letter case is not among.
    by_first: Box<[Vec<Trigger>; 32]>,
    /// Of the hash of three folded bytes: 1 if they may begin a shape.
    table: Box<[u8; 1 << BITS]>,
}

/// Of a hash. The table stays in the fastest cache.
const BITS: u32 = 12;

impl Triggers {
    pub(crate) fn new(further: &[Token]) -> Self {
        let tokens = TOKENS.iter().map(|&(prefix, class, least)| Token { prefix: prefix.into(), class, least });
        let mut all = vec![Trigger::Url, Trigger::Jwt, Trigger::Basic];
        all.extend(["bearer", "negotiate", "apikey"].map(Trigger::Scheme));
        all.extend(tokens.chain(further.iter().cloned()).map(Trigger::Token));
        all.push(Trigger::Header);
        let mut table = Box::new([0; 1 << BITS]);
        for beginning in all.iter().map(|trigger| trigger.beginning().as_bytes()).chain([PEM]) {
            if let &[a, b, c, ..] = beginning {
                table[hash(fold(u64::from_le_bytes([a, b, c, 0, 0, 0, 0, 0])))] = 1;
            }
        }
        let mut by_first: Box<[Vec<Trigger>; 32]> = Box::default();
        for trigger in all {
            if let Some(&first) = trigger.beginning().as_bytes().first() {
                by_first[low_bits(first)].push(trigger);
            }
        }
        Self { by_first, table }
    }

    /// The triggers that may begin with this byte.
    pub(crate) fn beginning_with(&self, first: u8) -> &[Trigger] {
        &self.by_first[low_bits(first)]
    }

    /// The first place at or after `from` whose three bytes may begin a shape.
    #[inline]
    pub(crate) fn next(&self, text: &[u8], from: usize) -> Option<usize> {
        /// Places that one word of eight bytes decides.
        const PLACES: usize = 6;
        let mut at = from;
        while let Some(word) = text.get(at..).and_then(|rest| rest.first_chunk()) {
            let word = fold(u64::from_le_bytes(*word));
            let hits = (0..PLACES).fold(0, |hits, place| hits | self.table[hash(word >> (8 * place))]);
            if hits != 0 {
                return (0..PLACES).find(|place| self.table[hash(word >> (8 * place))] != 0).map(|place| at + place);
            }
            at += PLACES;
        }
        let hit = |w: &[u8]| self.table[hash(fold(u64::from_le_bytes([w[0], w[1], w[2], 0, 0, 0, 0, 0])))] != 0;
        text.get(at..)?.windows(3).position(hit).map(|place| at + place)
    }
}

/// Without letter case.
#[inline]
const fn fold(word: u64) -> u64 {
    word | 0x2020_2020_2020_2020
}

const fn low_bits(byte: u8) -> usize {
    (byte & 31) as usize
}

/// Of the lowest three bytes.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the other bytes do not count")]
const fn hash(folded: u64) -> usize {
    let three = (folded as u32) << 8;
    (three.wrapping_mul(0x9E37_79B1) >> (32 - BITS)) as usize
}

impl Trigger {
    /// At least three bytes, up to letter case.
    pub(crate) fn beginning(&self) -> &str {
        match self {
            Self::Token(token) => &token.prefix,
            Self::Jwt => "eyJ",
            Self::Scheme(word) => word,
            Self::Basic => "basic",
            Self::Header => "authorization",
            Self::Url => "://",
        }
    }

    pub(crate) fn ignores_case(&self) -> bool {
        matches!(self, Self::Scheme(_) | Self::Basic | Self::Header)
    }
}
