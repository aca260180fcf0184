//! Which key names say that the value is secret.
//!
//! A name matches a run of whole words of a key, however the key is written: `api_key`, `apiKey`, `API-KEY` and `apikey`
//! are the same name, and `token` is in `accessToken` but neither in `tokenizer` nor in `max_tokens`.

use crate::MASK;

/// What is masked unless the rules say otherwise. The plurals are those that hold the secrets themselves; `tokens` is
/// not here, as it mostly counts them.
const DEFAULT: [&str; 17] = [
    "password",
    "passwords",
    "passwd",
    "secret",
    "secrets",
    "token",
    "authorization",
    "cookie",
    "cookies",
    "credential",
    "credentials",
    "apikey",
    "apikeys",
    "privatekey",
    "privatekeys",
    "connectionstring",
    "connectionstrings",
];

/// A set of key names, each folded to its letters and digits in lower case.
#[derive(Clone, Default)]
pub(crate) struct KeyNames(Vec<Box<str>>);

impl KeyNames {
    pub(crate) fn defaults() -> Self {
        Self(DEFAULT.iter().map(|name| Box::from(*name)).collect())
    }

    /// Adds a name in any style. `false` if it has no letter, or holds the word of the mask: numbered masked keys would
    /// then match or not depending on their number.
    pub(crate) fn add(&mut self, name: &str) -> bool {
        let mut words = Words::default();
        words.split(name);
        let usable = words.folded.chars().any(char::is_alphabetic) && !words.folded.contains("redacted");
        if usable && !self.0.iter().any(|known| **known == *words.folded) {
            self.0.push(words.folded.into());
        }
        usable
    }

    pub(crate) fn match_key(&self, key: &str, words: &mut Words) -> bool {
        if self.0.is_empty() {
            return false;
        }
        words.split(without_number(key));
        let mut starts = words.starts.iter();
        starts.any(|&start| {
            let rest = words.folded.get(start..).unwrap_or_default();
            self.0.iter().any(|name| rest.starts_with(&**name) && words.is_boundary(start + name.len()))
        })
    }
}

/// The key without the number that tells masked keys apart, so that redacting twice sees the same words.
fn without_number(key: &str) -> &str {
    let numbered = key.strip_suffix(')').map(|head| head.trim_end_matches(|c: char| c.is_ascii_digit()));
    match numbered.and_then(|head| head.strip_suffix(" (")) {
        Some(head) if head.contains(MASK) => head,
        _ => key,
    }
}

/// A key folded to lower-case letters and digits, and where its words begin. Reused from key to key.
#[derive(Default)]
pub(crate) struct Words {
    folded: String,
    starts: Vec<usize>,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Separator,
    Lower,
    Upper,
    Digit,
}

impl Words {
    fn split(&mut self, key: &str) {
        self.folded.clear();
        self.starts.clear();
        let mut before = Kind::Separator;
        let mut last_at = 0;
        for c in key.chars() {
            let kind = match c {
                _ if c.is_uppercase() => Kind::Upper,
                _ if c.is_alphabetic() => Kind::Lower,
                _ if c.is_numeric() => Kind::Digit,
                _ => Kind::Separator,
            };
            let at = self.folded.len();
            match (before, kind) {
                (_, Kind::Separator) => {}
                // The last capital of a run begins the next word: `APIKey`.
                (Kind::Upper, Kind::Lower) => {
                    if self.starts.last() != Some(&last_at) {
                        self.starts.push(last_at);
                    }
                }
                (before, kind) if before == kind => {}
                _ => self.starts.push(at),
            }
            if kind != Kind::Separator {
                if c.is_ascii() {
                    self.folded.push(c.to_ascii_lowercase());
                } else {
                    self.folded.extend(c.to_lowercase());
                }
                last_at = at;
            }
            before = kind;
        }
    }

    fn is_boundary(&self, at: usize) -> bool {
        at == self.folded.len() || self.starts.binary_search(&at).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::{KeyNames, Words};

    #[test]
    fn whole_words_in_any_style_match_and_parts_of_words_do_not() {
        let names = KeyNames::defaults();
        for key in [
            "token",
            "access_token",
            "accessToken",
            "ACCESS-TOKEN",
            "AccessToken",
            "APIToken",
            "token2",
            "x-api-key",
            "apiKey",
            "APIKEY",
            "API_KEY",
            "user.password",
            "Set-Cookie",
            "credentials",
            "private key",
            "connectionString",
            "TOKEN",
            "authToken_v2",
            "tokens.token",
            "[REDACTED]token",
            "été_token",
        ] {
            assert!(names.match_key(key, &mut Words::default()), "{key}");
        }
        for key in [
            "tokenizer",
            "max_tokens",
            "maxTokens",
            "tokens",
            "secretary",
            "passwordless",
            "keyboard",
            "api",
            "key",
            "privately",
            "",
            "cookieless",
            "authorizationx",
            "apikeyed",
            "Token\u{e9}",
            "accesstoken",
        ] {
            assert!(!names.match_key(key, &mut Words::default()), "{key}");
        }
    }

    #[test]
    fn a_name_without_letters_or_with_the_word_of_the_mask_is_refused() {
        let mut names = KeyNames::default();
        assert!(!names.add("__"));
        assert!(!names.add("2"));
        assert!(!names.add("redacted_2"));
        assert!(names.add("Login-Name") && names.match_key("the_login_name", &mut Words::default()));
    }
}
