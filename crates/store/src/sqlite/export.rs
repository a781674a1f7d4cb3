//! Everything of one space, with the signatures over it.

use super::Sqlite;
use crate::StoreError;
use crate::rows::deployment::HEAD;
use crate::rows::export::Export;
use domain::{Caller, Space};
use evidence::Head;

impl Sqlite {
    pub async fn space_export(&self, caller: &Caller, space: &Space) -> Result<Export, StoreError> {
        let (tenant, space) = (caller.tenant.clone(), space.clone());
        self.read(move |db| {
            let tenant = tenant.as_str();
            let mut export = Export { head: db.signed_row::<Head>(HEAD)?, ..Export::default() };
            for entry in db.entries_of_space(tenant, &space)? {
                match entry {
                    Ok(entry) => export.audit.push(entry),
                    Err(_) => export.unreadable += 1,
                }
            }
            let Some(row) = db.space_find(tenant, &space)? else { return Ok(export) };
            export.records = db.facts_of_space(tenant, row.id)?;
            for decision in db.decision_rows(tenant, row.id)? {
                match db.decision_open(tenant, &decision) {
                    Ok(open) => export.decisions.push((open.signed, open.disclosed)),
                    Err(_) => export.unreadable += 1,
                }
            }
            for receipt in db.receipt_rows(tenant, row.id)? {
                match db.receipt_open(tenant, &receipt) {
                    Ok(signed) => export.receipts.push(signed),
                    Err(_) => export.unreadable += 1,
                }
            }
            Ok(export)
        })
        .await
    }
}
