//! The protocol revisions, and what differs between them for a server that only has tools.
//!
//! Source: modelcontextprotocol.io, specification pages `basic/versioning`, `basic/lifecycle`, `server/tools`.

use std::sync::OnceLock;

use serde_json::{Value, json};

use crate::catalog::canonical;

/// In the order of their publication.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Revision {
    V2024_11_05,
    V2025_03_26,
    V2025_06_18,
    V2025_11_25,
    V2026_07_28,
}

impl Revision {
    pub(crate) const ALL: [Self; 5] =
        [Self::V2024_11_05, Self::V2025_03_26, Self::V2025_06_18, Self::V2025_11_25, Self::V2026_07_28];

    /// What a client is offered that asks for a revision we do not know.
    pub(crate) const LATEST_HANDSHAKE: Self = Self::V2025_11_25;

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::V2024_11_05 => "2024-11-05",
            Self::V2025_03_26 => "2025-03-26",
            Self::V2025_06_18 => "2025-06-18",
            Self::V2025_11_25 => "2025-11-25",
            Self::V2026_07_28 => "2026-07-28",
        }
    }

    pub(crate) fn index(self) -> usize {
        self as usize
    }

    /// Stateless revisions have no handshake: each request says all there is to know.
    pub(crate) fn is_stateless(self) -> bool {
        self >= Self::V2026_07_28
    }

    /// The handshake revision for what a client asked for in `initialize`.
    pub(crate) fn negotiate(asked: &str) -> Self {
        Self::ALL
            .into_iter()
            .find(|revision| !revision.is_stateless() && revision.name() == asked)
            .unwrap_or(Self::LATEST_HANDSHAKE)
    }

    /// The stateless revision called `name`.
    pub(crate) fn stateless(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|revision| revision.is_stateless() && revision.name() == name)
    }

    /// All names, for errors and discovery.
    pub(crate) fn names() -> Vec<&'static str> {
        Self::ALL.map(Self::name).to_vec()
    }

    /// Whether an error whose id could not be read has a null id (JSON-RPC 2.0) or, as later revisions want, none.
    pub(crate) fn null_id(self) -> bool {
        self < Self::V2025_11_25
    }

    /// Adds what every complete result of a stateless revision carries.
    pub(crate) fn complete(self, result: &mut Value) {
        if self.is_stateless() {
            result["resultType"] = json!("complete");
            self.identify(result);
        }
    }

    /// Says in a result of a stateless revision who made it.
    pub(crate) fn identify(self, result: &mut Value) {
        result["_meta"] = self.identity();
    }

    /// What a result of a stateless revision says about who made it.
    pub(crate) fn identity(self) -> Value {
        json!({ "io.modelcontextprotocol/serverInfo": server_info(self) })
    }

    /// The same as JSON text.
    pub(crate) fn identity_text(self) -> &'static str {
        static TEXTS: [OnceLock<String>; Revision::ALL.len()] = [const { OnceLock::new() }; Revision::ALL.len()];
        TEXTS[self.index()].get_or_init(|| canonical(&self.identity()))
    }
}

/// How this server names itself.
pub(crate) fn server_info(revision: Revision) -> Value {
    let mut info = json!({ "name": "opgate", "version": env!("CARGO_PKG_VERSION") });
    if revision >= Revision::V2025_06_18 {
        info["title"] = json!("opgate");
    }
    info
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handshake_revisions_are_echoed_and_others_answered_with_the_latest() {
        for name in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
            assert_eq!(Revision::negotiate(name).name(), name);
        }
        for name in ["2026-07-28", "1999-01-01", ""] {
            assert_eq!(Revision::negotiate(name), Revision::LATEST_HANDSHAKE);
        }
    }

    #[test]
    fn positions_match_the_table() {
        for (index, revision) in Revision::ALL.into_iter().enumerate() {
            assert_eq!(revision.index(), index);
        }
    }
}
