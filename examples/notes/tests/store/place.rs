//! A migrated database, and short words for what tests do to it.

use backend::database::Location;
use backend::session::Owner;
use jiff::Timestamp;
use notes::input::{Change, NewNote, Removal};
use notes::note::{Note, Summary};
use notes::session::{Audience, Issued, Method};
use notes::store::Store;
use serde_json::{Value, json};
use test_host::TestDatabase;

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

    /// A session for all operations, from second 0 to second 10.
    pub(crate) async fn issue(&self, name: &str) -> Issued {
        self.issue_for(name, &Method::ALL).await
    }

    /// A session for these operations, from second 0 to second 10.
    pub(crate) async fn issue_for(&self, name: &str, methods: &[Method]) -> Issued {
        let audience = Audience::new(methods.iter().copied()).unwrap();
        self.store.issue_session(&owner(name), &audience, at(10), at(0)).await.unwrap()
    }

    /// A note of ann, made at second 0.
    pub(crate) async fn create(&self, title: &str) -> Summary {
        self.store.create(&owner("ann"), &new_note(title), at(0)).await.unwrap()
    }

    /// Ann's note.
    pub(crate) async fn note(&self, id: &str) -> Option<Note> {
        self.store.read(&owner("ann"), id).await.unwrap()
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
    Timestamp::from_second(1_900_000_000 + second).unwrap()
}

pub(crate) fn new_note(title: &str) -> NewNote {
    serde_json::from_value(json!({"title": title, "body": "first"})).unwrap()
}

pub(crate) fn change(id: &str, version: i64, members: &Value) -> Change {
    let mut whole = json!({"noteId": id, "version": version});
    whole.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    serde_json::from_value(whole).unwrap()
}

pub(crate) fn removal(id: &str, version: i64, title: &str) -> Removal {
    serde_json::from_value(json!({"noteId": id, "version": version, "title": title})).unwrap()
}
