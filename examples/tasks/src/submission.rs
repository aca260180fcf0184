//! What a caller asks for: the arguments of the operations.
//!
//! Bounds are stated once, in the schema, and enforced by opgate before a handler runs. No member
//! names an owner: ownership comes from the session alone.

use backend::database::NO_NULL;
use backend::random::hex;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// A report to compute.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Submission {
    /// The report to write. Its first submission makes you its owner for ever.
    #[schemars(length(min = 1, max = 200), regex(pattern = NO_NULL))]
    pub report_id: String,
    /// The numbers to sum and count.
    #[schemars(length(max = 10_000))]
    pub rows: Vec<f64>,
    /// For demonstrations: attempts with a lower number than this fail.
    #[schemars(range(min = 0, max = 100))]
    pub fail_until_attempt: Option<u32>,
    /// For demonstrations: how long one attempt takes, in milliseconds.
    #[schemars(range(min = 0, max = 600_000))]
    pub duration_ms: Option<u32>,
    /// Not before this time: RFC 3339 with an offset, for example 2026-01-31T09:00:00+01:00.
    pub run_at: Option<RunAt>,
    /// The same submission under the same key gives the same job, for ever. Keys are yours alone.
    #[schemars(length(min = 1, max = 200), regex(pattern = NO_NULL))]
    pub deduplication_key: Option<String>,
}

impl Submission {
    /// Equal for two submissions exactly if they ask for the same; the key itself does not count.
    ///
    /// # Errors
    ///
    /// When the submission is not JSON: it holds a row that is not finite.
    pub fn digest(&self) -> Result<String, serde_json::Error> {
        let asked = Self { deduplication_key: None, ..self.clone() };
        Ok(hex(&Sha256::digest(serde_json::to_vec(&asked)?)))
    }
}

/// A moment, given as RFC 3339 text with an offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(inline, extend("format" = "date-time"))]
pub struct RunAt(#[schemars(with = "String")] pub Timestamp);

impl TryFrom<String> for RunAt {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse().map(Self).map_err(|_| "expected an RFC 3339 time with an offset")
    }
}

impl From<RunAt> for String {
    fn from(RunAt(moment): RunAt) -> Self {
        moment.to_string()
    }
}

/// One job.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct JobInput {
    /// The job id that submit returned.
    #[schemars(length(min = 1, max = 200), regex(pattern = NO_NULL))]
    pub job_id: String,
}

/// One report.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReportInput {
    /// The report id that was submitted.
    #[schemars(length(min = 1, max = 200), regex(pattern = NO_NULL))]
    pub report_id: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Submission {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn the_digest_sees_what_is_asked_for_and_not_the_key() {
        let plain = read(r#"{"reportId":"r","rows":[1,2]}"#).digest().unwrap();
        let keyed = read(r#"{"rows":[1.0,2.0],"deduplicationKey":"k","reportId":"r"}"#).digest().unwrap();
        let other = read(r#"{"reportId":"r","rows":[1,3]}"#).digest().unwrap();
        assert_eq!(plain, keyed);
        assert_ne!(plain, other);
    }

    #[test]
    fn one_moment_in_two_offsets_is_one_moment() {
        let zulu = read(r#"{"reportId":"r","rows":[],"runAt":"2030-01-01T08:00:00Z"}"#);
        let east = read(r#"{"reportId":"r","rows":[],"runAt":"2030-01-01T09:00:00+01:00"}"#);
        assert_eq!(zulu.digest().unwrap(), east.digest().unwrap());
    }

    #[test]
    fn a_time_without_an_offset_is_refused() {
        let text = r#"{"reportId":"r","rows":[],"runAt":"2030-01-01T08:00:00"}"#;
        assert!(serde_json::from_str::<Submission>(text).is_err());
    }
}
