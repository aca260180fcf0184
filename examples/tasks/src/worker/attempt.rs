//! One attempt: the work, beside the care for its lease.

use std::time::Duration;

use jiff::Timestamp;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep};

use super::{Event, Worker};
use crate::{
    job::Report,
    store::{Claim, Lost, Settled, StoreError},
};

/// How often a running job asks whether it is to be cancelled.
const LOOK: Duration = Duration::from_millis(100);

const FIRST_DELAY: Duration = Duration::from_secs(2);
const LONGEST_DELAY: Duration = Duration::from_secs(10);

/// Why the work gave no report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
enum Trouble {
    #[error("the attempt failed as failUntilAttempt asked")]
    AsAsked,
    #[error("the sum of the rows is too large for a number")]
    Overflow,
}

enum Ended {
    Worked(Result<Report, Trouble>),
    Cancelled,
    Lost,
}

impl<E: Fn(&Event)> Worker<E> {
    pub(super) async fn attempt(&self, claim: &Claim) -> Result<(), StoreError> {
        let ended = tokio::select! {
            worked = work(claim) => Ended::Worked(worked),
            ended = self.hold(claim) => ended,
        };
        let now = Timestamp::now();
        let mut retry_at = None;
        let settled = match ended {
            Ended::Worked(Ok(report)) => self.store.succeed(claim, report, now).await?,
            Ended::Worked(Err(trouble)) => {
                // What cannot work is not tried again.
                if trouble == Trouble::AsAsked && !claim.is_last {
                    retry_at = Some(now + delay(claim.attempt));
                }
                self.store.fail(claim, &trouble.to_string(), retry_at, now).await?
            }
            Ended::Cancelled => self.store.fail(claim, "cancelled while it ran", None, now).await?,
            Ended::Lost => Settled::Lost,
        };
        (self.events)(&Event::Settled { job_id: claim.job_id.clone(), settled, retry_at });
        Ok(())
    }

    /// Renews the lease until there is a reason to stop the work. A database that fails for a
    /// while is no reason; a lease that has run out meanwhile is.
    async fn hold(&self, claim: &Claim) -> Ended {
        let lease = self.pace.lease;
        let mut looks = interval(LOOK.min(lease / 4));
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut renewed = Instant::now();
        loop {
            looks.tick().await;
            match self.store.cancel_requested(claim).await {
                Ok(Ok(true)) => return Ended::Cancelled,
                Ok(Err(Lost)) => return Ended::Lost,
                Ok(Ok(false)) | Err(_) => {}
            }
            if renewed.elapsed() >= lease / 3 {
                let begun = Instant::now();
                let now = Timestamp::now();
                match self.store.renew(claim, now + lease, now).await {
                    Ok(Ok(())) => renewed = begun,
                    Ok(Err(Lost)) => return Ended::Lost,
                    Err(_) if renewed.elapsed() >= lease => return Ended::Lost,
                    Err(_) => {}
                }
            }
        }
    }
}

async fn work(claim: &Claim) -> Result<Report, Trouble> {
    sleep(Duration::from_millis(claim.duration_ms.unsigned_abs())).await;
    if claim.attempt < claim.fail_until_attempt {
        return Err(Trouble::AsAsked);
    }
    // Not `sum()`: the sum of no rows is 0, not -0.
    let sum = claim.rows.iter().fold(0.0, |sum, row| sum + row);
    if !f64::is_finite(sum) {
        return Err(Trouble::Overflow);
    }
    let count = i64::try_from(claim.rows.len()).unwrap_or(i64::MAX);
    Ok(Report { sum, count })
}

/// How long to wait after attempt number `attempt`: 2 s, 4 s, 8 s, then 10 s.
fn delay(attempt: i64) -> Duration {
    let doublings = u32::try_from(attempt - 1).unwrap_or(u32::MAX).min(8);
    (FIRST_DELAY * 2_u32.pow(doublings)).min(LONGEST_DELAY)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_delay_doubles_from_two_seconds_to_ten() {
        let seconds: Vec<u64> = (1..=6).map(|attempt| delay(attempt).as_secs()).collect();
        assert_eq!(seconds, [2, 4, 8, 10, 10, 10]);
        assert_eq!(delay(i64::MAX).as_secs(), 10);
    }
}
