//! Which CPUs the two sides run on.

use std::process::{Child, Command};

use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::unistd::Pid;

use crate::Res;

pub(crate) struct Cpus {
    pub(crate) name: &'static str,
    client: CpuSet,
    server: CpuSet,
}

impl Cpus {
    /// Both on one CPU, each on its own (where there are two), and free.
    pub(crate) fn available() -> Res<Vec<Self>> {
        let all = sched_getaffinity(Pid::from_raw(0)).map_err(|e| format!("the CPUs of this process: {e}"))?;
        let mut single = (0..CpuSet::count()).filter(|cpu| all.is_set(*cpu) == Ok(true)).map(|cpu| {
            let mut set = CpuSet::new();
            set.set(cpu).map(|()| set).map_err(|e| format!("CPU {cpu}: {e}"))
        });
        let first = single.next().ok_or("no CPU")??;
        let mut settings = vec![Self { name: "same", client: first, server: first }];
        if let Some(second) = single.next() {
            settings.push(Self { name: "split", client: first, server: second? });
        }
        settings.push(Self { name: "free", client: all, server: all });
        Ok(settings)
    }

    /// Starts a server where servers belong; a child inherits the CPUs of the thread that starts it.
    pub(crate) fn spawn(&self, command: &mut Command) -> Res<Child> {
        let on = |set| sched_setaffinity(Pid::from_raw(0), set).map_err(|e| format!("the CPUs to run on: {e}"));
        on(&self.server)?;
        let child = command.spawn().map_err(|e| format!("{}: {e}", command.get_program().display()));
        on(&self.client)?;
        child
    }
}
