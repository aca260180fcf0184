//! One server process: started, driven over its pipes, watched, and measured.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::Res;
use crate::args::{Args, Spec};

/// Ends a server that this driver started when nothing has come back for too long.
#[derive(Default)]
pub(crate) struct Watch {
    pub(crate) pid: AtomicU64,
    pub(crate) last: AtomicU64,
}

pub(crate) fn now_ms() -> u64 {
    let mut ts = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut ts) };
    ts.tv_sec as u64 * 1000 + ts.tv_nsec as u64 / 1_000_000
}

pub(crate) fn pin_to(cpu: usize) {
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(cpu, &mut set);
        libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &set);
    }
}

pub(crate) struct Session {
    pub(crate) child: Child,
    pub(crate) stdin: Option<ChildStdin>,
    pub(crate) stdout: ChildStdout,
    pub(crate) buf: Vec<u8>,
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) next_id: u64,
    pub(crate) proto: String,
    pub(crate) watch: Arc<Watch>,
    pub(crate) spawned: Instant,
    pub(crate) clock: libc::clockid_t,
}

impl Session {
    pub(crate) fn spawn(spec: &Spec, args: &Args, watch: &Arc<Watch>) -> Res<Self> {
        let mut cmd = Command::new(&spec.cmd[0]);
        cmd.args(&spec.cmd[1..]).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(if args.stderr {
            Stdio::inherit()
        } else {
            Stdio::null()
        });
        let server_cpu = match args.pin.as_str() {
            "split" => Some(1),
            "same" => Some(0),
            _ => None,
        };
        if let Some(cpu) = server_cpu {
            unsafe {
                cmd.pre_exec(move || {
                    pin_to(cpu);
                    Ok(())
                });
            }
        }
        let spawned = Instant::now();
        let mut child = cmd.spawn().map_err(|e| format!("{}: {e}", spec.cmd[0]))?;
        watch.last.store(now_ms(), Ordering::Relaxed);
        watch.pid.store(child.id() as u64, Ordering::Relaxed);
        let mut clock: libc::clockid_t = 0;
        unsafe { libc::clock_getcpuclockid(child.id() as libc::pid_t, &mut clock) };
        Ok(Self {
            stdin: child.stdin.take(),
            stdout: child.stdout.take().unwrap(),
            child,
            buf: vec![0; 1 << 20],
            start: 0,
            end: 0,
            next_id: 1,
            proto: spec.proto.clone(),
            watch: watch.clone(),
            spawned,
            clock,
        })
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> Res<()> {
        self.stdin.as_mut().unwrap().write_all(bytes).map_err(|e| format!("write: {e}"))
    }

    /// Reads one line; the returned range lies in `self.buf` and holds no newline.
    pub(crate) fn read_line(&mut self) -> Res<std::ops::Range<usize>> {
        let mut scanned = self.start;
        loop {
            if let Some(at) = memchr(&self.buf[scanned..self.end]) {
                let line = self.start..scanned + at;
                self.start = line.end + 1;
                if self.start == self.end {
                    self.start = 0;
                    self.end = 0;
                }
                return Ok(line);
            }
            scanned = self.end;
            if self.end == self.buf.len() {
                if self.start > 0 {
                    self.buf.copy_within(self.start..self.end, 0);
                    scanned -= self.start;
                    self.end -= self.start;
                    self.start = 0;
                } else {
                    self.buf.resize(self.buf.len() * 2, 0);
                }
            }
            let n = self.stdout.read(&mut self.buf[self.end..]).map_err(|e| format!("read: {e}"))?;
            if n == 0 {
                return Err("server closed its output".into());
            }
            self.end += n;
        }
    }

    pub(crate) fn meta(&self) -> Option<Value> {
        (self.proto == "2026-07-28").then(|| {
            json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": {"name": "stdio-load", "version": "0.1.0"},
                "io.modelcontextprotocol/clientCapabilities": {},
            })
        })
    }

    /// The bytes of a request up to its id, and after it, so that only the id changes per call.
    pub(crate) fn request(&self, method: &str, mut params: Value) -> (Vec<u8>, Vec<u8>) {
        if self.proto == "raw" {
            return (Vec::new(), b"\n".to_vec());
        }
        if let Some(meta) = self.meta() {
            params["_meta"] = meta;
        }
        let tail = format!(",\"method\":{},\"params\":{}}}\n", json!(method), params);
        (b"{\"jsonrpc\":\"2.0\",\"id\":".to_vec(), tail.into_bytes())
    }

    pub(crate) fn build(&mut self, parts: &(Vec<u8>, Vec<u8>), out: &mut Vec<u8>) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        out.extend_from_slice(&parts.0);
        write!(out, "{id}").unwrap();
        out.extend_from_slice(&parts.1);
        id
    }

    pub(crate) fn check(&self, line: &[u8], id: u64, deep: bool) -> Res<()> {
        if self.proto == "raw" {
            return Ok(());
        }
        if deep {
            let v: Value = serde_json::from_slice(line).map_err(|e| format!("bad reply: {e}"))?;
            if v["id"] != json!(id) || v["result"]["isError"] == json!(true) || v.get("result").is_none() {
                return Err(format!("unexpected reply: {:.400}", v.to_string()));
            }
            return Ok(());
        }
        // cheap check in the timed loops: the id, and no error
        let head = &line[..line.len().min(400)];
        let tail = &line[line.len().saturating_sub(64)..];
        let a = format!("\"id\":{id}");
        let has = |hay: &[u8], needle: &[u8]| hay.windows(needle.len()).any(|w| w == needle);
        if !has(head, a.as_bytes()) && !has(tail, a.as_bytes()) {
            return Err(format!("reply to another id: {}", String::from_utf8_lossy(head)));
        }
        if has(head, b"\"error\":") || has(tail, b"\"isError\":true") {
            return Err(format!("error reply: {}", String::from_utf8_lossy(head)));
        }
        Ok(())
    }

    /// One request, one reply. Returns the time and the reply's size.
    pub(crate) fn call(
        &mut self,
        parts: &(Vec<u8>, Vec<u8>),
        scratch: &mut Vec<u8>,
        deep: bool,
    ) -> Res<(Duration, usize)> {
        scratch.clear();
        let id = self.build(parts, scratch);
        let t0 = Instant::now();
        self.write(scratch)?;
        let mut line = self.read_line()?;
        // skip notifications and log messages
        while self.proto != "raw" && !is_reply(&self.buf[line.clone()]) {
            line = self.read_line()?;
        }
        let took = t0.elapsed();
        self.watch.last.store(now_ms(), Ordering::Relaxed);
        self.check(&self.buf[line.clone()], id, deep)?;
        Ok((took, line.len()))
    }

    pub(crate) fn cold(&mut self, scratch: &mut Vec<u8>) -> Res<Duration> {
        match self.proto.as_str() {
            "raw" => {
                let p = self.request("", Value::Null);
                self.call(&p, scratch, true)?;
            }
            "2026-07-28" => {
                let p = self.request("tools/list", json!({}));
                self.call(&p, scratch, true)?;
            }
            v => {
                let init = json!({"protocolVersion": v, "capabilities": {},
                    "clientInfo": {"name": "stdio-load", "version": "0.1.0"}});
                let p = self.request("initialize", init);
                self.call(&p, scratch, true)?;
                self.write(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n")?;
                let p = self.request("tools/list", json!({}));
                self.call(&p, scratch, true)?;
            }
        }
        Ok(self.spawned.elapsed())
    }

    pub(crate) fn status(&self, key: &str) -> f64 {
        let text = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        field(&text, key)
    }

    /// Context switches of all live threads (voluntary, involuntary).
    pub(crate) fn switches(&self) -> (f64, f64) {
        let mut out = (0.0, 0.0);
        if let Ok(dir) = fs::read_dir(format!("/proc/{}/task", self.child.id())) {
            for t in dir.flatten() {
                let text = fs::read_to_string(t.path().join("status")).unwrap_or_default();
                out.0 += field(&text, "voluntary_ctxt_switches:");
                out.1 += field(&text, "nonvoluntary_ctxt_switches:");
            }
        }
        out
    }

    /// CPU time of the whole server process in seconds (nanosecond clock).
    pub(crate) fn cpu(&self) -> f64 {
        let mut ts = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        unsafe { libc::clock_gettime(self.clock, &mut ts) };
        ts.tv_sec as f64 + ts.tv_nsec as f64 / 1e9
    }

    /// User and system seconds from /proc/PID/stat (clock ticks).
    pub(crate) fn ticks(&self) -> (f64, f64) {
        let text = fs::read_to_string(format!("/proc/{}/stat", self.child.id())).unwrap_or_default();
        let rest = text.rsplit_once(") ").map_or("", |x| x.1);
        let f: Vec<&str> = rest.split(' ').collect();
        let hz = unsafe { libc::sysconf(libc::_SC_CLK_TCK) } as f64;
        let get = |i: usize| f.get(i).and_then(|s| s.parse::<f64>().ok()).unwrap_or(0.0) / hz;
        (get(11), get(12))
    }

    /// Closes the server's input and waits for its end. Past ten seconds the driver ends it.
    pub(crate) fn shutdown(mut self) -> Res<(Duration, i64)> {
        let pidfd = unsafe { libc::syscall(libc::SYS_pidfd_open, self.child.id() as libc::pid_t, 0) } as i32;
        let t0 = Instant::now();
        self.stdin = None;
        let mut p = libc::pollfd { fd: pidfd, events: libc::POLLIN, revents: 0 };
        let n = unsafe { libc::poll(&mut p, 1, 10_000) };
        let took = t0.elapsed();
        if n == 0 {
            let _ = self.child.kill();
        }
        let st = self.child.wait().map_err(|e| e.to_string())?;
        self.watch.pid.store(0, Ordering::Relaxed);
        unsafe { libc::close(pidfd) };
        Ok((took, st.code().map_or_else(|| -(st.signal().unwrap_or(0) as i64), i64::from)))
    }

    pub(crate) fn abort(mut self) {
        self.watch.pid.store(0, Ordering::Relaxed);
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub(crate) fn field(text: &str, key: &str) -> f64 {
    text.lines()
        .find_map(|l| l.strip_prefix(key))
        .and_then(|r| r.split_whitespace().next())
        .and_then(|n| n.parse().ok())
        .unwrap_or(0.0)
}

pub(crate) fn memchr(hay: &[u8]) -> Option<usize> {
    let p = unsafe { libc::memchr(hay.as_ptr().cast(), b'\n'.into(), hay.len()) };
    (!p.is_null()).then(|| p as usize - hay.as_ptr() as usize)
}

pub(crate) fn is_reply(line: &[u8]) -> bool {
    let head = &line[..line.len().min(400)];
    let has = |n: &[u8]| head.windows(n.len()).any(|w| w == n);
    !has(b"\"method\":\"notifications/")
}
