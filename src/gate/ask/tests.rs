//! The seam to a client that can be asked, from the gate's side.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use redact_json::Rules;
use serde_json::{Value, json};

use super::*;
use crate::application::Application;
use crate::ask::{Between, Held};
use crate::binding::{Supplied, Unbound};
use crate::failure::Failure;
use crate::gate::{Admission, Answered, Arguments, Calls, Request, Validator};
use crate::key::Key;
use crate::launch::Limits;
use crate::operation::{BoxFuture, Operation};
use crate::redaction::Form;

/// Counts starts and invocations.
#[derive(Clone, Default)]
struct Counting(Arc<(AtomicUsize, AtomicUsize)>);

impl Application for Counting {
    type Running = Self;
    type Context = ();

    fn operations(&self) -> Vec<Operation<Self>> {
        let remove = |running: &Self, _: Value| {
            running.0.1.fetch_add(1, Ordering::SeqCst);
            async { Ok::<_, Failure>(()) }
        };
        vec![Operation::new("notes", "remove", remove).requires_confirmation().requires_approval()]
    }

    async fn start(&self) -> Result<Self, Failure> {
        self.0.0.fetch_add(1, Ordering::SeqCst);
        Ok(self.clone())
    }
}

/// A gate whose confirmation and approval are the client's.
struct Desk {
    counting: Counting,
    gate: Arc<Gate<Counting>>,
}

impl Desk {
    fn new(timeout: Duration) -> Self {
        let counting = Counting::default();
        let asker = || Some(Asker { ready: Ready::Client, timeout, allow_partial: false });
        let (declaration, _, decode) = counting.operations().remove(0).into_parts();
        let exposed = Exposed {
            declaration: Arc::new(declaration),
            validator: Validator::new(json!({"type": "object"})),
            rules: Rules::default(),
            reconcile: None,
            decode,
        };
        let gate = Gate {
            application: counting.clone(),
            operations: vec![exposed],
            binding: Supplied { code: Arc::new(Unbound), context: None, confirm: asker(), approve: asker() },
            rules: Rules::default(),
            asked: Rules::default().declared_only(),
            limits: Limits::default(),
            identity: Some("alice".into()),
            key: Key::fixed(),
            audit: None,
        };
        Self { counting, gate: Arc::new(gate) }
    }

    async fn call(&self, arguments: &Value, client: Client, stop: &Stop) -> Answered {
        let permit = Arc::new(Admission::default()).admit(Instant::now()).unwrap_or_else(|_| panic!("free"));
        let arguments = Arguments { text: Some(arguments.to_string().into()), unholdable: false };
        let request = Request {
            permit,
            operation: 0,
            arguments,
            stop: stop.clone(),
            form: Form::Plain,
            structured: false,
            client,
        };
        Calls::call(Arc::clone(&self.gate), request).await.answer
    }

    fn started_and_invoked(&self) -> (usize, usize) {
        (self.counting.0.0.load(Ordering::SeqCst), self.counting.0.1.load(Ordering::SeqCst))
    }
}

/// Answers a held call.
struct Host(fn(Part) -> Told);

impl Held for Host {
    fn ask<'a>(&'a self, prompt: &'a Prompt, _: Instant) -> BoxFuture<'a, Told> {
        Box::pin(async move { (self.0)(prompt.part) })
    }
}

struct NeverAnswers;

impl Held for NeverAnswers {
    fn ask<'a>(&'a self, _: &'a Prompt, _: Instant) -> BoxFuture<'a, Told> {
        Box::pin(std::future::pending())
    }
}

/// Has answers for the digests it once asked about, each for one look.
#[derive(Default)]
struct Stateless(Mutex<Option<Brought>>);

type Brought = Vec<([u8; 32], Told)>;

impl Between for Stateless {
    fn look(&self, prompts: &[Prompt]) -> Looked {
        let Some(brought) = self.0.lock().expect("a lock").take() else { return Looked::Nothing };
        let answer = |(index, prompt): (usize, &Prompt)| match brought.get(index) {
            Some((digest, told)) if *digest == prompt.digest => *told,
            _ => Told::No,
        };
        Looked::Answers(prompts.iter().enumerate().map(answer).collect())
    }
}

fn failure(answered: &Answered) -> (&str, Phase) {
    answered.failed.as_ref().map_or(("", Phase::Output), |failed| (&failed.code, failed.phase))
}

#[tokio::test]
async fn a_client_that_cannot_be_asked_gets_a_refusal() {
    let desk = Desk::new(Duration::from_secs(5));
    let answered = desk.call(&json!({}), Client::Unable, &Stop::default()).await;
    assert_eq!(failure(&answered), ("confirmation-required", Phase::Confirm));
    assert!(answered.text.contains("offers no way to ask"), "{}", answered.text);
    assert_eq!(desk.started_and_invoked(), (1, 0));
}

#[tokio::test]
async fn a_held_call_is_invoked_after_both_said_yes() {
    let desk = Desk::new(Duration::from_secs(5));
    let answered = desk.call(&json!({}), Client::Held(Arc::new(Host(|_| Told::Yes))), &Stop::default()).await;
    assert!(answered.failed.is_none() && answered.asks.is_empty());
    assert_eq!(desk.started_and_invoked(), (1, 1));
    for (host, expected) in [
        (Host(|_| Told::No), ("confirmation-required", Phase::Confirm)),
        (
            Host(|part| if part == Part::Confirm { Told::Yes } else { Told::Failed("an odd answer") }),
            ("approval-required", Phase::Approve),
        ),
    ] {
        let answered = desk.call(&json!({}), Client::Held(Arc::new(host)), &Stop::default()).await;
        assert_eq!(failure(&answered), expected);
    }
    assert_eq!(desk.started_and_invoked(), (3, 1));
}

#[tokio::test]
async fn a_held_client_that_does_not_answer_says_no() {
    let desk = Desk::new(Duration::from_millis(30));
    let answered = desk.call(&json!({}), Client::Held(Arc::new(NeverAnswers)), &Stop::default()).await;
    assert!(answered.text.contains("nobody answered in time"), "{}", answered.text);
    let desk = Desk::new(Duration::from_mins(1));
    for (end, code) in
        [(Stop::cancel as fn(&Stop), "request-cancelled"), (Stop::no_more_questions, "confirmation-required")]
    {
        let stop = Stop::default();
        let arguments = json!({});
        let call = desk.call(&arguments, Client::Held(Arc::new(NeverAnswers)), &stop);
        let ended = async {
            tokio::task::yield_now().await;
            end(&stop);
        };
        let (answered, ()) = tokio::join!(call, ended);
        assert_eq!(failure(&answered), (code, Phase::Confirm));
    }
    assert_eq!(desk.started_and_invoked().1, 0);
}

#[tokio::test]
async fn a_client_between_two_calls_is_asked_before_anything_starts() {
    let desk = Desk::new(Duration::from_secs(5));
    let stateless = Arc::new(Stateless::default());
    let client = || Client::Between(Arc::clone(&stateless) as Arc<dyn Between>);
    let first = desk.call(&json!({"id": 7}), client(), &Stop::default()).await;
    assert_eq!(failure(&first), ("confirmation-required", Phase::Ask));
    let digests: Vec<_> = first.asks.iter().map(|prompt| prompt.digest).collect();
    assert_eq!(first.asks.iter().map(|prompt| prompt.part).collect::<Vec<_>>(), [Part::Confirm, Part::Approve]);
    assert_eq!(desk.started_and_invoked(), (0, 0));
    let bring = |told: &[Told]| {
        let brought = digests.iter().copied().zip(told.iter().copied()).collect();
        *stateless.0.lock().expect("a lock") = Some(brought);
    };
    for (told, arguments, expected) in [
        (&[Told::Yes, Told::No][..], json!({"id": 7}), ("approval-required", Phase::Ask)),
        (&[Told::No, Told::Yes], json!({"id": 7}), ("confirmation-required", Phase::Ask)),
        (&[Told::Yes], json!({"id": 7}), ("approval-required", Phase::Ask)),
        (&[], json!({"id": 7}), ("confirmation-required", Phase::Ask)),
        (&[Told::Yes, Told::Yes], json!({"id": 8}), ("confirmation-required", Phase::Ask)),
    ] {
        bring(told);
        let answered = desk.call(&arguments, client(), &Stop::default()).await;
        assert_eq!(failure(&answered), expected, "{told:?}");
        assert!(answered.asks.is_empty());
    }
    assert_eq!(desk.started_and_invoked(), (0, 0));
    bring(&[Told::Yes, Told::Yes]);
    let answered = desk.call(&json!({"id": 7.0}), client(), &Stop::default()).await;
    assert!(answered.failed.is_none(), "the same arguments, written otherwise: {}", answered.text);
    assert_eq!(desk.started_and_invoked(), (1, 1));
    let again = desk.call(&json!({"id": 7}), client(), &Stop::default()).await;
    assert_eq!(again.asks.len(), 2, "an answer is spent");
    assert_eq!(desk.started_and_invoked(), (1, 1));
}
