//! The application around the second Rust example of README.md, so that it is compiled. The example is the end of this
//! file, word for word.
#![allow(dead_code, reason = "it is only compiled")]

use std::process::ExitCode;

use opgate::{Answer, Application, Binding, Call, Failure, Operation, Part};

struct Stock;
struct Shelves;

#[derive(serde::Deserialize)]
struct Tenant(String);

impl Stock {
    #[expect(clippy::unnecessary_wraps, reason = "a real one may fail")]
    fn from_environment() -> Result<Self, Failure> {
        Ok(Self)
    }
}

impl Application for Stock {
    type Running = Shelves;
    type Context = Tenant;

    fn operations(&self) -> Vec<Operation<Self>> {
        Vec::new()
    }

    async fn start(&self) -> Result<Shelves, Failure> {
        Ok(Shelves)
    }
}

struct Desk {
    tenant: String,
}

impl Binding<Stock> for Desk {
    const BINDS: &'static [Part] = &[Part::Context, Part::Confirm];

    async fn context(&self, _: &Call, _: &Shelves) -> Result<Option<Tenant>, Failure> {
        Ok(Some(Tenant(self.tenant.clone())))
    }

    async fn confirm(&self, call: &Call, _: &Shelves) -> Result<Answer, Failure> {
        Ok(if call.input()["count"].as_u64() < Some(10) { Answer::Yes } else { Answer::No })
    }
}

fn main() -> ExitCode {
    opgate::Entry::new(Stock::from_environment)
        .variable("STOCK_FILE") // shown by `check`
        .secret_variable("STOCK_SESSION") // masked wherever it would leave the process
        .mcp(Desk { tenant: "acme".into() }) // for `serve` and `try`, and for those alone
        .cli(Desk { tenant: "acme".into() }) // for `call`
        .run()
}
