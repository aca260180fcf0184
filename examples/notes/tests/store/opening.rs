//! A database is opened only if it is there and fits.

use backend::database::DatabaseError;
use notes::store::Store;

use super::place::{Place, empty};

#[tokio::test]
async fn a_database_that_is_not_there_or_has_no_tables_is_refused() {
    let (database, location) = empty();
    let refused = Store::open(&location).await;
    assert!(matches!(refused, Err(DatabaseError::NotMigrated)), "{refused:?}");
    database.take_away();
    let refused = Store::open(&location).await.unwrap_err();
    assert!(refused.asks_for_migration(), "{refused:?}");
    assert!(database.bring_back(), "one was made");
}

#[tokio::test]
async fn migrating_again_keeps_what_is_there() {
    let place = Place::new().await;
    let id = place.create("a").await.note_id;
    Store::migrate(&place.location).await.unwrap().close().await;
    assert!(place.note(&id).await.is_some());
}
