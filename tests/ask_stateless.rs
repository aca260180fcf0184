//! A client of a stateless revision is asked between its call and the repetition of it, before anything is started. What
//! it brings back is worth something once, for exactly this call, in this process, for a while.
//!
//! Source: specification 2026-07-28, pages `basic/patterns/mrtr` and `client/elicitation`.
#![expect(clippy::expect_used, reason = "helpers outside test functions")]

use std::time::Duration;

use serde_json::{Value, json};
use test_host::{Fixture, Frame, Session, message};

fn fixture(operations: &[&str], timeout: u32) -> Fixture {
    Fixture::beside(env!("CARGO_BIN_EXE_opgate"), operations).line(&format!(
        "[binding.context]\ntenant = \"acme\"\n[binding.confirm]\nask = \"client\"\ntimeout_seconds = {timeout}\n\
         [binding.approve]\nask = \"client\"\ntrust_host = true"
    ))
}

fn yes() -> Value {
    json!({"action": "accept", "content": {"approved": true}})
}

/// A call with what a repetition brings.
fn request(id: u32, tool: &str, arguments: &Value, more: &Value) -> Value {
    let mut params = json!({"name": tool, "arguments": arguments});
    for (name, value) in more.as_object().expect("members") {
        params[name] = value.clone();
    }
    let mut request = message::stateless(id, "tools/call", params);
    request["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({"elicitation": {}});
    request
}

fn call(session: &mut Session, tool: &str, arguments: &Value, more: &Value) -> Frame {
    session.send(&request(7, tool, arguments, more));
    session.answer_to(7)
}

/// The state of a call that was answered with questions.
fn state(answer: &Frame) -> String {
    assert_eq!(answer["result"]["resultType"], "input_required", "{answer}");
    answer["result"]["requestState"].as_str().expect("a state").to_owned()
}

fn answered(state: &str, result: &Value) -> Value {
    json!({"requestState": state, "inputResponses": {"confirm": result}})
}

fn ran(fixture: &Fixture) -> usize {
    fixture.effects().iter().filter(|effect| effect.starts_with("remove")).count()
}

#[test]
fn a_call_is_answered_with_the_question_and_its_repetition_runs_once() {
    let fixture = fixture(&["remove", "echo"], 50);
    let mut session = fixture.host().spawn();
    let tool = fixture.tool("remove");
    let first = call(&mut session, &tool, &json!({"id": "a"}), &json!({}));
    let request = &first["result"]["inputRequests"]["confirm"];
    assert_eq!(request["method"], "elicitation/create");
    assert_eq!(request["params"]["mode"], "form");
    let text = request["params"]["message"].as_str().expect("a message");
    assert!(text.contains("fixture.remove") && text.contains("\"a\""), "{text}");
    assert!(first["result"]["_meta"]["io.modelcontextprotocol/serverInfo"].is_object());
    assert_eq!(fixture.effects(), ["constructor"], "nothing is started before the answer");
    let state = state(&first);
    // The place is free meanwhile.
    assert_eq!(call(&mut session, &fixture.tool("echo"), &json!({"text": "x"}), &json!({})).output(), json!("x"));
    assert_eq!(call(&mut session, &tool, &json!({"id": "a"}), &answered(&state, &yes())).output(), json!("a"));
    assert_eq!(ran(&fixture), 1);
    // A second time it is worth nothing.
    call(&mut session, &tool, &json!({"id": "a"}), &answered(&state, &yes())).assert_failure(
        "confirmation-required",
        "ask",
        "not-started",
    );
    assert_eq!(ran(&fixture), 1);
}

#[test]
fn a_state_of_another_call_process_or_time_is_worth_nothing() {
    let fixture = fixture(&["remove", "confirmed"], 1);
    let mut session = fixture.host().spawn();
    let tool = fixture.tool("remove");
    let good = |session: &mut Session| state(&call(session, &tool, &json!({"id": "a"}), &json!({})));
    let refused = |session: &mut Session, arguments: Value, more: Value| {
        call(session, &tool, &arguments, &more).assert_failure("confirmation-required", "ask", "not-started");
    };
    let one = good(&mut session);
    refused(&mut session, json!({"id": "b"}), answered(&one, &yes()));
    let of_other_operation = state(&call(&mut session, &fixture.tool("confirmed"), &json!({}), &json!({})));
    refused(&mut session, json!({"id": "a"}), answered(&of_other_operation, &yes()));
    // basic/patterns/mrtr: state that fails verification is rejected.
    let mut other = fixture.host().spawn();
    let elsewhere = good(&mut other);
    let longer = format!("{one}-TAMPERED");
    let cut = one.replace('.', "");
    for forged in [
        &elsewhere,
        "",
        "x",
        "...",
        "a.b.c.d",
        &longer,
        &cut,
        &one.to_uppercase(),
        &changed(&one, 1),
        &changed(&one, 2),
    ] {
        let answer = call(&mut session, &tool, &json!({"id": "a"}), &answered(forged, &yes()));
        answer.assert_error(-32602);
    }
    let late = good(&mut session);
    std::thread::sleep(Duration::from_millis(1100));
    refused(&mut session, json!({"id": "a"}), answered(&late, &yes()));
    assert_eq!(ran(&fixture), 0);
}

/// The state with another end (1), or for other prompts (2).
fn changed(state: &str, place: usize) -> String {
    let mut fields: Vec<String> = state.split('.').map(str::to_owned).collect();
    fields[place].insert(0, '9');
    fields.join(".")
}

#[test]
fn a_no_spends_the_state_too() {
    let fixture = fixture(&["remove"], 50);
    let mut session = fixture.host().spawn();
    let tool = fixture.tool("remove");
    for result in [
        json!({"action": "decline"}),
        json!({"action": "cancel"}),
        json!({"action": "accept", "content": {"approved": 1}}),
        json!({"action": "accept", "content": {}}),
    ] {
        let state = state(&call(&mut session, &tool, &json!({"id": "a"}), &json!({})));
        for result in [&result, &yes()] {
            call(&mut session, &tool, &json!({"id": "a"}), &answered(&state, result)).assert_failure(
                "confirmation-required",
                "ask",
                "not-started",
            );
        }
    }
    assert_eq!(ran(&fixture), 0);
}

#[test]
fn answers_without_a_state_or_a_state_without_answers_are_asked_again() {
    let fixture = fixture(&["remove"], 50);
    let mut session = fixture.host().spawn();
    let tool = fixture.tool("remove");
    let first = state(&call(&mut session, &tool, &json!({"id": "a"}), &json!({"inputResponses": {"confirm": yes()}})));
    let again = state(&call(&mut session, &tool, &json!({"id": "a"}), &json!({"requestState": first})));
    assert_ne!(first, again);
    let other_key = json!({"requestState": again, "inputResponses": {"x": yes()}});
    state(&call(&mut session, &tool, &json!({"id": "a"}), &other_key));
    assert_eq!(ran(&fixture), 0);
}

#[test]
fn malformed_repetitions_are_invalid_params() {
    let fixture = fixture(&["remove"], 50);
    let mut session = fixture.host().spawn();
    let tool = fixture.tool("remove");
    let state = state(&call(&mut session, &tool, &json!({"id": "a"}), &json!({})));
    for more in [
        json!({"requestState": 5}),
        json!({"requestState": null}),
        json!({"requestState": state, "inputResponses": null}),
        json!({"requestState": state, "inputResponses": []}),
        json!({"requestState": state, "inputResponses": {"confirm": true}}),
        json!({"requestState": state, "inputResponses": {"confirm": {"action": "perhaps"}}}),
    ] {
        call(&mut session, &tool, &json!({"id": "a"}), &more).assert_error(-32602);
    }
    // None of them spent it.
    assert_eq!(call(&mut session, &tool, &json!({"id": "a"}), &answered(&state, &yes())).output(), json!("a"));
    assert_eq!(ran(&fixture), 1);
}

#[test]
fn without_the_capability_on_this_very_request_nothing_is_asked() {
    let fixture = fixture(&["remove"], 50);
    let mut session = fixture.host().spawn();
    let tool = fixture.tool("remove");
    // Neither the handshake nor an earlier request lends it.
    let mut hello = message::initialize("initialize", "2025-11-25");
    hello["params"]["capabilities"] = json!({"elicitation": {}});
    session.send(&hello);
    assert!(session.answer_to("initialize")["result"].is_object());
    let state = state(&call(&mut session, &tool, &json!({"id": "a"}), &json!({})));
    let mut params = answered(&state, &yes());
    params["name"] = json!(tool);
    params["arguments"] = json!({"id": "a"});
    session.send(&message::stateless(8, "tools/call", params));
    let error = session.answer_to(8);
    error.assert_error(-32021);
    assert!(error["error"]["data"]["requiredCapabilities"]["elicitation"].is_object(), "{error}");
    assert_eq!(ran(&fixture), 0);
}

#[test]
fn both_questions_go_out_together() {
    let fixture = fixture(&["guarded"], 50);
    let mut session = fixture.host().spawn();
    let tool = fixture.tool("guarded");
    let ask = |session: &mut Session| {
        let first = call(session, &tool, &json!({}), &json!({}));
        let requests = first["result"]["inputRequests"].as_object().expect("requests").clone();
        assert_eq!(requests.keys().collect::<Vec<_>>(), ["approve", "confirm"]);
        state(&first)
    };
    let state = ask(&mut session);
    let both = json!({"requestState": state, "inputResponses": {"confirm": yes(), "approve": yes()}});
    assert_eq!(call(&mut session, &tool, &json!({}), &both).output(), json!("acme"));
    let state = ask(&mut session);
    let one = json!({"requestState": state, "inputResponses": {"confirm": yes(), "approve": {"action": "decline"}}});
    call(&mut session, &tool, &json!({}), &one).assert_failure("approval-required", "ask", "not-started");
}

#[test]
fn invalid_arguments_spend_nothing_and_ask_nothing() {
    let fixture = fixture(&["remove"], 50);
    let mut session = fixture.host().spawn();
    let tool = fixture.tool("remove");
    let state = state(&call(&mut session, &tool, &json!({"id": "a"}), &json!({})));
    call(&mut session, &tool, &json!({"id": 5}), &answered(&state, &yes())).assert_failure(
        "invalid-input",
        "input",
        "not-started",
    );
    assert_eq!(call(&mut session, &tool, &json!({"id": "a"}), &answered(&state, &yes())).output(), json!("a"));
    assert_eq!(ran(&fixture), 1);
}
