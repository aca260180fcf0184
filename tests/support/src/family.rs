//! Every process that an entry started, found in /proc, so that a test can say that none is left.
//!
//! A child may lead a process group of its own, and an orphan belongs to init: so what was once seen as a descendant
//! is remembered with the time it started, its process group is watched too, and a mark in the environment, which most
//! children inherit, finds those that nobody saw in time.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use rustix::process::{Pid, Signal, kill_process};

#[derive(Debug)]
pub(crate) struct Family {
    root: i32,
    /// Processes seen, with the time they started: a pid may be used again.
    seen: BTreeSet<(i32, u64)>,
    groups: BTreeSet<i32>,
    /// `NAME=VALUE` in the environment of the entry.
    mark: String,
}

#[derive(Debug)]
struct Process {
    pid: i32,
    parent: i32,
    group: i32,
    started: u64,
    state: char,
}

impl Family {
    /// The family of an entry that leads its own process group.
    pub(crate) fn of(root: i32, mark: String) -> Self {
        Self { root, seen: BTreeSet::new(), groups: BTreeSet::from([root]), mark }
    }

    /// Remembers who belongs to it now. To be called while the entry's own process id cannot be used again: before it
    /// is reaped.
    pub(crate) fn look(&mut self) {
        let all = processes();
        let known: BTreeSet<i32> = all
            .values()
            .filter(|process| self.seen.contains(&(process.pid, process.started)))
            .map(|process| process.pid)
            .collect();
        for process in all.values() {
            if process.pid == self.root || !self.belongs(process, &all, &known) {
                continue;
            }
            self.seen.insert((process.pid, process.started));
            // A descendant in a group of its own made that group, or joined one that a descendant made.
            if process.group == process.pid {
                self.groups.insert(process.group);
            }
        }
    }

    /// Remembers those, too, that lost every tie but the mark.
    pub(crate) fn look_everywhere(&mut self) {
        self.look();
        for process in processes().values() {
            if process.pid != self.root && self.is_marked(process.pid) {
                self.seen.insert((process.pid, process.started));
            }
        }
    }

    fn is_marked(&self, pid: i32) -> bool {
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|pair| pair == self.mark.as_bytes())
    }

    /// Those seen that still run, as `pid command line`. A process that only waits to be reaped does not run.
    pub(crate) fn left(&self) -> Vec<String> {
        let all = processes();
        self.seen
            .iter()
            .filter(|(pid, started)| {
                all.get(pid).is_some_and(|process| process.started == *started && process.state != 'Z')
            })
            .map(|(pid, _)| format!("{pid} {}", command_line(*pid)))
            .collect()
    }

    /// Kills those seen that still run.
    pub(crate) fn kill(&self) {
        let all = processes();
        for (pid, started) in &self.seen {
            if all.get(pid).is_some_and(|process| process.started == *started)
                && let Some(pid) = Pid::from_raw(*pid)
            {
                let _ = kill_process(pid, Signal::KILL);
            }
        }
    }

    fn belongs(&self, process: &Process, all: &BTreeMap<i32, Process>, known: &BTreeSet<i32>) -> bool {
        if self.groups.contains(&process.group) {
            return true;
        }
        let mut parent = process.parent;
        while parent > 1 {
            if parent == self.root || known.contains(&parent) {
                return true;
            }
            parent = all.get(&parent).map_or(0, |process| process.parent);
        }
        false
    }
}

fn processes() -> BTreeMap<i32, Process> {
    let Ok(entries) = fs::read_dir("/proc") else {
        return BTreeMap::new();
    };
    entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok())
        .filter_map(|pid| Some((pid, process(pid)?)))
        .collect()
}

fn process(pid: i32) -> Option<Process> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The command in parentheses may hold spaces and parentheses itself.
    let rest = stat.get(stat.rfind(')')? + 2..)?;
    let fields: Vec<&str> = rest.split(' ').collect();
    Some(Process {
        pid,
        state: fields.first()?.chars().next()?,
        parent: fields.get(1)?.parse().ok()?,
        group: fields.get(2)?.parse().ok()?,
        started: fields.get(19)?.parse().ok()?,
    })
}

fn command_line(pid: i32) -> String {
    let bytes = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&bytes).replace('\0', " ").trim_end().to_owned()
}
