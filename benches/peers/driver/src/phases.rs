//! The phases of one session, and what each measures.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use serde_json::{Value, json};

use crate::Res;
use crate::args::{Args, Spec};
use crate::report::{Metrics, q, sort, us};
use crate::session::{Session, Watch, is_reply, now_ms};

pub(crate) fn tool_params(call: &(String, Value)) -> Value {
    json!({"name": call.0, "arguments": call.1})
}

pub(crate) fn drive(s: &mut Session, spec: &Spec, args: &Args, m: &mut Metrics) -> Res<()> {
    let mut scratch = Vec::with_capacity(1 << 16);
    m.insert("cold_ms".into(), us(s.cold(&mut scratch)?) / 1e3);
    m.insert("rss_start_mib".into(), s.status("VmHWM:") / 1024.0);
    let on = |p: &str| args.phases.split(',').any(|x| x == p);

    if let Some(call) = spec.call.as_ref().filter(|_| on("calls") || on("pipeline")) {
        let parts = s.request("tools/call", tool_params(call));
        s.call(&parts, &mut scratch, true)?;
        for _ in 0..args.warmup {
            s.call(&parts, &mut scratch, false)?;
        }
        if on("calls") {
            let (cpu0, tick0, sw0) = (s.cpu(), s.ticks(), s.switches());
            let wall = Instant::now();
            let mut t = Vec::with_capacity(args.calls);
            for _ in 0..args.calls {
                t.push(us(s.call(&parts, &mut scratch, false)?.0));
            }
            let wall = wall.elapsed().as_secs_f64();
            let (cpu1, tick1, sw1) = (s.cpu(), s.ticks(), s.switches());
            let n = args.calls as f64;
            let mean = t.iter().sum::<f64>() / n;
            let t = sort(t);
            m.insert("call_p50_us".into(), q(&t, 0.5));
            m.insert("call_p90_us".into(), q(&t, 0.9));
            m.insert("call_p99_us".into(), q(&t, 0.99));
            m.insert("call_min_us".into(), t[0]);
            m.insert("call_mean_us".into(), mean);
            m.insert("calls_per_s".into(), n / wall);
            m.insert("cpu_us_per_call".into(), (cpu1 - cpu0) * 1e6 / n);
            m.insert("cpu_user_us_per_call".into(), (tick1.0 - tick0.0) * 1e6 / n);
            m.insert("cpu_sys_us_per_call".into(), (tick1.1 - tick0.1) * 1e6 / n);
            m.insert("vol_switches_per_call".into(), (sw1.0 - sw0.0) / n);
        }
        if on("pipeline") && args.pipeline > 0 && s.proto != "raw" {
            let cpu0 = s.cpu();
            let wall = Instant::now();
            let mut done = 0;
            while done < args.calls {
                scratch.clear();
                for _ in 0..args.pipeline {
                    s.build(&parts, &mut scratch);
                }
                let block = std::mem::take(&mut scratch);
                s.write(&block)?;
                scratch = block;
                let mut left = args.pipeline;
                while left > 0 {
                    let line = s.read_line()?;
                    left -= usize::from(is_reply(&s.buf[line]));
                }
                s.watch.last.store(now_ms(), Ordering::Relaxed);
                done += args.pipeline;
            }
            m.insert("pipelined_per_s".into(), done as f64 / wall.elapsed().as_secs_f64());
            m.insert("pipelined_cpu_us".into(), (s.cpu() - cpu0) * 1e6 / done as f64);
        }
        m.insert("rss_calls_mib".into(), s.status("VmHWM:") / 1024.0);
    }
    if s.proto == "raw" {
        return Ok(());
    }
    for (phase, call, key) in [("big", &spec.big, "big"), ("large", &spec.large, "large_req")] {
        let Some(call) = call.as_ref().filter(|_| on(phase)) else { continue };
        let parts = s.request("tools/call", tool_params(call));
        s.call(&parts, &mut scratch, true)?;
        s.call(&parts, &mut scratch, false)?;
        let cpu0 = s.cpu();
        let mut t = Vec::new();
        let mut size = 0;
        for _ in 0..args.large_calls {
            let (d, n) = s.call(&parts, &mut scratch, false)?;
            t.push(us(d) / 1e3);
            size = n;
        }
        let cpu = (s.cpu() - cpu0) * 1e3 / args.large_calls as f64;
        let t = sort(t);
        m.insert(format!("{key}_p50_ms"), q(&t, 0.5));
        m.insert(format!("{key}_p99_ms"), q(&t, 0.99));
        m.insert(format!("{key}_cpu_ms"), cpu);
        m.insert(format!("{key}_wire_kib"), size as f64 / 1024.0);
    }
    if let Some(call) = spec.sleep.as_ref().filter(|_| on("sleep")) {
        let parts = s.request("tools/call", tool_params(call));
        let k = args.pipeline.max(1);
        scratch.clear();
        for _ in 0..k {
            s.build(&parts, &mut scratch);
        }
        let t0 = Instant::now();
        s.write(&scratch)?;
        let mut left = k;
        while left > 0 {
            let line = s.read_line()?;
            left -= usize::from(is_reply(&s.buf[line]));
        }
        m.insert("sleep_all_ms".into(), us(t0.elapsed()) / 1e3);
    }
    m.insert("rss_peak_mib".into(), s.status("VmHWM:") / 1024.0);
    m.insert("threads".into(), s.status("Threads:"));
    Ok(())
}

pub(crate) fn session(spec: &Spec, args: &Args, watch: &Arc<Watch>, colds: usize) -> Res<Metrics> {
    let mut m = Metrics::new();
    let mut cold = Vec::new();
    let mut shut = Vec::new();
    for _ in 0..colds {
        let mut s = Session::spawn(spec, args, watch)?;
        match s.cold(&mut Vec::new()) {
            Ok(d) => cold.push(us(d) / 1e3),
            Err(e) => {
                s.abort();
                return Err(e);
            }
        }
        shut.push(us(s.shutdown()?.0) / 1e3);
    }
    let mut s = Session::spawn(spec, args, watch)?;
    if let Err(e) = drive(&mut s, spec, args, &mut m) {
        s.abort();
        return Err(e);
    }
    let (took, code) = s.shutdown()?;
    cold.push(m["cold_ms"]);
    shut.push(us(took) / 1e3);
    m.insert("cold_ms".into(), q(&sort(cold), 0.5));
    m.insert("shutdown_ms".into(), q(&sort(shut), 0.5));
    m.insert("exit_code".into(), code as f64);
    Ok(m)
}
