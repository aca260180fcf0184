//! The ratios that the README states, in one run: `cargo bench -p redact-json`.
//!
//! Each group is about 1 MiB of typical records; times are per whole text.

#![expect(clippy::unwrap_used, reason = "a bench that cannot go on has failed")]

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use redact_json::{Budget, Rules, Sink};
use secrecy::SecretString;
use serde::Serialize;
use serde_json::{Value, value::RawValue};

const WIDE: Budget = Budget::bytes(64 << 20);

/// What an application returns: eight fields, in the order in which people write them.
#[derive(Serialize, Clone)]
struct Order {
    id: u64,
    customer: Customer,
    status: &'static str,
    created_at: String,
    items: Vec<Item>,
    total: f64,
    note: Option<String>,
    access_token: String,
}

#[derive(Serialize, Clone)]
struct Customer {
    name: String,
    email: String,
    password: String,
    vip: bool,
}

#[derive(Serialize, Clone)]
struct Item {
    sku: String,
    title: String,
    quantity: u32,
    price: f64,
}

fn orders() -> Vec<Order> {
    let order = |n: u64| Order {
        id: 1_000_000 + n,
        customer: Customer {
            name: format!("Ada Lovelace {n}"),
            email: format!("ada.{n}@example.com"),
            password: format!("hunter{n}"),
            vip: n.is_multiple_of(3),
        },
        status: ["open", "paid", "shipped"][(n % 3) as usize],
        created_at: format!("2026-11-{:02}T08:{:02}:00Z", n % 28 + 1, n % 60),
        items: (0..2)
            .map(|i| Item {
                sku: format!("SKU-{:05}-{i}", n % 10_000),
                title: "A rather ordinary thing, blue, with a handle".to_owned(),
                quantity: i + 1,
                price: 19.99 + f64::from(i),
            })
            .collect(),
        total: 59.97,
        note: n
            .is_multiple_of(4)
            .then(|| "Please leave it with the neighbour on the second floor.\nThank you!".to_owned()),
        access_token: format!("{n:032x}"),
    };
    (0..2200).map(order).collect()
}

fn rules(secrets: usize) -> Rules {
    let mut builder = Rules::builder();
    for n in 0..secrets as u64 {
        let value = (0..4).fold(String::new(), |text, part| {
            let mixed = (n * 4 + part + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            format!("{text}{:07x}", mixed >> 36)
        });
        builder = builder.secret(format!("secret {n}"), SecretString::from(value));
    }
    builder.build().unwrap().0
}

/// What one writes without this crate, at its simplest.
fn redact_tree(value: &mut Value) {
    const KEYS: [&str; 4] = ["password", "token", "secret", "authorization"];
    match value {
        Value::Array(items) => items.iter_mut().for_each(redact_tree),
        Value::Object(members) => {
            for (key, value) in members {
                let lower = key.to_lowercase();
                if lower.split(['_', '-']).any(|word| KEYS.contains(&word)) {
                    *value = Value::String("[REDACTED]".into());
                } else {
                    redact_tree(value);
                }
            }
        }
        _ => {}
    }
}

fn typed(c: &mut Criterion) {
    let orders = orders();
    let bytes = serde_json::to_string(&orders).unwrap().len();
    let mut group = c.benchmark_group("typed");
    group.throughput(Throughput::Bytes(bytes as u64));
    let (few, many) = (rules(5), rules(200));
    group.bench_function("redact_json, 5 secrets", |b| {
        b.iter(|| redact_json::to_string(black_box(&orders), &few, WIDE));
    });
    group.bench_function("redact_json, 200 secrets", |b| {
        b.iter(|| redact_json::to_string(black_box(&orders), &many, WIDE));
    });
    group.bench_function("serde_json::to_string", |b| b.iter(|| serde_json::to_string(black_box(&orders))));
    group.bench_function("Value, recursion, to_string", |b| {
        b.iter(|| {
            let mut value = serde_json::to_value(black_box(&orders)).unwrap();
            redact_tree(&mut value);
            serde_json::to_string(&value)
        });
    });
    group.bench_function("redact_json, framed", |b| {
        b.iter(|| {
            let mut text = String::new();
            redact_json::write(black_box(&orders), &few, WIDE, Sink::Escaped(&mut text)).map(|()| text)
        });
    });
    group.bench_function("serde_json::to_string twice", |b| {
        b.iter(|| serde_json::to_string(&serde_json::to_string(black_box(&orders)).unwrap()));
    });
    group.finish();
}

fn text(c: &mut Criterion) {
    let text = serde_json::to_string(&orders()).unwrap();
    let mut group = c.benchmark_group("text");
    group.throughput(Throughput::Bytes(text.len() as u64));
    let (few, many) = (rules(5), rules(200));
    group.bench_function("transcode, 5 secrets", |b| {
        b.iter(|| redact_json::transcode(black_box(text.as_bytes()), &few, WIDE));
    });
    group.bench_function("transcode, 200 secrets", |b| {
        b.iter(|| redact_json::transcode(black_box(text.as_bytes()), &many, WIDE));
    });
    group.bench_function("RawValue, to_string", |b| {
        b.iter(|| {
            let raw: &RawValue = serde_json::from_slice(black_box(text.as_bytes())).unwrap();
            serde_json::to_string(raw)
        });
    });
    group.bench_function("Value, recursion, to_string", |b| {
        b.iter(|| {
            let mut value = serde_json::from_slice(black_box(text.as_bytes())).unwrap();
            redact_tree(&mut value);
            serde_json::to_string(&value)
        });
    });
    group.finish();
}

fn logs(c: &mut Criterion) {
    let line = "2026-11-29T08:15:00Z INFO orders: refunded order 1000042 for ada@example.com, see https://example.com/o/1000042\n";
    let log = line.repeat(1 << 13);
    let mut group = c.benchmark_group("logs");
    group.throughput(Throughput::Bytes(log.len() as u64));
    let (few, many) = (rules(5), rules(200));
    group
        .bench_function("redact_text, 5 secrets", |b| b.iter(|| redact_json::redact_text(black_box(&log), &few).len()));
    group.bench_function("redact_text, 200 secrets", |b| {
        b.iter(|| redact_json::redact_text(black_box(&log), &many).len());
    });
    group.finish();
}

criterion_group!(benches, typed, text, logs);
criterion_main!(benches);
