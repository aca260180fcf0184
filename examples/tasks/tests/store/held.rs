//! What is promised while another transaction holds a job, which only PostgreSQL has.

use std::time::Duration;

use serde_json::json;
use sqlx::AnyPool;
use tasks::job::State;

use crate::postgres::place::{LEASE, Place, at};

/// A claim passes over a lost job that a transaction holds, and finds it free a moment later; `makes` says how it was lost.
async fn assert_ended_without_another_attempt(makes: &str, state: State, attempts: i64) {
    let place = Place::new().await;
    let held = place.submit(json!({"reportId": "held"})).await;
    let other = place.submit(json!({"reportId": "other"})).await;
    let pool = AnyPool::connect(&place.database.address()).await.unwrap();
    let run = async |statement: String| sqlx::raw_sql(sqlx::AssertSqlSafe(statement)).execute(&pool).await.unwrap();
    let lost = "UPDATE jobs SET state = 'running', lease_owner = 'lost', lease_expires_at = 0";
    run(format!("{lost}, {makes} WHERE id = '{held}'")).await;
    run(format!("{lost}, attempts = max_attempts WHERE id = '{other}'")).await;
    // Ending the other one waits until the first is free.
    run("CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS
             'BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NEW; END'"
        .to_owned())
    .await;
    run(format!(
        "CREATE TRIGGER wait BEFORE UPDATE ON jobs FOR EACH ROW WHEN (OLD.id = '{other}') EXECUTE FUNCTION wait()"
    ))
    .await;

    let mut holder = pool.begin().await.unwrap();
    let query = format!("SELECT pg_advisory_xact_lock(1); SELECT id FROM jobs WHERE id = '{held}' FOR UPDATE");
    sqlx::raw_sql(sqlx::AssertSqlSafe(query)).execute(&mut *holder).await.unwrap();
    let release = async {
        let waiting = "SELECT COUNT(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
                         AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
        while sqlx::query_scalar::<_, i64>(waiting).fetch_one(&pool).await.unwrap() == 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        holder.commit().await.unwrap();
    };
    let look = async |now| place.store.claim("another", now + LEASE, now).await.unwrap();
    let (claimed, ()) = tokio::join!(look(at(100)), release);
    assert_eq!(claimed.ended, [(other, State::Failed)]);
    assert_eq!(claimed.claim, None);

    let claimed = look(at(101)).await;
    assert_eq!(claimed.ended, [(held.clone(), state)]);
    assert_eq!(claimed.claim, None);
    assert_eq!(place.job(&held).await.attempts, attempts);
}

#[tokio::test]
async fn a_job_that_was_lost_for_good_is_not_attempted_again() {
    assert_ended_without_another_attempt("attempts = max_attempts", State::Failed, 3).await;
}

#[tokio::test]
async fn a_job_that_was_to_be_cancelled_is_not_attempted_again() {
    assert_ended_without_another_attempt("attempts = 1, cancel_requested = TRUE", State::Cancelled, 1).await;
}
