//! Files that trusted people write: read once, whole, and only if they can be one.

use std::io::Read;
use std::path::{Path, PathBuf};

use super::refusal::Refusal;

/// Written by hand; anything larger is not one.
const LARGEST: u64 = 1 << 20;

/// The text of `path`; `what` is what it should be, and `advice` what to do if it is not.
pub(crate) fn read(path: &Path, what: &str, advice: &str) -> Result<String, Refusal> {
    let unreadable = |problem: String| Refusal::new(problem).file(path).advice(advice);
    let failed = |error: std::io::Error| unreadable(format!("it cannot be read ({})", error.kind()));
    // Opening a pipe would wait for its writer, and a device has no end.
    if !std::fs::metadata(path).map_err(failed)?.is_file() {
        return Err(unreadable("it is not a regular file".to_owned()));
    }
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(failed)?;
    file.take(LARGEST + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > LARGEST {
        return Err(unreadable(format!("it is larger than the {LARGEST} bytes that {what} may have")));
    }
    String::from_utf8(bytes).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = 1 + memchr::memchr_iter(b'\n', before).count();
        Refusal::new("it is not UTF-8 text").file(path).line(line)
    })
}

/// `named` as the file `by` means it: against the folder `by` is in, wherever this process was started.
pub(crate) fn resolve(by: &Path, named: &str) -> PathBuf {
    folder_of(by).join(named)
}

/// The folder a file is in. It keeps its meaning when the working directory changes or goes away.
pub(crate) fn folder_of(file: &Path) -> PathBuf {
    let folder = match file.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned())
}
