//! A migrated database, and short words for what tests do to it.

use std::time::Duration;

use backend::database::Location;
use backend::session::Owner;
use jiff::Timestamp;
use serde_json::{Value, json};
use tasks::job::{Job, Report, State};
use tasks::store::{Claim, Settled, Store};
use tasks::submission::Submission;
use test_host::TestDatabase;

pub(crate) const LEASE: Duration = Duration::from_secs(30);

pub(crate) struct Place {
    pub(crate) store: Store,
    pub(crate) location: Location,
    pub(crate) database: TestDatabase,
}

impl Place {
    pub(crate) async fn new() -> Self {
        let (database, location) = empty();
        let store = Store::migrate(&location).await.unwrap();
        Self { store, location, database }
    }

    /// Submits for alice at second 0.
    pub(crate) async fn submit(&self, members: Value) -> String {
        self.store.submit(&owner("alice"), &submission(members), at(0)).await.unwrap()
    }

    /// Alice's job.
    pub(crate) async fn job(&self, id: &str) -> Job {
        self.store.job(&owner("alice"), id).await.unwrap().unwrap()
    }

    /// Claims the only job that is due.
    pub(crate) async fn claim(&self, now: Timestamp) -> Claim {
        self.store.claim("worker", now + LEASE, now).await.unwrap().claim.unwrap()
    }

    /// Lets the next attempt fail for good.
    pub(crate) async fn fail(&self, now: Timestamp) {
        let claim = self.claim(now).await;
        let settled = self.store.fail(&claim, "no", None, now).await.unwrap();
        assert_eq!(settled, Settled::As(State::Failed));
    }
}

/// A database without tables.
pub(crate) fn empty() -> (TestDatabase, Location) {
    let database = TestDatabase::of(module_path!());
    let location = Location::parse(&database.address()).unwrap();
    (database, location)
}

pub(crate) fn owner(name: &str) -> Owner {
    name.parse().unwrap()
}

/// A second of the test's clock.
pub(crate) fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + second).unwrap()
}

/// A submission of report `r` with row 1, changed by `members`.
pub(crate) fn submission(members: Value) -> Submission {
    let mut whole = json!({"reportId": "r", "rows": [1]});
    let Value::Object(members) = members else { panic!("members are an object") };
    whole.as_object_mut().unwrap().extend(members);
    serde_json::from_value(whole).unwrap()
}

pub(crate) fn report(sum: f64) -> Report {
    Report { sum, count: 1 }
}
