//! The signed head kept outside the database, on each host that runs the service.

use super::shared::Shared;
use crate::StoreError;
use crate::head_file::{HeadFile, is_locked};
use crate::rows::restorations::Standing;
use crate::script::{Db, Query, Reach, StoreResult};
use crate::scripts::log::{HeadInside, log_passes, standing};
use evidence::{Position, SignedHead};
use std::cell::Cell;
use std::io;
use std::sync::Arc;

const KEPT: &str = "the head kept on this host";

/// Other processes write the file too; after this many tries the next group is as good a time.
const TRIES: usize = 4;

/// Whether the log passes through the position.
struct Passes(Position);

impl Query for Passes {
    type Output = bool;

    fn reach(&self) -> Reach<'_> {
        Reach::Deployment
    }

    async fn run<D: Db>(&self, db: &mut D) -> StoreResult<bool> {
        log_passes(db, self.0).await
    }
}

/// How the log compares with the heads kept on this host.
struct Compared(Vec<SignedHead>);

impl Query for Compared {
    type Output = Standing;

    fn reach(&self) -> Reach<'_> {
        Reach::Deployment
    }

    async fn run<D: Db>(&self, db: &mut D) -> StoreResult<Standing> {
        standing(db, self.0.clone()).await
    }
}

/// How an attempt to move the head on this host forward went.
enum Advance {
    Done,
    Locked,
    /// The head that the file holds must be looked for in the log first.
    Asks(Position),
}

impl Shared {
    /// Notes the head of a commit on this host. The commit holds; a head that lags is repaired by the next group, and
    /// a log longer than the head outside is no tampering.
    pub async fn witness(self: &Arc<Self>, head: &SignedHead) {
        self.known.add(head.statement.at);
        let mut written = self.witness_advance(head).await;
        if written.is_err() && matches!(self.settle().await, Ok(true)) {
            written = Ok(true);
        }
        let written = written.and_then(|is_free| {
            let locked = || StoreError::corrupt(KEPT, "another program has it locked");
            is_free.then_some(()).ok_or_else(locked)
        });
        self.head_lag.note(&written, &self.head_file);
    }

    /// Whether the file could be locked.
    async fn witness_advance(self: &Arc<Self>, head: &SignedHead) -> Result<bool, StoreError> {
        for _ in 0..TRIES {
            let (shared, own) = (self.clone(), head.clone());
            let at = match self.head_file.apart(move |_| shared.try_advance(&own)).await? {
                Advance::Done => return Ok(true),
                Advance::Locked => return Ok(false),
                Advance::Asks(at) => at,
            };
            // A head beyond our own is a newer commit of another process, or of a log that was rolled back. Only a log
            // that has come so far can tell, and until then it is not taken for known.
            if at.size > head.statement.at.size {
                return Ok(true);
            }
            if !self.ask(Passes(at)).await? {
                return Err(StoreError::corrupt(KEPT, "it names another log; run verify_audit"));
            }
            self.known.add(at);
        }
        Ok(true)
    }

    fn try_advance(&self, head: &SignedHead) -> io::Result<Advance> {
        let unknown = Cell::new(None);
        let advanced = self.head_file.advance(head, self.head_lag.wait(), |at| {
            let known = at == Position::GENESIS || self.known.holds(&at);
            if !known {
                unknown.set(Some(at));
            }
            known
        });
        match (unknown.into_inner(), advanced) {
            (Some(at), _) => Ok(Advance::Asks(at)),
            (None, Ok(())) => Ok(Advance::Done),
            (None, Err(error)) if is_locked(&error) => Ok(Advance::Locked),
            (None, Err(error)) => Err(error),
        }
    }

    /// Begins the head on this host anew where the operator, on whichever host, has signed for what it knows and the
    /// log does not; whether that was so.
    pub async fn settle(&self) -> Result<bool, StoreError> {
        let Some(outside) = self.head_file.apart(HeadFile::read).await?.kept.heads() else {
            return Ok(false);
        };
        // The head of a log without entries says nothing.
        let outside = outside.into_iter().filter(|head| head.statement.at.size > 0).collect();
        if !self.ask(Compared(outside)).await?.is_settled(&self.secrets) {
            return Ok(false);
        }
        if let Some(head) = self.ask(HeadInside).await? {
            self.head_file.apart(move |file| file.reset(&head)).await?;
        }
        Ok(true)
    }
}
