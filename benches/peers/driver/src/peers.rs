//! Who is compared: a table that `run` writes.

use std::path::Path;

use crate::Res;

pub(crate) const OPGATE: &str = "opgate";
/// The hand-written loop: what everyone's answers are compared with.
pub(crate) const LOOP: &str = "loop";
/// No protocol, bytes back and forth.
const PINGPONG: &str = "pingpong";
/// opgate with a program behind it.
const PROGRAM: &str = "program";

pub(crate) struct Peer {
    pub(crate) name: String,
    pub(crate) version: String,
    /// Empty: it could not be built.
    pub(crate) command: Vec<String>,
}

impl Peer {
    pub(crate) fn is_raw(&self) -> bool {
        self.name == PINGPONG
    }
}

pub(crate) struct Peers(Vec<Peer>);

impl Peers {
    pub(crate) fn read(file: &Path, only: &[String]) -> Res<Self> {
        let text = std::fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()))?;
        let mut peers = Self::parse(&text)?;
        if let Some(name) = only.iter().find(|name| peers.columns().all(|peer| peer.name != **name)) {
            return Err(format!("no peer is named {name}"));
        }
        let always = [OPGATE, LOOP, PROGRAM];
        peers.0.retain(|peer| only.is_empty() || always.contains(&&*peer.name) || only.contains(&peer.name));
        if peers.named(OPGATE).is_some() { Ok(peers) } else { Err(format!("{OPGATE} is missing")) }
    }

    pub(crate) fn parse(text: &str) -> Res<Self> {
        let peer = |line: &str| {
            let mut columns = line.split('\t').map(String::from);
            match (columns.next(), columns.next()) {
                (Some(name), Some(version)) => Ok(Peer { name, version, command: columns.collect() }),
                _ => Err(format!("not a name and a version: {line}")),
            }
        };
        text.lines().map(peer).collect::<Res<_>>().map(Self)
    }

    /// All that have a column.
    pub(crate) fn columns(&self) -> impl Iterator<Item = &Peer> {
        self.0.iter().filter(|peer| peer.name != PROGRAM)
    }

    pub(crate) fn present(&self) -> impl Iterator<Item = &Peer> {
        self.columns().filter(|peer| !peer.command.is_empty())
    }

    pub(crate) fn opgate(&self) -> &Peer {
        self.named(OPGATE).unwrap_or(&self.0[0])
    }

    pub(crate) fn program(&self) -> Option<&Peer> {
        self.named(PROGRAM)
    }

    /// One that was built.
    pub(crate) fn named(&self, name: &str) -> Option<&Peer> {
        self.0.iter().find(|peer| peer.name == name && !peer.command.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peer_without_a_command_was_not_built() {
        let peers =
            Peers::parse("opgate\t0.1.0\tpeer\tserve\ta file\nbun\tnot built: no npm\nprogram\t-\topgate\n").unwrap();
        assert_eq!(peers.columns().map(|peer| &*peer.name).collect::<Vec<_>>(), ["opgate", "bun"]);
        assert_eq!(peers.present().map(|peer| &*peer.name).collect::<Vec<_>>(), ["opgate"]);
        assert_eq!(peers.opgate().command, ["peer", "serve", "a file"]);
        assert!(peers.program().is_some());
        assert!(Peers::parse("opgate 0.1.0").is_err());
    }
}
