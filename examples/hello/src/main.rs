//! The smallest native application: one operation that greets.

use std::process::ExitCode;

use opgate::{Application, Effect, Failure, Operation, Retry};
use schemars::JsonSchema;
use serde::Deserialize;

struct Hello;
struct Greetings;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Person {
    /// Whom to greet.
    #[schemars(length(min = 1, max = 100))]
    name: String,
}

impl Application for Hello {
    type Running = Greetings;
    type Context = ();

    fn operations(&self) -> Vec<Operation<Self>> {
        vec![
            Operation::new("hello", "greet", Greetings::greet)
                .describe("Greet a person by name.")
                .effect(Effect::Read)
                .retry(Retry::Safe)
                .output("The greeting, a text."),
        ]
    }

    async fn start(&self) -> Result<Greetings, Failure> {
        Ok(Greetings)
    }
}

impl Greetings {
    async fn greet(&self, person: Person) -> Result<String, Failure> {
        Ok(format!("Hello, {}!", person.name))
    }
}

fn main() -> ExitCode {
    opgate::run(|| Ok::<_, Failure>(Hello))
}
