//! The operations that MCP's conformance suite calls, as far as a server that has tools and asks for a yes can offer them.
//! Never part of what is shipped.
//!
//! With canonical names an operation's tool is called `plugin_method`, so `test.simple_text` is the suite's
//! `test_simple_text`.
#![allow(clippy::unused_async, reason = "handlers are async, whatever they do")]

use std::borrow::Cow;
use std::process::ExitCode;
use std::time::Duration;

use opgate::{Application, Effect, Failure, NoInput, Operation};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde_json::Value;

/// Longer than three heartbeats.
const LONG: Duration = Duration::from_millis(3300);

struct Suite;

struct Running;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Message {
    /// The message to show the user.
    message: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Computation {
    #[expect(dead_code, reason = "nothing here takes the time that a task would")]
    seconds: u64,
    label: String,
}

/// The suite's schema, without the anchor, which opgate refuses as it does whatever it would have to pass over.
#[derive(Deserialize)]
#[serde(transparent)]
struct Contact(Value);

impl JsonSchema for Contact {
    fn schema_name() -> Cow<'static, str> {
        "Contact".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "$defs": {
                "address": {
                    "type": "object",
                    "properties": { "street": { "type": "string" }, "city": { "type": "string" } }
                }
            },
            "properties": {
                "name": { "type": "string" },
                "address": { "$ref": "#/$defs/address" },
                "contactMethod": { "type": "string", "enum": ["phone", "email"] },
                "phone": { "type": "string" },
                "email": { "type": "string" }
            },
            "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
            "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
            "then": { "required": ["phone"] },
            "else": { "required": ["email"] },
            "additionalProperties": false
        })
    }
}

impl Application for Suite {
    type Running = Running;
    type Context = ();

    fn operations(&self) -> Vec<Operation<Self>> {
        let confirmed = [
            "missing_capability",
            "streaming_elicitation",
            "input_required_result_elicitation",
            "input_required_result_request_state",
            "input_required_result_tampered_state",
            "input_required_result_multi_round",
        ];
        let mut all = vec![
            Operation::new("test", "simple_text", simple_text).describe("Return a text.").effect(Effect::Read),
            Operation::new("test", "error_handling", error_handling).describe("Fail.").effect(Effect::Read),
            Operation::new("test", "tool_with_progress", tool_with_progress)
                .describe("Take a few seconds.")
                .effect(Effect::Read),
            Operation::new("test", "logging_tool", simple_text).describe("Log nothing.").effect(Effect::Read),
            Operation::new("test", "elicitation", message).describe("Return a message.").requires_confirmation(),
            Operation::new("slow", "compute", compute).describe("Compute, at once.").effect(Effect::Read),
            Operation::new("failing", "job", error_handling).describe("Fail.").effect(Effect::Read),
            Operation::new("json", "schema_2020_12_tool", contact).describe("Take what 2020-12 can say."),
        ];
        all.extend(confirmed.map(|method| {
            Operation::new("test", method, simple_text)
                .describe("Return a text, if the user says yes.")
                .requires_confirmation()
        }));
        all
    }

    async fn start(&self) -> Result<Running, Failure> {
        Ok(Running)
    }

    async fn stop(_: Running) -> Result<(), Failure> {
        Ok(())
    }
}

async fn simple_text(_: &Running, _: NoInput) -> Result<&'static str, Failure> {
    Ok("This is a simple text response for testing.")
}

async fn error_handling(_: &Running, _: NoInput) -> Result<(), Failure> {
    Err(Failure::safe("intended", "This tool intentionally returns an error for testing"))
}

async fn tool_with_progress(_: &Running, _: NoInput) -> Result<&'static str, Failure> {
    tokio::time::sleep(LONG).await;
    Ok("done")
}

async fn message(_: &Running, input: Message) -> Result<String, Failure> {
    Ok(input.message)
}

async fn compute(_: &Running, computation: Computation) -> Result<String, Failure> {
    Ok(computation.label)
}

async fn contact(_: &Running, contact: Contact) -> Result<Value, Failure> {
    Ok(contact.0)
}

fn main() -> ExitCode {
    opgate::run(|| Ok::<_, Failure>(Suite))
}
