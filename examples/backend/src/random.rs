//! Names that nobody can guess.

use std::fmt::Write as _;

/// `prefix` followed by `bytes` random bytes in lower-case hexadecimal.
///
/// # Errors
///
/// When the operating system has no randomness to give.
pub fn name(prefix: &str, bytes: usize) -> Result<String, getrandom::Error> {
    let mut raw = vec![0_u8; bytes];
    getrandom::fill(&mut raw)?;
    Ok(format!("{prefix}{}", hex(&raw)))
}

/// `bytes` in lower-case hexadecimal.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
