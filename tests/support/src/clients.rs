//! Real MCP clients, and MCP's conformance suite, fetched from npm and `PyPI` by `tests/clients/install` and started by
//! `tests/clients/run` and `tests/clients/conformance/run`.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use crate::host::Host;

/// A host of the client called so in `tests/clients/run`; the command of the entry it starts is to follow.
///
/// Installs the clients first, into the target folder that holds `binary`; that is quick when it was done before.
///
/// # Panics
///
/// If they cannot be installed.
pub fn host(binary: &str, client: &str) -> Host {
    Host::new(script("run"))
        .arg(client)
        .env("CARGO_TARGET_DIR", installed(binary))
        .text_output()
        .deadline(Duration::from_mins(1))
}

/// A host of MCP's conformance suite, run against an entry whose command is to follow; installed as the clients are.
///
/// # Panics
///
/// If it cannot be installed.
pub fn conformance(binary: &str) -> Host {
    Host::new(script("conformance/run"))
        .env("CARGO_TARGET_DIR", installed(binary))
        .text_output()
        .deadline(Duration::from_mins(3))
}

fn installed(binary: &str) -> &'static Path {
    static TARGET: OnceLock<PathBuf> = OnceLock::new();
    TARGET.get_or_init(|| {
        let target = Path::new(binary).ancestors().nth(2).expect("target/debug/opgate").to_owned();
        let install = Host::new(script("install"))
            .inherit_env()
            .env("CARGO_TARGET_DIR", &target)
            .text_output()
            .deadline(Duration::from_mins(5));
        install.run().assert_code(0);
        target
    })
}

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../clients").join(name)
}
