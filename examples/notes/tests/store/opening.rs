//! A database is opened only if it is there and fits.

use backend::database::{DatabaseError, Location};
use notes::store::Store;

use crate::place::Place;

#[tokio::test]
async fn a_database_that_is_not_there_or_has_no_tables_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.db");
    let refused = Store::open(&Location::from(path.clone())).await;
    assert!(matches!(refused, Err(DatabaseError::Missing)), "{refused:?}");
    assert!(!path.exists());
    std::fs::write(&path, "").unwrap();
    let refused = Store::open(&Location::from(path)).await;
    assert!(matches!(refused, Err(DatabaseError::NotMigrated)), "{refused:?}");
}

#[tokio::test]
async fn migrating_again_keeps_what_is_there() {
    let place = Place::new().await;
    let id = place.create("a").await.note_id;
    Store::migrate(&place.location).await.unwrap().close().await;
    assert!(place.note(&id).await.is_some());
}
