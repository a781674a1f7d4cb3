//! Checking the whole audit log, asked for by many and done once at a time. Whoever asks while a check is running waits
//! for the next one, because the running one may have passed what the caller wants to know about; all who wait for the
//! next one share its verdict. A check that nobody waits for any more is stopped.

use crate::StoreError;
use crate::rows::audit::AuditReport;
use crate::script::StoreResult;
use parking_lot::Mutex;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::watch;
use tokio::time::timeout_at;

#[derive(Default)]
pub(crate) struct Verification {
    /// The check that has not begun yet.
    next: Mutex<Option<Arc<Round>>>,
    turn: tokio::sync::Mutex<()>,
}

/// One check, and those who wait for its verdict.
#[derive(Debug)]
pub(crate) struct Round(watch::Sender<Option<StoreResult<AuditReport>>>);

impl Round {
    pub fn is_wanted(&self) -> bool {
        !self.0.is_closed()
    }
}

/// The place of one who waits for a check.
pub(crate) struct Awaited(watch::Receiver<Option<StoreResult<AuditReport>>>);

impl Awaited {
    pub async fn verdict(mut self, deadline: Instant) -> StoreResult<AuditReport> {
        let verdict = timeout_at(deadline.into(), self.0.wait_for(Option::is_some)).await;
        let verdict = verdict.map_err(|_| StoreError::TooLate)?.map_err(|_| StoreError::Panicked)?;
        verdict.clone().unwrap_or(Err(StoreError::Panicked))
    }
}

impl Verification {
    /// Joins the next check. Where there is none yet it is made, and has to be carried out.
    pub fn join(&self) -> (Awaited, Option<Arc<Round>>) {
        let mut next = self.next.lock();
        if let Some(round) = next.as_ref() {
            return (Awaited(round.0.subscribe()), None);
        }
        let (verdict, awaited) = watch::channel(None);
        let round = Arc::new(Round(verdict));
        *next = Some(round.clone());
        (Awaited(awaited), Some(round))
    }

    /// Carries the check out when the one before it has ended. From the moment it begins nobody can join it.
    pub async fn carry_out(&self, round: &Round, check: impl AsyncFnOnce() -> StoreResult<AuditReport>) {
        let _turn = self.turn.lock().await;
        *self.next.lock() = None;
        if round.is_wanted() {
            let verdict = check().await;
            // Those who no longer wait have asked for nothing.
            let _ = round.0.send(Some(verdict));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Verification;
    use crate::rows::audit::AuditReport;
    use std::cell::Cell;
    use std::time::{Duration, Instant};
    use tokio::sync::Notify;

    const INTACT: AuditReport =
        AuditReport::Intact { entries: 1, restorations: Vec::new(), vouched: None, witnessed: Vec::new() };

    fn later() -> Instant {
        Instant::now() + Duration::from_secs(60)
    }

    #[tokio::test]
    async fn all_who_wait_share_the_next_check_and_none_the_running_one() {
        let verification = Verification::default();
        let (began, go_on, checks) = (Notify::new(), Notify::new(), Cell::new(0));
        let (first, round) = verification.join();
        let running = verification.carry_out(round.as_deref().unwrap(), async || {
            checks.set(checks.get() + 1);
            began.notify_one();
            go_on.notified().await;
            Ok(INTACT)
        });
        let others = async {
            began.notified().await;
            let (second, next) = verification.join();
            let (third, none) = verification.join();
            assert!(none.is_none());
            go_on.notify_one();
            let next = next.unwrap();
            let check = verification.carry_out(&next, async || {
                checks.set(checks.get() + 1);
                Ok(INTACT)
            });
            let (_, second, third) = tokio::join!(check, second.verdict(later()), third.verdict(later()));
            second.unwrap();
            third.unwrap();
        };
        let (_, verdict, ()) = tokio::join!(running, first.verdict(later()), others);
        verdict.unwrap();
        assert_eq!(checks.get(), 2);
    }

    #[tokio::test]
    async fn a_check_that_nobody_waits_for_is_not_begun() {
        let verification = Verification::default();
        let (awaited, round) = verification.join();
        drop(awaited);
        verification.carry_out(&round.unwrap(), async || panic!("it was begun")).await;
        assert!(verification.join().1.is_some());
    }
}
