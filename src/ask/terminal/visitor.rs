//! Holds one prompt open and serves who comes: `show` is answered with the prompt, `allow` and `deny` with the digest of
//! the prompt that was seen answer it. One line each, and one answer in all.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use redact_json::Budget;
use rustix::event::{PollFd, PollFlags, poll};
use serde::{Deserialize, Serialize};

use super::super::{Open, Prompt, Told};
use super::socket::{Listening, is_ours};
use crate::redaction::nothing;

/// At once; who comes when there are more is sent away.
const VISITORS: usize = 8;
/// How long somebody who connects may take to say what for.
const PATIENCE: Duration = Duration::from_secs(2);
/// The longest line a visitor may say.
const LONGEST: usize = 128;

/// A prompt as it is shown to visitors.
pub(super) struct Posted {
    id: String,
    digest: String,
    /// JSON.
    question: String,
}

/// What a visitor is told.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Reply {
    /// The prompt was answered with this.
    Answered { answer: String, digest: String },
    /// It was not.
    Refused(String),
}

impl Posted {
    pub(super) fn new(prompt: &Prompt) -> Self {
        Self { id: prompt.id.clone(), digest: prompt.quotable().to_owned(), question: prompt.to_json() }
    }

    fn shown(&self, open: &Open) -> String {
        let seconds = open.deadline.saturating_duration_since(Instant::now()).as_secs();
        let (id, process, question) = (&self.id, std::process::id(), &self.question);
        format!("{{\"id\":\"{id}\",\"process\":{process},\"seconds_left\":{seconds},\"prompt\":{question}}}\n")
    }
}

struct Visitor {
    stream: UnixStream,
    said: Vec<u8>,
    until: Instant,
}

/// Serves until somebody answers, or nobody may any more.
pub(super) fn hold(listening: &Listening, posted: &Posted, open: &Open) -> Told {
    let mut visitors: Vec<Visitor> = Vec::new();
    loop {
        if let Some(told) = open.ended() {
            return told;
        }
        let now = Instant::now();
        visitors.retain(|visitor| visitor.until > now);
        let ready = {
            let mut wanted =
                vec![PollFd::new(&open.woken, PollFlags::IN), PollFd::new(&listening.listener, PollFlags::IN)];
            wanted.extend(visitors.iter().map(|visitor| PollFd::new(&visitor.stream, PollFlags::IN)));
            let sooner = visitors.iter().map(|visitor| visitor.until).min();
            match poll(&mut wanted, open.left(sooner).as_ref()) {
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(_) => return Told::Failed("the socket of the prompt cannot be polled"),
            }
            wanted.iter().map(|wanted| !wanted.revents().is_empty()).collect::<Vec<_>>()
        };
        if ready[0] {
            open.woken.clear();
        }
        let mut index = 1;
        let mut told = None;
        visitors.retain_mut(|visitor| {
            index += 1;
            if told.is_some() || !ready[index] {
                return true;
            }
            match visitor.listen() {
                Heard::Part => true,
                Heard::Nothing => false,
                Heard::Line(line) => {
                    told = answer(&mut visitor.stream, &line, posted, open);
                    false
                }
            }
        });
        if let Some(told) = told {
            return told;
        }
        if ready[1] {
            accept(listening, &mut visitors);
        }
    }
}

fn accept(listening: &Listening, visitors: &mut Vec<Visitor>) {
    let stream = match listening.listener.accept() {
        Ok((stream, _)) => stream,
        Err(error) => {
            if error.kind() != io::ErrorKind::WouldBlock {
                // No descriptors are left, perhaps: whoever knocks waits, and is not asked for in a busy loop.
                std::thread::sleep(Duration::from_millis(50));
            }
            return;
        }
    };
    if visitors.len() < VISITORS && is_ours(&stream) && stream.set_nonblocking(true).is_ok() {
        visitors.push(Visitor { stream, said: Vec::new(), until: Instant::now() + PATIENCE });
    }
}

enum Heard {
    Line(String),
    Part,
    /// It is gone, or says what nobody says.
    Nothing,
}

impl Visitor {
    fn listen(&mut self) -> Heard {
        let mut bytes = [0; LONGEST];
        match self.stream.read(&mut bytes) {
            Ok(0) => Heard::Nothing,
            Ok(count) => {
                self.said.extend_from_slice(&bytes[..count]);
                match self.said.iter().position(|byte| *byte == b'\n') {
                    Some(end) => String::from_utf8(self.said[..end].to_vec()).map_or(Heard::Nothing, Heard::Line),
                    None if self.said.len() >= LONGEST => Heard::Nothing,
                    None => Heard::Part,
                }
            }
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => Heard::Part,
            Err(_) => Heard::Nothing,
        }
    }
}

/// Answers one line; what was told, if it was an answer to the prompt.
fn answer(stream: &mut UnixStream, line: &str, posted: &Posted, open: &Open) -> Option<Told> {
    let mut say = |reply: &Reply| {
        let text = redact_json::to_string(reply, nothing(), Budget::bytes(1 << 12)).unwrap_or_default() + "\n";
        write_at_once(stream, &text)
    };
    let (verb, digest) = line.split_once(' ').unwrap_or((line, ""));
    let told = match (verb, digest) {
        ("show", "") => {
            let _ = write_at_once(stream, &posted.shown(open));
            return None;
        }
        ("allow", digest) if digest == posted.digest => Told::Yes,
        ("deny", digest) if digest == posted.digest => Told::No,
        ("allow" | "deny", _) => {
            let _ = say(&Reply::Refused("that is the digest of another prompt".to_owned()));
            return None;
        }
        _ => return None,
    };
    if open.ended().is_some() {
        let _ = say(&Reply::Refused("it is too late".to_owned()));
        return None;
    }
    let reply = Reply::Answered { answer: told.word().to_owned(), digest: posted.digest.clone() };
    // Whoever says yes must learn that it counts; a yes from somebody who is gone is none.
    (say(&reply).is_ok() || told == Told::No).then_some(told)
}

/// Replies are far smaller than what a socket holds, and nobody is waited for.
fn write_at_once(stream: &mut UnixStream, text: &str) -> io::Result<()> {
    match stream.write(text.as_bytes()) {
        Ok(count) if count == text.len() => Ok(()),
        Ok(_) => Err(io::ErrorKind::WriteZero.into()),
        Err(error) => Err(error),
    }
}
