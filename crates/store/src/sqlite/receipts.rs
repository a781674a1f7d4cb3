//! Receipts: attestations of what is known, and proofs of what was erased.

use super::Sqlite;
use super::db::Db;
use super::tx::Tx;
use crate::StoreError;
use crate::call::{Call, Record};
use crate::rows::receipts::{Attested, COLUMNS, ReceiptRow, SealedReceipt, attestation};
use domain::{Caller, Space};
use evidence::{Receipt, ReceiptKind, Signed};

fn sealed_receipt(row: &rusqlite::Row<'_>) -> rusqlite::Result<SealedReceipt> {
    Ok(SealedReceipt {
        id: row.get(0)?,
        space: row.get(1)?,
        kind: row.get(2)?,
        created: row.get(3)?,
        subject_ix: row.get(4)?,
        body: row.get(5)?,
        signature: row.get(6)?,
    })
}

impl Db<'_> {
    pub fn receipt_rows(&self, tenant: &str, space: i64) -> Result<Vec<SealedReceipt>, StoreError> {
        self.all(
            &format!("SELECT {COLUMNS} FROM receipt WHERE tenant = ?1 AND space = ?2 ORDER BY id"),
            (tenant, space),
            sealed_receipt,
        )
    }

    /// The receipt of that number, if it is exactly what was signed. Where signing is off, if it is readable.
    pub fn receipt_signed(&self, tenant: &str, id: i64) -> Result<Option<Signed<Receipt>>, StoreError> {
        let row = self.one(
            &format!("SELECT {COLUMNS} FROM receipt WHERE tenant = ?1 AND id = ?2"),
            (tenant, id),
            sealed_receipt,
        )?;
        let Some(row) = row else { return Ok(None) };
        Ok(self.secrets.receipt_vouched(tenant, id, self.receipt_open(tenant, &row)?))
    }

    /// Opens a receipt and holds every column against what was signed.
    pub fn receipt_open(&self, tenant: &str, row: &SealedReceipt) -> Result<Signed<Receipt>, StoreError> {
        let signed = self.secrets.receipt_open(tenant, row)?;
        let space = match &signed.statement.space {
            Some(space) => self.space_find(tenant, space)?.map(|found| found.id),
            None => None,
        };
        self.secrets.receipt_agrees(row, signed, space)
    }
}

impl Tx<'_> {
    /// Signs and keeps a receipt for the space; returns its number.
    pub fn receipt_issue(
        &mut self,
        call: &Call,
        space: &Space,
        kind: ReceiptKind,
    ) -> Result<i64, StoreError> {
        let tenant = call.caller.tenant.as_str();
        let row = self.space_open(tenant, space)?;
        let id = self.sequence_take(tenant, "receipt")?;
        let receipt = Receipt {
            id,
            tenant: call.caller.tenant.clone(),
            space: Some(space.clone()),
            ts: call.caller.now,
            kind,
            audit: self.chain.at,
        };
        let sealed = self.secrets.receipt_seal(receipt, row.id)?;
        self.db().run(
            "INSERT INTO receipt (tenant, id, space, kind, created, subject_ix, body, signature)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            (
                tenant,
                id,
                sealed.space,
                sealed.kind,
                sealed.created,
                sealed.subject_ix,
                sealed.body,
                sealed.signature,
            ),
        )?;
        Ok(id)
    }
}

impl Sqlite {
    /// Signs what is active for the subject now, anchored to the end of the audit log.
    pub async fn subject_attest(
        &self,
        call: Call,
        space: Space,
        subject: String,
        describe: impl FnOnce(&Attested) -> Record + Send + 'static,
    ) -> Result<Attested, StoreError> {
        self.write(call, move |tx, call| {
            let tenant = call.caller.tenant.as_str();
            let row = tx.space_open(tenant, &space)?;
            let facts = tx.db().subject_standing(tenant, row.id, &subject)?;
            let attestation = attestation(subject, facts);
            let value = attestation.value.clone();
            let audit_head = tx.chain.at.hash;
            let id = tx.receipt_issue(call, &space, ReceiptKind::Attestation(attestation))?;
            let attested = Attested { id, value, audit_head };
            let record = describe(&attested);
            Ok((attested, record))
        })
        .await
    }

    pub async fn receipt_get(&self, caller: &Caller, id: i64) -> Result<Option<ReceiptRow>, StoreError> {
        let tenant = caller.tenant.clone();
        self.read(move |db| {
            let row = db.one(
                &format!("SELECT {COLUMNS} FROM receipt WHERE tenant = ?1 AND id = ?2"),
                (tenant.as_str(), id),
                sealed_receipt,
            )?;
            let Some(row) = row else { return Ok(None) };
            let signed = db.receipt_open(tenant.as_str(), &row).ok();
            let keys = db.secrets.keyring.as_ref();
            let valid = signed.as_ref().is_some_and(|signed| signed.verify(keys, id, &tenant).is_ok());
            // Who may see a receipt that cannot be read is decided by the row it stands in.
            let user_id = match row.space {
                Some(space) => db.one(
                    "SELECT user_id FROM space WHERE tenant = ?1 AND id = ?2",
                    (tenant.as_str(), space),
                    |row| row.get(0),
                )?,
                None => None,
            };
            let receipt = signed.map(|signed| signed.statement);
            Ok(Some(ReceiptRow { receipt, user_id, kind: row.kind, valid }))
        })
        .await
    }
}
