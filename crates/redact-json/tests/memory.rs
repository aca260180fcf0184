//! Memory beside the text: small for sorted input, within the largest object for unsorted, bounded for any result.
//!
//! One test, as the allocator counts for the whole process.

use std::io::{self, Read};

use peak_alloc::PeakAlloc;
use redact_json::{Budget, Error, Rules, Sink};
use serde::Serialize;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// The most that `act` held beside what was there before.
fn peak<R>(act: impl FnOnce() -> R) -> (usize, R) {
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let done = act();
    (MEMORY.peak_usage() - before, done)
}

/// A gibibyte: an array of members, one long string, or one object, made as it is read.
struct Huge {
    left: usize,
    lead: &'static [u8],
    repeated: &'static [u8],
    at: usize,
}

impl Read for Huge {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let len = out.len().min(self.left);
        for byte in &mut out[..len] {
            *byte = match self.lead.get(self.at) {
                Some(byte) => *byte,
                None => self.repeated[(self.at - self.lead.len()) % self.repeated.len()],
            };
            self.at += 1;
        }
        self.left -= len;
        Ok(len)
    }
}

struct Items(u64);

impl Serialize for Items {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((0..self.0).map(|n| (n, "an item of a very long list")))
    }
}

#[test]
fn memory_is_bounded() {
    let rules = Rules::builder().secret("s", "correct horse".to_owned().into()).build().unwrap().0;
    let wide = Budget::bytes(64 << 20);

    let sorted: Vec<String> = (0..60_000).map(|n| format!("\"{n:06}\":{{\"a\":\"some text\",\"b\":[{n}]}}")).collect();
    let sorted = format!("{{{}}}", sorted.join(","));
    let mut sink = String::with_capacity(2 * sorted.len());
    let (bytes, done) = peak(|| redact_json::transcode_into(sorted.as_bytes(), &rules, wide, Sink::Plain(&mut sink)));
    assert!(done.is_ok() && sink == sorted);
    assert!(bytes < 64 << 10, "sorted: {bytes}");
    sink.clear();
    let (bytes, done) = peak(|| redact_json::transcode_into(sorted.as_bytes(), &rules, wide, Sink::Escaped(&mut sink)));
    assert!(done.is_ok() && bytes < 64 << 10, "sorted, escaped: {bytes}");

    for member in [|n: usize| format!("\"{:06}\":{n}", n * 7919 % 60_000), |n| format!("\"{n:05}\":0")] {
        let unsorted: Vec<String> = (0..60_000).rev().map(member).collect();
        let unsorted = format!("{{{}}}", unsorted.join(","));
        sink.clear();
        let (bytes, done) =
            peak(|| redact_json::transcode_into(unsorted.as_bytes(), &rules, wide, Sink::Plain(&mut sink)));
        assert!(done.is_ok() && sink.len() == unsorted.len());
        assert!(bytes < 2 * unsorted.len(), "unsorted: {bytes} for {}", unsorted.len());
    }

    let small = Budget::bytes(1 << 20);
    for (lead, repeated) in [
        (&b"["[..], &b"{\"b\":[1,2],\"a\":\"x\"},"[..]),
        (b"[\"", b"a very long string "),
        (b"[\"", b"\\u0001"),
        (b"[\"", b"correct hors"),
        (b"{\"", b"a very long key "),
        (b"[1", b"0"),
    ] {
        let huge = Huge { left: 1 << 30, lead, repeated, at: 0 };
        let (bytes, done) = peak(|| redact_json::transcode(huge, &rules, small));
        assert!(matches!(done, Err(Error::TooLarge { .. } | Error::InvalidText { .. })), "{done:?}");
        assert!(bytes < 8 << 20, "{}: {bytes}", String::from_utf8_lossy(repeated));
    }
    let (bytes, done) = peak(|| redact_json::to_string(&Items(u64::MAX), &rules, small));
    assert!(matches!(done, Err(Error::TooLarge { .. })) && bytes < 8 << 20, "{bytes}");
    let long = "correct horse and ".repeat(10 << 20 >> 4);
    let (bytes, done) = peak(|| redact_json::to_string(&long, &rules, small));
    assert!(matches!(done, Err(Error::TooLarge { .. })) && bytes < 8 << 20, "{bytes}");
}
