//! The three operations of the other peers, as a native application: everything opgate does is on.

use std::process::ExitCode;
use std::time::Duration;

use opgate::{Application, Effect, Failure, Operation};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

struct Peer;
struct Running;

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Echo {
    text: String,
    n: i64,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Big {
    #[schemars(range(max = 16_777_216))]
    bytes: u32,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Sleep {
    #[schemars(range(max = 60_000))]
    ms: u32,
}

/// The members in the order in which the other peers write them down; the answer has them sorted.
#[derive(Serialize)]
struct Record {
    name: String,
    id: u32,
    password: String,
    email: String,
    active: bool,
    nested: Nested,
    description: &'static str,
    amount: u32,
}

#[derive(Serialize)]
struct Nested {
    token: String,
    zeta: u32,
    alpha: [u32; 3],
    kind: &'static str,
}

#[derive(Serialize)]
struct Records {
    records: Vec<Record>,
    count: u32,
}

#[derive(Serialize)]
struct Slept {
    slept: u32,
}

/// Bytes of JSON text that one record takes, about.
const RECORD: u32 = 256;

impl Application for Peer {
    type Running = Running;
    type Context = ();

    fn operations(&self) -> Vec<Operation<Self>> {
        vec![
            Operation::new("peer", "echo", Running::echo).describe("Return the arguments.").effect(Effect::Read),
            Operation::new("peer", "big", Running::big)
                .describe("Return about that many bytes of records.")
                .effect(Effect::Read),
            Operation::new("peer", "sleep", Running::sleep)
                .describe("Wait that many milliseconds.")
                .effect(Effect::Read),
        ]
    }

    async fn start(&self) -> Result<Running, Failure> {
        Ok(Running)
    }
}

impl Running {
    async fn echo(&self, echo: Echo) -> Result<Echo, Failure> {
        Ok(echo)
    }

    async fn big(&self, big: Big) -> Result<Records, Failure> {
        let count = big.bytes / RECORD;
        let records = (0..count).map(|id| Record {
            name: format!("record-{id:08}"),
            id,
            password: format!("p-{id:08}"),
            email: format!("user{id:08}@example.test"),
            active: id % 2 == 0,
            nested: Nested { token: format!("t-{id:08}"), zeta: id * 7, alpha: [1, 2, 3], kind: "business" },
            description: "abcdefghijklmnopqrstuvwxyz0123456789",
            amount: id * 13,
        });
        Ok(Records { records: records.collect(), count })
    }

    async fn sleep(&self, sleep: Sleep) -> Result<Slept, Failure> {
        tokio::time::sleep(Duration::from_millis(sleep.ms.into())).await;
        Ok(Slept { slept: sleep.ms })
    }
}

fn main() -> ExitCode {
    opgate::run(|| Ok::<_, Failure>(Peer))
}
