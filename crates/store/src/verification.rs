//! Checking the whole audit log, asked for by many and done once at a time. Whoever asks while a check is running waits
//! for the next one, because the running one may have passed what the caller wants to know about; all who wait for the
//! next one share its verdict, and see how far it has come. A check that nobody waits for any more is stopped.

use crate::StoreError;
use crate::rows::audit::AuditReport;
use crate::script::StoreResult;
use domain::Share;
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
pub(crate) struct Round {
    verdict: watch::Sender<Option<StoreResult<AuditReport>>>,
    walked: Arc<Share>,
}

impl Round {
    fn is_wanted(&self) -> bool {
        !self.verdict.is_closed()
    }
}

/// Those for whom a log is walked. Nobody in particular where the check is a part of something else, which goes on
/// whatever happens.
#[derive(Debug, Clone, Default)]
pub(crate) struct Audience(Option<Arc<Round>>);

impl Audience {
    pub const fn of(round: Arc<Round>) -> Self {
        Self(Some(round))
    }

    /// It is asked now and then, and the check ends with a no.
    pub fn is_waiting(&self) -> bool {
        self.0.as_ref().is_none_or(|round| round.is_wanted())
    }

    pub fn begin(&self, entries: u64) {
        if let Some(round) = &self.0 {
            round.walked.begin(entries);
        }
    }

    pub fn reach(&self, entries: u64) {
        if let Some(round) = &self.0 {
            round.walked.reach(entries);
        }
    }
}

/// The place of one who waits for a check.
pub(crate) struct Awaited {
    verdict: watch::Receiver<Option<StoreResult<AuditReport>>>,
    /// How many entries the check has walked, of how many.
    pub walked: Arc<Share>,
}

impl Awaited {
    fn of(round: &Round) -> Self {
        Self { verdict: round.verdict.subscribe(), walked: round.walked.clone() }
    }

    pub async fn verdict(mut self, deadline: Instant) -> StoreResult<AuditReport> {
        let verdict = timeout_at(deadline.into(), self.verdict.wait_for(Option::is_some)).await;
        let verdict = verdict.map_err(|_| StoreError::TooLate)?.map_err(|_| StoreError::Panicked)?;
        verdict.clone().unwrap_or(Err(StoreError::Panicked))
    }
}

impl Verification {
    /// Joins the next check. Where there is none yet it is made, and has to be carried out.
    pub fn join(&self) -> (Awaited, Option<Arc<Round>>) {
        let mut next = self.next.lock();
        if let Some(round) = next.as_ref() {
            return (Awaited::of(round), None);
        }
        let verdict = watch::Sender::new(None);
        let round = Arc::new(Round { verdict, walked: Arc::new(Share::of("entries")) });
        *next = Some(round.clone());
        (Awaited::of(&round), Some(round))
    }

    /// Carries the check out when the one before it has ended. From the moment it begins nobody can join it.
    pub async fn carry_out(&self, round: &Round, check: impl AsyncFnOnce() -> StoreResult<AuditReport>) {
        let _turn = self.turn.lock().await;
        *self.next.lock() = None;
        if round.is_wanted() {
            let verdict = check().await;
            // Those who no longer wait have asked for nothing.
            let _ = round.verdict.send(Some(verdict));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Audience, Verification};
    use crate::rows::audit::AuditReport;
    use std::cell::Cell;
    use std::sync::Arc;
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
            assert!(Arc::ptr_eq(&second.walked, &third.walked) && second.walked.read().is_none());
            go_on.notify_one();
            let next = next.unwrap();
            let (walked, audience) = (third.walked.clone(), Audience::of(next.clone()));
            let check = verification.carry_out(&next, async || {
                checks.set(checks.get() + 1);
                audience.begin(2);
                audience.reach(1);
                assert_eq!(walked.read(), Some((1, 2)));
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
