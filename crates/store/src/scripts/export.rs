//! Everything of one space, with the signatures over it.

use super::proofs::Inclusion;
use super::signing_view::learn;
use super::{audit, decisions, deployment, facts, receipts, spaces};
use crate::StoreError;
use crate::rows::deployment::HEAD;
use crate::rows::export::{Export, ProvenEntry};
use crate::script::{Db, Query, Reach, StoreResult};
use crate::store::Store;
use domain::{Account, Caller, Space, SpaceKey};

struct SpaceExport {
    account: Account,
    space: Space,
}

impl Query for SpaceExport {
    type Output = Export;

    fn reach(&self) -> Reach<'_> {
        Reach::Tenant(&self.account.tenant)
    }

    fn account(&self) -> Account {
        self.account.clone()
    }

    fn is_large(&self) -> bool {
        true
    }

    async fn run<D: Db>(&self, db: &mut D) -> StoreResult<Export> {
        let tenant = &self.account.tenant;
        learn(db).await?;
        let mut export = Export { head: deployment::signed(db, HEAD).await?, ..Export::default() };
        for entry in audit::of_space(db, tenant, &self.space).await? {
            match entry {
                Ok(stored) => export.audit.push(ProvenEntry { stored, proof: None }),
                Err(_) => export.unreadable += 1,
            }
        }
        let Some(row) = spaces::find(db, tenant, &self.space).await? else { return Ok(export) };
        let space = SpaceKey { tenant, id: row.id };
        let (records, missing) = facts::of_space(db, space).await?;
        export.records = records;
        export.unreadable += missing;
        for decision in decisions::of_space(db, space).await? {
            match decisions::open(db, tenant, &decision).await {
                Ok(open) => export.decisions.push((open.signed, open.disclosed)),
                Err(error) if error.is_of_content() => export.unreadable += 1,
                Err(error) => return Err(error),
            }
        }
        for receipt in receipts::of_space(db, space).await? {
            match receipts::open(db, tenant, &receipt).await {
                Ok(signed) => export.receipts.push(signed),
                Err(error) if error.is_of_content() => export.unreadable += 1,
                Err(error) => return Err(error),
            }
        }
        Ok(export)
    }
}

impl Store {
    pub async fn space_export(&self, caller: &Caller, space: &Space) -> Result<Export, StoreError> {
        // Compares every fact that it would hold.
        self.space_changes(caller, space, None).await?;
        let mut export = self.read(SpaceExport { account: caller.account(), space: space.clone() }).await?;
        let records = std::mem::take(&mut export.records);
        export.records = records.into_iter().map(|fact| fact.counted_at(caller.now)).collect();
        if let Some(head) = &export.head {
            let entries = export.audit.iter().map(|entry| entry.stored.entry.seq).collect();
            let size = head.statement.at.size;
            let proofs = self.read(Inclusion { account: caller.account(), entries, size }).await?;
            for (entry, proof) in export.audit.iter_mut().zip(proofs) {
                entry.proof = proof.filter(|_| entry.stored.entry.changes.is_some());
            }
        }
        Ok(export)
    }
}
