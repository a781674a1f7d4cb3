//! Everything of one space, with the signatures over it.

use super::Postgres;
use super::walls::Reach;
use crate::StoreError;
use crate::rows::deployment::HEAD;
use crate::rows::export::Export;
use domain::{Caller, Space};
use evidence::Head;

impl Postgres {
    pub async fn space_export(&self, caller: &Caller, space: &Space) -> Result<Export, StoreError> {
        let tenant = caller.tenant.as_str();
        let snapshot = self.shared.snapshot(Reach::Tenant(tenant)).await?;
        let db = snapshot.db()?;
        let mut export = Export { head: db.signed_row::<Head>(HEAD).await?, ..Export::default() };
        for entry in db.entries_of_space(tenant, space).await? {
            match entry {
                Ok(entry) => export.audit.push(entry),
                Err(_) => export.unreadable += 1,
            }
        }
        let Some(row) = db.space_find(tenant, space).await? else { return Ok(export) };
        export.records = db.facts_of_space(tenant, row.id).await?;
        for decision in db.decision_rows(tenant, row.id).await? {
            match db.decision_open(tenant, &decision).await {
                Ok(open) => export.decisions.push((open.signed, open.disclosed)),
                Err(error) if error.is_of_content() => export.unreadable += 1,
                Err(error) => return Err(error),
            }
        }
        for receipt in db.receipt_rows(tenant, row.id).await? {
            match db.receipt_open(tenant, &receipt).await {
                Ok(signed) => export.receipts.push(signed),
                Err(error) if error.is_of_content() => export.unreadable += 1,
                Err(error) => return Err(error),
            }
        }
        Ok(export)
    }
}
