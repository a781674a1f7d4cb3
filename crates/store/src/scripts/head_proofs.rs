//! What the head of the audit log proves: that an entry is in the log, and that the log continues an earlier one.

use super::{deployment, tree};
use crate::StoreError;
use crate::rows::audit::{COLUMNS, RawEntry};
use crate::rows::deployment::HEAD;
use crate::script::{Db, Query, Reach, StoreResult};
use crate::sql::params;
use crate::store::Store;
use domain::EntryNumber;
use evidence::{EntryProof, Hash, Head, Plan, SignedHead};

/// The head of the log, and the hashes that show what was asked; `None` where the entries that they are made of were
/// purged.
#[derive(Debug, Clone)]
pub struct LogProof {
    pub head: SignedHead,
    pub hashes: Option<Vec<Hash>>,
}

async fn proof<D: Db>(db: &mut D, plan: impl Fn(u64) -> Plan) -> StoreResult<Option<LogProof>> {
    let Some(head) = deployment::signed::<D, Head>(db, HEAD).await? else { return Ok(None) };
    let plan = plan(head.statement.at.size);
    let known = tree::subtrees(db, &plan.nodes()).await?;
    Ok(Some(LogProof { head, hashes: plan.proof(&known) }))
}

/// That the log continues the one of so many entries.
struct Continues(u64);

impl Query for Continues {
    type Output = Option<LogProof>;

    fn reach(&self) -> Reach<'_> {
        Reach::Deployment
    }

    async fn run<D: Db>(&self, db: &mut D) -> StoreResult<Option<LogProof>> {
        proof(db, |size| Plan::consistency(self.0, size)).await
    }
}

/// That the log of `size` entries continues that of `old`, both as far as this log has them. `None` where the entries that
/// it is made of were purged.
pub(super) struct Consistency {
    pub old: u64,
    pub size: u64,
}

impl Query for Consistency {
    type Output = Option<Vec<Hash>>;

    fn reach(&self) -> Reach<'_> {
        Reach::Deployment
    }

    async fn run<D: Db>(&self, db: &mut D) -> StoreResult<Self::Output> {
        let plan = Plan::consistency(self.old, self.size);
        let known = tree::subtrees(db, &plan.nodes()).await?;
        Ok(plan.proof(&known))
    }
}

/// That the entry is in the log.
struct Includes(EntryNumber);

impl Query for Includes {
    type Output = Option<EntryProof>;

    fn reach(&self) -> Reach<'_> {
        Reach::Deployment
    }

    async fn run<D: Db>(&self, db: &mut D) -> StoreResult<Option<EntryProof>> {
        let sql = format!("SELECT {COLUMNS} FROM audit_entry WHERE seq = $1");
        let Some(raw) = db.one::<RawEntry>(&sql, &params![self.0]).await? else { return Ok(None) };
        let stored = db.secrets().entry_open(raw);
        let entry = stored.map_err(|broken| StoreError::corrupt("an audit entry", broken.reason))?.entry;
        let index = entry.seq.saturating_sub(1);
        let proof = proof(db, |size| Plan::inclusion(index, size)).await?;
        let proven = proof.and_then(|proof| Some((proof.hashes?, proof.head)));
        Ok(proven.map(|(hashes, head)| EntryProof { entry, hashes, head }))
    }
}

impl Store {
    /// The head of the log with what shows that it continues the log of so many entries; `None` for a log without
    /// entries.
    pub async fn log_continues(&self, size: u64) -> Result<Option<LogProof>, StoreError> {
        self.read(Continues(size)).await
    }

    /// The entry with what shows that it is in the log; `None` where it is not there.
    pub async fn log_includes(&self, entry: EntryNumber) -> Result<Option<EntryProof>, StoreError> {
        self.read(Includes(entry)).await
    }
}
