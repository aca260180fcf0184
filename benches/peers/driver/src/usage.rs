//! What a process has used and holds, as the kernel tells it.

use std::fs;
use std::thread;
use std::time::Duration;

use nix::time::{ClockId, clock_getcpuclockid, clock_gettime};
use nix::unistd::Pid;

use crate::Res;

/// What whoever has just written an answer needs to let go of it.
const REST: Duration = Duration::from_millis(100);

pub(crate) struct Usage {
    pid: i32,
    clock: ClockId,
}

impl Usage {
    pub(crate) fn of(pid: i32) -> Res<Self> {
        let clock = clock_getcpuclockid(Pid::from_raw(pid)).map_err(|e| format!("the CPU clock of {pid}: {e}"))?;
        Ok(Self { pid, clock })
    }

    /// CPU time of all its threads in µs.
    pub(crate) fn cpu(&self) -> Res<f64> {
        let time = clock_gettime(self.clock).map_err(|e| format!("the CPU clock of {}: {e}", self.pid))?;
        Ok(time.tv_sec() as f64 * 1e6 + time.tv_nsec() as f64 / 1e3)
    }

    /// Context switches of the threads that live, wanted or not.
    pub(crate) fn switches(&self) -> Res<f64> {
        let mut sum = 0.0;
        for thread in self.folder("task")? {
            let status = fs::read_to_string(thread.join("status")).unwrap_or_default();
            sum += field(&status, "voluntary_ctxt_switches:") + field(&status, "nonvoluntary_ctxt_switches:");
        }
        Ok(sum)
    }

    /// Resident memory in MiB once it is at rest, exactly: `status` may be some dozens of pages off.
    pub(crate) fn memory(&self) -> Res<f64> {
        thread::sleep(REST);
        let file = format!("/proc/{}/smaps_rollup", self.pid);
        let text = fs::read_to_string(&file).map_err(|e| format!("{file}: {e}"))?;
        Ok(field(&text, "Rss:") / 1024.0)
    }

    pub(crate) fn descriptors(&self) -> Res<usize> {
        Ok(self.folder("fd")?.len())
    }

    fn folder(&self, name: &str) -> Res<Vec<std::path::PathBuf>> {
        let folder = format!("/proc/{}/{name}", self.pid);
        let entries = fs::read_dir(&folder).map_err(|e| format!("{folder}: {e}"))?;
        Ok(entries.flatten().map(|entry| entry.path()).collect())
    }
}

/// The number behind a key that begins a line.
fn field(text: &str, key: &str) -> f64 {
    text.lines()
        .find_map(|line| line.strip_prefix(key))
        .and_then(|rest| rest.split_whitespace().next())
        .and_then(|number| number.parse().ok())
        .unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_found_by_its_whole_name() {
        let text = "nonvoluntary_ctxt_switches:\t7\nvoluntary_ctxt_switches:\t3\nRss:   2048 kB\n";
        assert_eq!(["voluntary_ctxt_switches:", "Rss:", "Pss:"].map(|key| field(text, key)), [3.0, 2048.0, 0.0]);
    }
}
