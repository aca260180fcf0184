//! What goes over the wire in each revision, as `tests/transcripts` has it from the specification.
#![expect(clippy::expect_used, reason = "helpers outside test functions")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;
use test_host::{Fixture, Session};

/// One session of a transcript.
#[derive(Default)]
struct Scene {
    title: String,
    lines: Vec<(usize, Line)>,
}

enum Line {
    Sent(String),
    Received(String),
}

fn scenes(text: &str) -> Vec<Scene> {
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    let mut scenes: Vec<Scene> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = names.iter().fold(line.to_owned(), |line, (name, value)| line.replace(name, value));
        let scene = || panic!("line {number} comes before a scene");
        match line.split_once(' ') {
            None if line.is_empty() => {}
            Some(("#", _)) => {}
            Some(("==", title)) => scenes.push(Scene { title: title.to_owned(), lines: Vec::new() }),
            Some((">", sent)) => {
                let line = Line::Sent(sent.to_owned());
                scenes.last_mut().unwrap_or_else(scene).lines.push((number, line));
            }
            Some(("<", received)) => {
                let line = Line::Received(received.to_owned());
                scenes.last_mut().unwrap_or_else(scene).lines.push((number, line));
            }
            Some(("", more)) => match scenes.last_mut().and_then(|scene| scene.lines.last_mut()) {
                Some((_, Line::Received(received))) => received.push_str(more),
                _ => panic!("line {number} goes on with nothing"),
            },
            Some((name, value)) if name.starts_with('$') => {
                names.insert(name.to_owned(), value.trim_start_matches("= ").to_owned());
            }
            _ => panic!("line {number} is of no kind"),
        }
    }
    scenes
}

/// Whether a value is what is written, with the names in it.
fn is(written: &Value, found: &Value, names: &mut BTreeMap<String, Value>) -> Result<(), String> {
    match (written, found) {
        (Value::String(text), _) if text == "<any>" => Ok(()),
        (Value::String(text), Value::String(found)) if text.starts_with("<with ") => {
            let part = text.trim_start_matches("<with ").trim_end_matches('>');
            if found.contains(part) { Ok(()) } else { Err(format!("{found:?} has no {part:?} in it")) }
        }
        (Value::String(text), _) if text.starts_with('<') => {
            let known = names.entry(text.clone()).or_insert_with(|| found.clone());
            if known == found { Ok(()) } else { Err(format!("{text} was {known}, and now {found}")) }
        }
        (Value::Object(written), Value::Object(found)) if written.keys().eq(found.keys()) => {
            written.iter().try_for_each(|(name, value)| is(value, &found[name], names))
        }
        (Value::Array(written), Value::Array(found)) if written.len() == found.len() => {
            written.iter().zip(found).try_for_each(|(written, found)| is(written, found, names))
        }
        _ if written == found => Ok(()),
        _ => Err(format!("{found} is not {written}")),
    }
}

fn play(scene: &Scene, session: &mut Session) {
    let mut names = BTreeMap::new();
    for (number, line) in &scene.lines {
        match line {
            Line::Sent(line) => {
                let line = names.iter().fold(line.clone(), |line, (name, value): (&String, &Value)| {
                    value.as_str().map_or_else(|| line.clone(), |value| line.replace(name, value))
                });
                session.send_bytes(format!("{line}\n"));
            }
            Line::Received(written) => {
                let written =
                    serde_json::from_str(written).unwrap_or_else(|error| panic!("line {number}: {error}: {written}"));
                let frame = session.receive();
                if let Err(problem) = is(&written, &frame.message, &mut names) {
                    panic!("{}, line {number}: {problem}\n{frame}", scene.title);
                }
            }
        }
    }
}

fn replay(revision: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/transcripts");
    let text = fs::read_to_string(folder.join(format!("{revision}.txt"))).expect("a transcript");
    let scenes = scenes(&text);
    assert!(scenes.len() >= 5, "a scene is lost");
    for scene in &scenes {
        let structured = scene.title.ends_with("(structured)");
        let fixture = Fixture::beside(env!("CARGO_BIN_EXE_opgate"), &["echo", "wait", "remove"])
            .line(&format!("[tools]\nstructured = {structured}\n[binding.confirm]\nask = \"client\""));
        let mut session = fixture.host().batches().spawn();
        play(scene, &mut session);
        session.close_input();
        let ended = session.wait();
        ended.assert_code(0);
        assert!(ended.frames.is_empty(), "{}: {:?}", scene.title, ended.frames);
    }
}

#[test]
fn revision_2024_11_05() {
    replay("2024-11-05");
}

#[test]
fn revision_2025_03_26() {
    replay("2025-03-26");
}

#[test]
fn revision_2025_06_18() {
    replay("2025-06-18");
}

#[test]
fn revision_2025_11_25() {
    replay("2025-11-25");
}

#[test]
fn revision_2026_07_28() {
    replay("2026-07-28");
}
