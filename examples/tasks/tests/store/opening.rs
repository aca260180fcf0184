//! A database is opened only if it is there and fits.

use backend::database::DatabaseError;
use tasks::store::Store;

use super::place::{Place, empty};

#[tokio::test]
async fn a_database_that_is_not_there_is_refused() {
    let place = Place::new().await;
    place.store.close().await;
    place.database.take_away();
    let refused = Store::open(&place.location).await.unwrap_err();
    assert!(refused.asks_for_migration(), "{refused:?}");
    assert!(place.database.bring_back(), "one was made");
    Store::open(&place.location).await.unwrap().close().await;
}

#[tokio::test]
async fn a_database_without_tables_is_refused() {
    let (_database, location) = empty();
    let refused = Store::open(&location).await;
    assert!(matches!(refused, Err(DatabaseError::NotMigrated)), "{refused:?}");
}

#[tokio::test]
async fn migrating_may_be_repeated() {
    let (_database, location) = empty();
    for _ in 0..2 {
        Store::migrate(&location).await.unwrap().close().await;
    }
    Store::open(&location).await.unwrap().close().await;
}
