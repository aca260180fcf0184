//! What a launch supplies and no argument can.

use secrecy::SecretString;
use serde::Deserialize;

/// The launch context: a table of the launch file with the one member `evidence`.
///
/// Trust boundary: it comes from the launch alone. It has no `Debug`, and nothing serializes it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LaunchContext {
    /// The session that a side of the entry was given: evidence of who asks, to be checked at each call.
    pub(crate) evidence: SecretString,
}
