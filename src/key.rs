//! A random key of this process: ids nobody guesses, and digests that tell two values apart without telling either.
//!
//! Another process, and this one after a restart, has another key: nothing made with it outlives the process.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

pub(crate) struct Key {
    bytes: [u8; 64],
    ids: AtomicU64,
}

/// What a digest is made for: the same bytes give another digest for another purpose.
#[derive(Clone, Copy)]
pub(crate) enum Purpose {
    Id,
    Arguments,
    Mask,
    Prompt,
    State,
}

impl Key {
    /// # Errors
    /// The system has no random bytes.
    pub(crate) fn random() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; 64];
        getrandom::fill(&mut bytes)?;
        Ok(Self { bytes, ids: AtomicU64::new(0) })
    }

    /// A digest of several parts, each of them told apart from the next.
    pub(crate) fn digest(&self, purpose: Purpose, parts: &[&[u8]]) -> [u8; 32] {
        let mut mac = <Hmac<Sha256> as KeyInit>::new(&self.bytes.into());
        mac.update(&[purpose as u8]);
        for part in parts {
            mac.update(&(part.len() as u64).to_be_bytes());
            mac.update(part);
        }
        mac.finalize().into_bytes().into()
    }

    /// The first `bytes` of a digest, in hex.
    pub(crate) fn tag(&self, purpose: Purpose, parts: &[&[u8]], bytes: usize) -> String {
        hex(&self.digest(purpose, parts)[..bytes])
    }

    /// Whether `tag` is that of these parts, compared in constant time.
    pub(crate) fn is_tag(&self, purpose: Purpose, parts: &[&[u8]], tag: &str) -> bool {
        let expected = hex(&self.digest(purpose, parts));
        let differences = expected.bytes().zip(tag.bytes()).fold(0, |all, (a, b)| all | (a ^ b));
        tag.len() == expected.len() && std::hint::black_box(differences) == 0
    }

    /// 128 bits that nobody guesses, never the same twice.
    pub(crate) fn id(&self) -> String {
        let number = self.ids.fetch_add(1, Ordering::Relaxed);
        self.tag(Purpose::Id, &[&number.to_be_bytes()], 16)
    }
}

/// Lower-case hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
impl Key {
    /// The same in every run, for snapshots.
    pub(crate) fn fixed() -> Self {
        Self { bytes: [7; 64], ids: AtomicU64::new(0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_purposes_and_the_cut_between_parts_make_other_digests() {
        let key = Key::fixed();
        let base = key.digest(Purpose::Mask, &[b"ab", b"c"]);
        assert_eq!(base, key.digest(Purpose::Mask, &[b"ab", b"c"]));
        assert_ne!(base, key.digest(Purpose::Mask, &[b"a", b"bc"]));
        assert_ne!(base, key.digest(Purpose::Prompt, &[b"ab", b"c"]));
        assert_ne!(base, Key::random().expect("random bytes").digest(Purpose::Mask, &[b"ab", b"c"]));
    }

    #[test]
    fn ids_differ() {
        let key = Key::fixed();
        assert_ne!(key.id(), key.id());
        assert_eq!(key.id().len(), 32);
    }
}
