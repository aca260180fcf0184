//! The business functions, for one owner.
//!
//! The owner comes from the session that the application was started with. No argument reaches
//! the place where it is decided.

use backend::session::Owner;
use jiff::Timestamp;
use opgate::Failure;

use crate::job::{Cancellation, Job, Report};
use crate::store::{Refusal, Store};
use crate::submission::{JobInput, ReportInput, Submission};

/// The running application: an open store, and the owner it serves.
pub struct TasksService {
    store: Store,
    owner: Owner,
}

impl TasksService {
    pub(crate) fn new(store: Store, owner: Owner) -> Self {
        Self { store, owner }
    }

    pub(crate) async fn submit(&self, asked: Submission) -> Result<String, Failure> {
        self.store.submit(&self.owner, &asked, Timestamp::now()).await.map_err(|refusal| match refusal {
            Refusal::Denied => Failure::safe(
                "denied",
                "You may not submit under this reportId. Nothing was queued; choose another one.",
            )
            .without_effect(),
            Refusal::KeyReused => Failure::safe(
                "deduplication-key-reused",
                "You have used this deduplicationKey for a different submission. Nothing was queued; send the \
                 submission of then to get its job, or choose another key.",
            )
            .without_effect(),
            Refusal::Store(error) => error.into(),
        })
    }

    pub(crate) async fn query(&self, input: JobInput) -> Result<Option<Job>, Failure> {
        Ok(self.store.job(&self.owner, &input.job_id).await?)
    }

    pub(crate) async fn cancel(&self, input: JobInput) -> Result<Cancellation, Failure> {
        Ok(self.store.cancel(&self.owner, &input.job_id, Timestamp::now()).await?)
    }

    pub(crate) async fn retry(&self, input: JobInput) -> Result<bool, Failure> {
        Ok(self.store.retry(&self.owner, &input.job_id, Timestamp::now()).await?)
    }

    pub(crate) async fn report(&self, input: ReportInput) -> Result<Option<Report>, Failure> {
        Ok(self.store.report(&self.owner, &input.report_id).await?)
    }

    pub(crate) async fn close(self) {
        self.store.close().await;
    }
}
