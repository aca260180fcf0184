//! What the program promises, with real processes.
#![expect(clippy::unwrap_used, reason = "what cannot be prepared fails the test")]

mod place;

mod backing_off;
mod cancelling_a_running_job;
mod commands;
mod demonstration;
mod draining;
mod foreign_jobs;
mod forged_members;
mod job_over_mcp;
mod killed_worker;
mod not_ready;
mod paused_worker;
mod report_for_people;
mod sharing;
mod submissions;
mod tools;
