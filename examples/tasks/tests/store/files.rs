//! What is promised of SQLite's files alone.

use backend::database::{DatabaseError, Location};
use tasks::store::Store;

#[tokio::test]
async fn a_database_that_is_not_there_is_not_made() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tasks.db");
    let refused = Store::open(&Location::from(path.clone())).await;
    assert!(matches!(refused, Err(DatabaseError::Missing)), "{refused:?}");
    assert!(!path.exists());
}

#[tokio::test]
async fn migrating_makes_the_folders_above_it_whatever_they_are_called() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a b/50%41?#/../ä/tasks.db");
    let location = Location::from(path);
    Store::migrate(&location).await.unwrap().close().await;
    assert!(folder.path().join("a b/ä/tasks.db").exists());
    Store::open(&location).await.unwrap().close().await;
}

#[tokio::test]
async fn a_migrated_database_is_in_wal_mode() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tasks.db");
    Store::migrate(&Location::from(path.clone())).await.unwrap().close().await;
    // Bytes 18 and 19 of the file: how it is written and read; 2 is WAL.
    let header = std::fs::read(path).unwrap();
    assert_eq!(header[18..20], [2, 2]);
}
