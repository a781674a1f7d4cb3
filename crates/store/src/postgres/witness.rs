//! The signed head kept outside the database, on each host that runs the service.

use super::Shared;
use super::walls::Reach;
use crate::StoreError;
use evidence::{Position, SignedHead};
use parking_lot::Mutex;
use std::cell::Cell;
use std::collections::VecDeque;

/// Heads to remember: as many as there may be processes on the host, and some.
const REMEMBERED: usize = 32;
/// Other processes write the file too; after this many tries the next group is as good a time.
const TRIES: usize = 4;

/// Positions that the log was seen to pass through, newest last.
#[derive(Debug, Default)]
pub(crate) struct Known(Mutex<VecDeque<Position>>);

impl Known {
    fn holds(&self, at: &Position) -> bool {
        self.0.lock().contains(at)
    }

    pub fn add(&self, at: Position) {
        let mut known = self.0.lock();
        if known.contains(&at) {
            return;
        }
        known.push_back(at);
        if known.len() > REMEMBERED {
            known.pop_front();
        }
    }
}

impl Shared {
    /// Notes the head of a commit on this host. The commit stands; a head that lags is repaired by the next group, and
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
            if !self.snapshot(Reach::Deployment).await?.db()?.log_passes(at).await? {
                return Err(StoreError::corrupt(
                    "the head kept on this host",
                    "it names another log; run verify_audit",
                ));
            }
            self.known.add(at);
        }
        Ok(())
    }
}
