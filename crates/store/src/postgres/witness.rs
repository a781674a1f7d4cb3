//! The signed head kept outside the database, on each host that runs the service.

use super::shared::Shared;
use crate::StoreError;
use crate::rows::restorations::Standing;
use crate::script::{Db, Query, Reach, StoreResult};
use crate::scripts::log::{HeadInside, log_passes, standing};
use evidence::{Position, SignedHead};
use std::cell::Cell;

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

impl Shared {
    /// Notes the head of a commit on this host. The commit holds; a head that lags is repaired by the next group, and
    /// a log longer than the head outside is no tampering.
    pub async fn witness(&self, head: &SignedHead) {
        self.known.add(head.statement.at);
        if let Err(error) = self.witness_advance(head).await
            && !matches!(self.settle().await, Ok(true))
        {
            tracing::warn!(%error, "the head of the audit log could not be written on this host");
        }
    }

    async fn witness_advance(&self, head: &SignedHead) -> Result<(), StoreError> {
        let written = |error: std::io::Error| StoreError::corrupt("the head kept on this host", error);
        for _ in 0..TRIES {
            let unknown = Cell::new(None);
            let advanced = self.head_file.advance(head, |at| {
                let known = at == Position::GENESIS || self.known.holds(&at);
                if !known {
                    unknown.set(Some(at));
                }
                known
            });
            let Some(at) = unknown.into_inner() else { return advanced.map_err(written) };
            // A head beyond our own is a newer commit of another process, or of a log that was rolled back. Only a log
            // that has come so far can tell, and until then it is not taken for known.
            if at.size > head.statement.at.size {
                return Ok(());
            }
            if !self.ask(Passes(at)).await? {
                return Err(StoreError::corrupt(
                    "the head kept on this host",
                    "it names another log; run verify_audit",
                ));
            }
            self.known.add(at);
        }
        Ok(())
    }

    /// Begins the head on this host anew where the operator, on whichever host, has signed for what it knows and the
    /// log does not; whether that was so.
    pub async fn settle(&self) -> Result<bool, StoreError> {
        let written = |error: std::io::Error| StoreError::corrupt("the head kept on this host", error);
        let Some(outside) = self.head_file.read().map_err(written)? else { return Ok(false) };
        // The head of a log without entries says nothing.
        let outside = outside.into_iter().filter(|head| head.statement.at.size > 0).collect();
        if !self.ask(Compared(outside)).await?.is_settled(&self.secrets) {
            return Ok(false);
        }
        let head = self.ask(HeadInside).await?;
        head.map_or(Ok(()), |head| self.head_file.reset(&head)).map_err(written)?;
        Ok(true)
    }
}
