//! The audit file: one JSON line when an operation is about to be invoked, and one when its call has ended. A line of the
//! first kind without one of the second says that the operation may have run: the process was killed in between.
//!
//! Trust boundary: no argument, result, context or message is ever written; what identifies them is a keyed digest.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{FileExt as _, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use redact_json::{Budget, Rules};
use rustix::fs::{Access, OFlags, access};
use serde::Serialize;

use crate::diagnostic::Outcome;

pub(crate) struct Audit {
    path: PathBuf,
    side: &'static str,
}

/// One line. What is not known, or does not apply, is left out.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Line<'a> {
    pub(crate) event: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) identity: Option<&'a str>,
    pub(crate) operation: String,
    /// The same on both lines of a call.
    pub(crate) call: &'a str,
    /// The keyed digest of the validated arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) arguments: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) confirm: Option<&'a Decision>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) approve: Option<&'a Decision>,
    #[serde(flatten)]
    pub(crate) end: Option<End<'a>>,
}

/// What somebody who was asked answered, to which prompt.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Decision {
    pub(crate) answer: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) prompt: Option<String>,
}

/// How a call ended.
#[derive(Debug, Serialize)]
pub(crate) struct End<'a> {
    pub(crate) outcome: Outcome,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) code: Option<&'a str>,
    /// Nobody waited for the answer any more.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) cancelled: bool,
    pub(crate) bytes: usize,
    pub(crate) milliseconds: u64,
}

#[derive(Serialize)]
struct Stamped<'a> {
    time: String,
    process: u32,
    side: &'static str,
    #[serde(flatten)]
    line: &'a Line<'a>,
}

/// Far more than any line has.
const LONGEST: usize = 1 << 16;

impl Audit {
    /// Looks whether the file can be written, and creates nothing.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn new(path: &Path, side: &'static str) -> Result<Self, String> {
        let audit = Self { path: path.to_owned(), side };
        match audit.open(false) {
            Ok(_) => Ok(audit),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let folder = path.parent().unwrap_or(path);
                match access(folder, Access::WRITE_OK | Access::EXEC_OK) {
                    Ok(()) => Ok(audit),
                    Err(_) => Err(format!("{} is no folder that this user may write to", folder.display())),
                }
            }
            Err(error) => Err(format!("{} cannot be written: {error}", path.display())),
        }
    }

    /// Appends one line, and waits until it is on the disk.
    ///
    /// # Errors
    /// It could not be written: what it announces must not happen.
    pub(crate) fn write(&self, line: &Line<'_>, rules: &Rules) -> io::Result<()> {
        let time = jiff::Timestamp::now().to_string();
        let stamped = Stamped { time, process: std::process::id(), side: self.side, line };
        let text = redact_json::to_string(&stamped, rules, Budget::bytes(LONGEST)).map_err(io::Error::other)?;
        // Opened for each line: a file that was moved away by a rotation is made anew.
        let mut file = self.open(true)?;
        let text = format!("{}{text}\n", if is_torn(&file)? { "\n" } else { "" });
        let written = file.write(text.as_bytes())?;
        if written < text.len() {
            return Err(io::ErrorKind::WriteZero.into());
        }
        file.sync_data()
    }

    /// A regular file under this one name: through a link, somebody else would choose what is written to.
    fn open(&self, create: bool) -> io::Result<File> {
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
        let file = OpenOptions::new()
            .append(true)
            .read(true)
            .create(create)
            .mode(0o600)
            .custom_flags(flags.bits().cast_signed())
            .open(&self.path)?;
        let metadata = file.metadata()?;
        if !metadata.is_file() || metadata.nlink() > 1 {
            return Err(io::Error::other("it is a link, or no regular file"));
        }
        Ok(file)
    }
}

/// Whether the last line was written in part, by this process or one before: the next must not continue it.
fn is_torn(file: &File) -> io::Result<bool> {
    let Some(last) = file.metadata()?.len().checked_sub(1) else { return Ok(false) };
    let mut byte = [0];
    Ok(file.read_at(&mut byte, last)? == 1 && byte != *b"\n")
}

pub(crate) fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line() -> Line<'static> {
        Line { event: "invoke", operation: "a.b".to_owned(), call: "1", ..Line::default() }
    }

    #[test]
    fn a_new_file_is_private_and_lines_are_appended() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("audit");
        let audit = Audit::new(&path, "mcp").expect("writable");
        assert!(!path.exists(), "looking creates nothing");
        for _ in 0..2 {
            audit.write(&line(), &Rules::default()).expect("written");
        }
        assert_eq!(path.metadata().expect("there").mode() & 0o777, 0o600);
        let text = std::fs::read_to_string(&path).expect("text");
        assert_eq!(text.lines().count(), 2);
        let first: serde_json::Value = serde_json::from_str(text.lines().next().expect("a line")).expect("JSON");
        assert_eq!((first["event"].as_str(), first["side"].as_str()), (Some("invoke"), Some("mcp")));
        assert!(first["time"].as_str().is_some_and(|time| time.ends_with('Z') && time.starts_with("20")));
    }

    #[test]
    fn a_line_that_was_written_in_part_is_not_continued() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("audit");
        std::fs::write(&path, "{\"event\":\"inv").expect("a file");
        let audit = Audit::new(&path, "mcp").expect("writable");
        for _ in 0..2 {
            audit.write(&line(), &Rules::default()).expect("written");
        }
        let text = std::fs::read_to_string(&path).expect("text");
        let whole = |line: &str| serde_json::from_str::<serde_json::Value>(line).is_ok();
        assert_eq!(text.lines().map(whole).collect::<Vec<_>>(), [false, true, true], "{text}");
    }

    #[test]
    fn links_folders_and_devices_are_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let target = folder.path().join("target");
        std::fs::write(&target, "").expect("a file");
        let (soft, hard) = (folder.path().join("soft"), folder.path().join("hard"));
        std::os::unix::fs::symlink(&target, &soft).expect("a link");
        std::fs::hard_link(&target, &hard).expect("a link");
        for path in [&*soft, &*hard, folder.path(), Path::new("/dev/null"), &folder.path().join("no/such")] {
            assert!(Audit::new(path, "mcp").is_err(), "{}", path.display());
        }
        assert_eq!(std::fs::read_to_string(&target).expect("text"), "");
    }
}
