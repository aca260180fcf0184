//! Ends a server that has not answered for too long: the driver itself may be blocked in a read.

use std::sync::atomic::{AtomicI32, AtomicU64, Ordering};
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

const PATIENCE: u64 = 120;
/// The server that is driven; 0 between two of them.
static SERVER: AtomicI32 = AtomicI32::new(0);
/// Seconds since anything was heard of it.
static SILENT: AtomicU64 = AtomicU64::new(0);

pub(crate) fn begin(pid: i32) {
    static THREAD: std::sync::Once = std::sync::Once::new();
    THREAD.call_once(|| {
        std::thread::spawn(|| {
            loop {
                std::thread::sleep(Duration::from_secs(1));
                let server = SERVER.load(Ordering::Relaxed);
                if SILENT.fetch_add(1, Ordering::Relaxed) > PATIENCE && server != 0 {
                    let _ = kill(Pid::from_raw(server), Signal::SIGKILL);
                }
            }
        });
    });
    heard();
    SERVER.store(pid, Ordering::Relaxed);
}

pub(crate) fn heard() {
    SILENT.store(0, Ordering::Relaxed);
}

pub(crate) fn end() {
    SERVER.store(0, Ordering::Relaxed);
}
