//! A database is opened only if it is there and fits.

use backend::database::DatabaseError;
use tasks::environment::Location;
use tasks::store::Store;

use crate::place::Place;

#[tokio::test]
async fn a_database_that_is_not_there_is_not_made() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tasks.db");
    let refused = Store::open(&Location::from(path.clone())).await;
    assert!(matches!(refused, Err(DatabaseError::Missing)), "{refused:?}");
    assert!(!path.exists());
}

#[tokio::test]
async fn a_database_without_tables_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tasks.db");
    std::fs::write(&path, "").unwrap();
    let refused = Store::open(&Location::from(path)).await;
    assert!(matches!(refused, Err(DatabaseError::NotMigrated)), "{refused:?}");
}

#[tokio::test]
async fn migrating_makes_folders_and_may_be_repeated() {
    let folder = tempfile::tempdir().unwrap();
    let location = Location::from(folder.path().join("a/b/tasks.db"));
    for _ in 0..2 {
        Store::migrate(&location).await.unwrap().close().await;
    }
    Store::open(&location).await.unwrap().close().await;
}

#[tokio::test]
async fn a_migrated_database_is_in_wal_mode() {
    let place = Place::new().await;
    place.store.close().await;
    // Bytes 18 and 19 of the file: how it is written and read; 2 is WAL.
    let header = std::fs::read(place.location.path()).unwrap();
    assert_eq!(header[18..20], [2, 2]);
}
