//! Workers on one database share the jobs: each is attempted once.

use serde_json::json;
use tasks::job::State;

use super::place::{DEADLINE, Place};

#[test]
fn three_workers_run_each_job_once() {
    let place = Place::new();
    let ids: Vec<_> = (0..30).map(|number| place.submit(json!({"reportId": format!("r{number}")}))).collect();
    let workers: Vec<_> = (0..3)
        .map(|_| place.command(["worker", "--until-idle", "--poll-ms", "20"]).deadline(DEADLINE).spawn())
        .collect();
    let mut claims = 0;
    for mut worker in workers {
        worker.close_input();
        let ended = worker.wait();
        ended.assert_code(0);
        claims += ended.stderr.matches("running, attempt 1").count();
    }
    assert_eq!(claims, ids.len());
    for id in ids {
        let job = place.job(&id);
        assert_eq!((job.state, job.attempts), (State::Succeeded, 1));
    }
}
