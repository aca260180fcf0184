//! The parts of one call without a process around them: `RUSTFLAGS="--cfg benching" cargo bench --bench parts`. They are
//! private, and that flag alone opens them.

#[cfg(benching)]
mod parts {
    #![expect(clippy::expect_used, reason = "a bench that cannot go on has failed")]

    use std::hint::black_box;

    use criterion::{BatchSize, Criterion, Throughput, criterion_group};
    use opgate::measured::{Opened, is_accepted, read_lines};
    use opgate::{Application, Effect, Failure, Operation};
    use schemars::JsonSchema;
    use serde::{Deserialize, Serialize};

    /// Read at once.
    const CHUNK: usize = 1 << 16;

    /// An application with so many operations.
    struct Echoes(usize);

    #[derive(Serialize, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    struct Echo {
        /// What comes back.
        text: String,
        /// So often.
        #[schemars(range(min = 1, max = 100))]
        n: u32,
        kind: Option<Kind>,
    }

    #[derive(Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "kebab-case")]
    enum Kind {
        Loud,
        Quiet,
    }

    impl Application for Echoes {
        type Running = ();
        type Context = ();

        fn operations(&self) -> Vec<Operation<Self>> {
            let echo = |n| {
                Operation::new("echoes", &format!("echo{n}"), async |(): &(), echo: Echo| Ok::<_, Failure>(echo))
                    .describe("Return the arguments.")
                    .effect(Effect::Read)
            };
            (0..self.0).map(echo).collect()
        }

        async fn start(&self) -> Result<(), Failure> {
            Ok(())
        }
    }

    fn gate(c: &mut Criterion) {
        let opened = Opened::new(Echoes(4)).expect("launched");
        let (small, wrong) = (r#"{"text":"hello, world","n":42}"#, r#"{"text":"hello, world","n":420}"#);
        assert!(opened.call(3, small).is_ok() && opened.call(3, wrong).is_err());
        let mut group = c.benchmark_group("gate");
        group.bench_function("a small call", |b| b.iter(|| opened.call(3, black_box(small))));
        group.bench_function("a refused call", |b| b.iter(|| opened.call(3, black_box(wrong))));
        group.finish();
    }

    /// A call as a line of so many bytes, its line end not counted.
    fn line(bytes: usize) -> String {
        let (head, tail) = (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"operation_0","arguments":{"text":""#,
            r#""}}}"#,
        );
        format!("{head}{}{tail}\n", "x".repeat(bytes - head.len() - tail.len()))
    }

    fn lines(c: &mut Criterion) {
        let inputs = [
            ("a line of 120 bytes", line(120), 1),
            ("a line of 200 KiB", line(200 << 10), 1),
            ("1000 lines of 120 bytes", line(120), 1000),
        ];
        let mut group = c.benchmark_group("lines");
        for (name, line, count) in inputs {
            let input = line.repeat(count).into_bytes();
            assert_eq!(read_lines(input.chunks(CHUNK)), input.len() - count);
            group.throughput(Throughput::Bytes(input.len() as u64));
            group.bench_function(format!("{name}, read"), |b| b.iter(|| read_lines(black_box(&input).chunks(CHUNK))));
            let accepted = |input: &[u8]| input.split(|byte| *byte == b'\n').filter(|line| is_accepted(line)).count();
            assert_eq!(accepted(&input), count);
            group.bench_function(format!("{name}, scanned"), |b| b.iter(|| accepted(black_box(&input))));
        }
        group.finish();
    }

    fn list(c: &mut Criterion) {
        let mut group = c.benchmark_group("list");
        for operations in [4, 200] {
            // A launch: schemas are compiled into what is served and what validates, then the list is written.
            group.bench_function(format!("{operations} operations, made"), |b| {
                let made = |application| Opened::new(application).expect("launched").list();
                b.iter_batched(|| Echoes(operations), made, BatchSize::SmallInput);
            });
            let opened = Opened::new(Echoes(operations)).expect("launched");
            assert_eq!(opened.list().windows(13).filter(|text| text == b"\"inputSchema\"").count(), operations);
            group.bench_function(format!("{operations} operations, served"), |b| b.iter(|| opened.list()));
        }
        group.finish();
    }

    criterion_group!(benches, gate, lines, list);
}

#[cfg(benching)]
criterion::criterion_main!(parts::benches);

#[cfg(not(benching))]
fn main() -> Result<(), &'static str> {
    Err("nothing was measured without RUSTFLAGS=\"--cfg benching\"")
}
