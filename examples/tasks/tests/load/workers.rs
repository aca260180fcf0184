//! Worker processes, and whoever starts them again.

use test_host::{Errors, Host, Session, Signal};

use super::{Ground, producer::PATIENCE};

pub(super) struct Workers {
    command: Host,
    running: Vec<Session>,
    /// That ended without being told to: the database was away for too long.
    gave_up: usize,
}

impl Workers {
    pub(super) fn start(ground: &Ground, count: usize) -> Self {
        let command = Host::new(Ground::program())
            // A short lease: what a killed worker had in hand is not waited for long.
            .args(["worker", "--lease-ms", "1000"])
            .env("TASK_DATABASE", &ground.address)
            .text_output()
            .errors(Errors::Null)
            .deadline(PATIENCE);
        let running = (0..count).map(|_| command.clone().spawn()).collect();
        Self { command, running, gave_up: 0 }
    }

    /// Kills one, and starts another in its place; says what was done.
    pub(super) fn kill(&mut self, number: usize) -> String {
        let mut killed = std::mem::replace(&mut self.running[number], self.command.clone().spawn());
        let process = killed.id();
        killed.signal(Signal::KILL);
        killed.wait();
        format!("worker {number} killed (process {process})")
    }

    pub(super) fn replace_those_that_ended(&mut self) {
        for worker in &mut self.running {
            if !worker.runs() {
                std::mem::replace(worker, self.command.clone().spawn()).wait();
                self.gave_up += 1;
            }
        }
        assert!(self.gave_up < 100, "workers end again and again");
    }

    /// Lets them end, with nothing in hand.
    pub(super) fn drain(self) {
        for mut worker in self.running {
            worker.signal(Signal::TERM);
            worker.wait().assert_code(0);
        }
    }
}
