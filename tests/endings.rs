//! Every way to end, at every moment: the exit status, what was owed and done, no process left, no busy loop.
#![expect(clippy::expect_used, reason = "what cannot be read fails the test")]

use std::time::{Duration, Instant};

use serde_json::json;
use test_host::{Errors, Fixture, Host, Session, Signal, message};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Moment {
    Launching,
    BeforeTheHandshake,
    BetweenDiscoverAndInitialize,
    Idle,
    CallRunning,
    ThreadBlocked,
    CleaningUp,
    PersonAsked,
    OutputFull,
    ErrorsFull,
    ErrorsGone,
}

const MOMENTS: [Moment; 11] = [
    Moment::Launching,
    Moment::BeforeTheHandshake,
    Moment::BetweenDiscoverAndInitialize,
    Moment::Idle,
    Moment::CallRunning,
    Moment::ThreadBlocked,
    Moment::CleaningUp,
    Moment::PersonAsked,
    Moment::OutputFull,
    Moment::ErrorsFull,
    Moment::ErrorsGone,
];

#[derive(Clone, Copy, Debug)]
enum Event {
    EndOfInput,
    Signal(Signal),
    ReaderGone,
}

/// How long the call of a moment takes, and how long a busy loop would have to show.
const WORK: u64 = 1500;

impl Moment {
    /// Whether an answer is owed when it comes.
    fn owes(self) -> bool {
        !matches!(
            self,
            Self::Launching
                | Self::BeforeTheHandshake
                | Self::BetweenDiscoverAndInitialize
                | Self::Idle
                | Self::ErrorsGone
        )
    }

    /// Whether the drain takes about `WORK`, so that a busy loop in it can be measured.
    fn takes_long(self) -> bool {
        matches!(self, Self::CallRunning | Self::ThreadBlocked | Self::CleaningUp)
    }

    fn fixture(self) -> Fixture {
        let operations = ["wait", "block", "guarded", "large", "print_much"];
        let fixture = Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &operations);
        match self {
            Self::Launching => fixture.switch("CONSTRUCTOR", "600"),
            Self::CleaningUp => fixture.switch("STOP", &WORK.to_string()),
            Self::PersonAsked => fixture.switch("BIND", "code").switch("CONFIRM", "never"),
            _ => fixture,
        }
    }

    fn host(self, fixture: &Fixture) -> Host {
        let host = fixture.host().deadline(Duration::from_secs(20));
        match self {
            // What a reader that takes nothing is left with ends in the middle of a frame.
            Self::OutputFull => host.output_unread().text_output(),
            Self::ErrorsFull => host.errors(Errors::Unread),
            Self::ErrorsGone => host.errors(Errors::Null),
            _ => host,
        }
    }

    /// Brings the session to this moment.
    fn reach(self, fixture: &Fixture, session: &mut Session) {
        if matches!(self, Self::Launching) {
            return fixture.wait_for_effect("constructor");
        }
        if matches!(self, Self::BeforeTheHandshake) {
            session.send(&message::ping(0));
            assert!(session.answer_to(0)["result"].is_object());
            return;
        }
        if matches!(self, Self::BetweenDiscoverAndInitialize) {
            session.send(&message::stateless(0, "server/discover", json!({})));
            assert!(session.answer_to(0)["result"].is_object());
            return;
        }
        if matches!(self, Self::OutputFull) {
            session.send(&message::initialize("first", "2025-11-25"));
            session.call(1, &fixture.tool("large"), json!({"bytes": 500_000}));
            fixture.wait_for_effect("stop");
            return;
        }
        session.initialize("2025-11-25");
        match self {
            Self::CallRunning => {
                session.call(1, &fixture.tool("wait"), json!({"ms": WORK}));
                fixture.wait_for_effect("wait");
            }
            Self::ThreadBlocked => {
                session.call(1, &fixture.tool("block"), json!({"ms": WORK}));
                fixture.wait_for_effect("block");
            }
            Self::CleaningUp => {
                session.call(1, &fixture.tool("wait"), json!({"ms": 0}));
                fixture.wait_for_effect("waited");
            }
            Self::PersonAsked => {
                session.call(1, &fixture.tool("guarded"), json!({}));
                fixture.wait_for_effect("confirm fixture.guarded {}");
            }
            Self::ErrorsFull => {
                for id in 2..6 {
                    session.call(id, &fixture.tool("print_much"), json!({}));
                    assert!(session.answer_to(id)["result"].is_object());
                }
                session.call(1, &fixture.tool("wait"), json!({"ms": WORK}));
                fixture.wait_for_effect("wait");
            }
            _ => {}
        }
    }
}

/// User and system time that the entry has used.
fn processor_time(session: &Session) -> Option<Duration> {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", session.id())).ok()?;
    let fields: Vec<&str> = stat.rsplit(") ").next()?.split(' ').collect();
    let ticks: u64 = fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?;
    Some(Duration::from_millis(ticks * 10))
}

fn end(moment: Moment, event: Event) {
    let fixture = moment.fixture();
    let mut session = moment.host(&fixture).spawn();
    moment.reach(&fixture, &mut session);
    let began = Instant::now();
    match event {
        Event::EndOfInput => session.close_input(),
        Event::Signal(signal) => session.signal(signal),
        Event::ReaderGone => session.close_output(),
    }
    if moment.takes_long() {
        let before = processor_time(&session).expect("it runs");
        std::thread::sleep(Duration::from_secs(1));
        let used = processor_time(&session).map_or(Duration::ZERO, |after| after.saturating_sub(before));
        assert!(used < Duration::from_millis(250), "{moment:?}, {event:?}: {used:?} of processor time while it waits");
    }
    // `wait` also asserts that no process is left and that every byte belonged to a frame.
    let ended = session.wait();
    let lost = moment.owes() && (matches!(event, Event::ReaderGone) || moment == Moment::OutputFull);
    assert_eq!(ended.status.code(), Some(i32::from(lost)), "{moment:?}, {event:?}: {}", ended.stderr);
    let patience = if moment == Moment::OutputFull { 7 } else { 4 };
    assert!(began.elapsed() < Duration::from_secs(patience), "{moment:?}, {event:?}: {:?}", began.elapsed());
    if moment.owes() && !lost {
        assert!(ended.answer_to(1)["result"].is_object());
    }
    // What started was stopped, whatever happened.
    let effects = fixture.effects();
    let count = |wanted: &str| effects.iter().filter(|effect| *effect == wanted).count();
    assert_eq!(count("start"), count("stop"), "{moment:?}, {event:?}: {effects:?}");
}

fn each_moment(event: Event) {
    std::thread::scope(|scope| {
        for moment in MOMENTS {
            scope.spawn(move || end(moment, event));
        }
    });
}

#[test]
fn end_of_input() {
    each_moment(Event::EndOfInput);
}

#[test]
fn sigterm() {
    each_moment(Event::Signal(Signal::TERM));
}

#[test]
fn sigint() {
    each_moment(Event::Signal(Signal::INT));
}

#[test]
fn sighup() {
    each_moment(Event::Signal(Signal::HUP));
}

#[test]
fn a_reader_that_is_gone() {
    each_moment(Event::ReaderGone);
}

/// So many answers that nothing more is taken in, while the end of the input is still behind what was sent.
#[test]
fn the_end_of_input_is_noticed_while_nothing_is_taken_in() {
    for sockets in [false, true] {
        let fixture = Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["echo"]);
        let host = fixture.host().deadline(Duration::from_secs(20)).output_unread().text_output();
        let host = if sockets { host.socket_pair() } else { host };
        let mut session = host.spawn();
        session.send(&message::initialize("first", "2025-11-25"));
        session.offer(message::lines((0..4000).map(message::ping)).as_bytes(), Duration::from_secs(1));
        let began = Instant::now();
        session.close_input();
        let ended = session.wait();
        assert_eq!(ended.status.code(), Some(1), "sockets {sockets}: {}", ended.stderr);
        let waited = began.elapsed();
        assert!((4..8).contains(&waited.as_secs()), "sockets {sockets}: {waited:?}");
    }
}
