//! A call that waits to be committed.

use super::tx::PostgresTx;
use crate::StoreError;
use crate::script::{Ground, Script, StoreResult, Touches};
use domain::{Account, FairQueue};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use std::panic::AssertUnwindSafe;
use std::time::Instant;
use tokio::sync::oneshot;

pub(super) trait Job: Send {
    fn account(&self) -> Account {
        self.ground().account()
    }
    fn ground(&self) -> Ground<'_>;
    fn touches(&self) -> Touches;
    fn until(&self) -> Instant;
    /// What became of it; `None` where it is to be kept.
    fn run<'a>(&'a mut self, tx: &'a mut PostgresTx<'_>) -> BoxFuture<'a, Option<StoreError>>;
    fn settle(self: Box<Self>, outcome: StoreResult<()>);
}

pub(super) type Group = Vec<Box<dyn Job>>;

/// Takes the next call. Each counts the same: what a call costs here is mostly the way to the server and back.
pub(super) fn taken(waiting: &mut FairQueue<Box<dyn Job>>) -> Option<Box<dyn Job>> {
    let (account, job) = waiting.serve()?;
    waiting.done(&account, 0);
    Some(job)
}

pub(super) struct Typed<S: Script> {
    pub script: S,
    /// How long it is tried.
    pub until: Instant,
    pub value: Option<S::Output>,
    pub reply: oneshot::Sender<StoreResult<S::Output>>,
}

impl<S: Script> Job for Typed<S> {
    fn ground(&self) -> Ground<'_> {
        self.script.ground()
    }

    fn touches(&self) -> Touches {
        self.script.touches()
    }

    fn until(&self) -> Instant {
        self.until
    }

    fn run<'a>(&'a mut self, tx: &'a mut PostgresTx<'_>) -> BoxFuture<'a, Option<StoreError>> {
        Box::pin(async {
            let ran = AssertUnwindSafe(self.script.run(tx)).catch_unwind().await;
            match ran.unwrap_or(Err(StoreError::Panicked)) {
                Ok(value) => {
                    self.value = Some(value);
                    None
                }
                Err(error) => Some(error),
            }
        })
    }

    fn settle(self: Box<Self>, outcome: StoreResult<()>) {
        let Self { value, reply, .. } = *self;
        // A caller that has gone no longer listens; what it asked for has happened all the same.
        let _ = reply.send(outcome.and_then(|()| value.ok_or(StoreError::Closed)));
    }
}
