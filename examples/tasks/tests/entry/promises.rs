//! The list of promises, the same for each database: `place` knows which by its module's path.

pub(crate) mod place;

mod backing_off;
mod cancelling_a_running_job;
mod commands;
mod draining;
mod foreign_jobs;
mod forged_members;
mod job_over_mcp;
mod killed_worker;
mod narrower_entry;
mod not_ready;
mod paused_worker;
mod report_for_people;
mod sharing;
mod submissions;
mod tools;
mod waking;
