//! `serve`: what a host runs.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::exit::Exit;
use super::start::{Caller, LAST_WORDS, refuse, start};
use crate::application::Application;
use crate::door::{self, Door, End, Parts, Seals, Served};
use crate::entry::Entry;
use crate::gate::Admission;
use crate::launch::Refusal;
use crate::stdio::{Input, Output, Writer};

/// How long a thread that writes to a file or a terminal is waited for at the end.
const PATIENCE: Duration = Duration::from_secs(5);

pub(super) fn run<A: Application>(entry: Entry<A>, launch: &Path) -> Exit {
    let started = match start(entry, launch, Caller::Host) {
        Ok(started) => started,
        Err(exit) => return exit,
    };
    let refuse = |what: &str, problem: String| {
        started.relay.finish(LAST_WORDS);
        refuse(&started.errors, &Refusal::new(problem).entry(what))
    };
    let seals = match Seals::new() {
        Ok(seals) => seals,
        Err(error) => return refuse("random bytes", error.to_string()),
    };
    let opened = Input::open(started.input).and_then(|input| Ok((input, Output::open(started.output)?)));
    let (input, output) = match opened {
        Ok(opened) => opened,
        Err(error) => return refuse("standard streams", error.to_string()),
    };
    let relay = started.relay;
    let launch = started.launch;
    let limits = &launch.file.limits;
    let children = started.children;
    let served = Arc::new(Served::new(Parts {
        catalog: launch.catalog,
        tools: launch.file.tools,
        calls: launch.gate,
        admission: Admission::new(limits.calls_per_minute),
        children: children.clone(),
        runtime: started.runtime,
        writer: Writer::new(output),
        wake: started.wake,
        seals,
    }));
    let door = Door::new(Arc::clone(&served), limits, input, started.signals, started.woken, relay.clone());
    let exit = match door::serve(door) {
        Ok(end) => match (served.writer.finish(PATIENCE), end) {
            (false, _) => Exit::Failed,
            (true, End::Abandoned) => Exit::DrainOver,
            (true, End::Drained) => Exit::Ok,
        },
        Err(error) => {
            relay.say(&format!("opgate: the stream cannot be polled: {error}"));
            Exit::Failed
        }
    };
    children.end();
    relay.finish(LAST_WORDS);
    exit
}
