//! Receipts: attestations of what is known, and proofs of what was erased.

use super::Postgres;
use super::db::{Db, only};
use super::lane::{Ground, Work};
use super::numbers::Series;
use super::tx::Tx;
use super::walls::Reach;
use crate::StoreError;
use crate::call::{Call, Record};
use crate::rows::receipts::{Attested, COLUMNS, ReceiptRow, SealedReceipt, attestation};
use domain::keys::subject_keys;
use domain::{Caller, Space};
use evidence::{Position, Receipt, ReceiptKind, Signed};
use tokio_postgres::Row;

fn sealed_receipt(row: &Row) -> Result<SealedReceipt, tokio_postgres::Error> {
    Ok(SealedReceipt {
        id: row.try_get(0)?,
        space: row.try_get(1)?,
        kind: row.try_get(2)?,
        created: row.try_get(3)?,
        subject_ix: row.try_get(4)?,
        body: row.try_get(5)?,
        signature: row.try_get(6)?,
    })
}

impl Db<'_> {
    pub async fn receipt_rows(&self, tenant: &str, space: i64) -> Result<Vec<SealedReceipt>, StoreError> {
        self.all(
            &format!("SELECT {COLUMNS} FROM receipt WHERE tenant = $1 AND space = $2 ORDER BY id"),
            &[&tenant, &space],
            sealed_receipt,
        )
        .await
    }

    async fn receipt_row(&self, tenant: &str, id: i64) -> Result<Option<SealedReceipt>, StoreError> {
        self.one(
            &format!("SELECT {COLUMNS} FROM receipt WHERE tenant = $1 AND id = $2"),
            &[&tenant, &id],
            sealed_receipt,
        )
        .await
    }

    /// The receipt of that number, if it is exactly what was signed. Where signing is off, if it is readable.
    pub async fn receipt_signed(&self, tenant: &str, id: i64) -> Result<Option<Signed<Receipt>>, StoreError> {
        let Some(row) = self.receipt_row(tenant, id).await? else { return Ok(None) };
        Ok(self.secrets.receipt_vouched(tenant, id, self.receipt_open(tenant, &row).await?))
    }

    /// Opens a receipt and holds every column against what was signed.
    pub async fn receipt_open(
        &self,
        tenant: &str,
        row: &SealedReceipt,
    ) -> Result<Signed<Receipt>, StoreError> {
        let signed = self.secrets.receipt_open(tenant, row)?;
        let space = match &signed.statement.space {
            Some(space) => self.space_find(tenant, space).await?.map(|found| found.id),
            None => None,
        };
        self.secrets.receipt_agrees(row, signed, space)
    }
}

impl Tx {
    /// Signs and keeps a receipt for the space; returns its number. It is anchored to the log as it is committed now:
    /// the entries of this group get their places only when the log is locked.
    pub async fn receipt_issue(
        &self,
        call: &Call,
        space: &Space,
        kind: ReceiptKind,
        audit: Position,
    ) -> Result<i64, StoreError> {
        let tenant = call.caller.tenant.as_str();
        let row = self.space_open(tenant, space).await?;
        let id = self.take(tenant, Series::Receipt, 1).await?;
        let receipt = Receipt {
            id,
            tenant: call.caller.tenant.clone(),
            space: Some(space.clone()),
            ts: call.caller.now,
            kind,
            audit,
        };
        let sealed = self.secrets().receipt_seal(receipt, row.id)?;
        self.db()
            .run(
                "INSERT INTO receipt (tenant, id, space, kind, created, subject_ix, body, signature)
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
                &[
                    &tenant,
                    &id,
                    &sealed.space,
                    &sealed.kind,
                    &sealed.created,
                    &sealed.subject_ix,
                    &sealed.body,
                    &sealed.signature,
                ],
            )
            .await?;
        Ok(id)
    }
}

struct SubjectAttest<D> {
    call: Call,
    space: Space,
    subject: String,
    describe: D,
}

impl<D: Fn(&Attested) -> Record + Send + Sync + 'static> Work for SubjectAttest<D> {
    type Output = Attested;

    fn ground(&self) -> Ground<'_> {
        Ground::new(self.call.caller.tenant.as_str(), Some(&self.space))
    }

    async fn run(&self, tx: &mut Tx) -> Result<Attested, StoreError> {
        let tenant = self.call.caller.tenant.as_str();
        let row = tx.space_open(tenant, &self.space).await?;
        let facts = tx.db().facts_standing(tenant, row.id, &subject_keys(&self.subject)).await?;
        let attestation = attestation(self.subject.clone(), facts);
        let value = attestation.value.clone();
        let audit = tx.db().log_end().await?;
        let kind = ReceiptKind::Attestation(attestation);
        let id = tx.receipt_issue(&self.call, &self.space, kind, audit).await?;
        let attested = Attested { id, value, audit_head: audit.hash };
        tx.record(&self.call, &(self.describe)(&attested));
        Ok(attested)
    }
}

impl Postgres {
    pub async fn subject_attest(
        &self,
        call: Call,
        space: Space,
        subject: String,
        describe: impl Fn(&Attested) -> Record + Send + Sync + 'static,
    ) -> Result<Attested, StoreError> {
        self.lane.run(SubjectAttest { call, space, subject, describe }).await
    }

    pub async fn receipt_get(&self, caller: &Caller, id: i64) -> Result<Option<ReceiptRow>, StoreError> {
        let tenant = caller.tenant.as_str();
        let snapshot = self.shared.snapshot(Reach::Tenant(tenant)).await?;
        let db = snapshot.db()?;
        let Some(row) = db.receipt_row(tenant, id).await? else { return Ok(None) };
        let signed = match db.receipt_open(tenant, &row).await {
            Ok(signed) => Some(signed),
            Err(error) if error.is_of_content() => None,
            Err(error) => return Err(error),
        };
        let keys = db.secrets.keyring.as_ref();
        let valid = signed.as_ref().is_some_and(|signed| signed.verify(keys, id, &caller.tenant).is_ok());
        // Who may see a receipt that cannot be read is decided by the row it stands in.
        let user_id = match row.space {
            Some(space) => {
                let sql = "SELECT user_id FROM space WHERE tenant = $1 AND id = $2";
                db.one(sql, &[&tenant, &space], only).await?
            }
            None => None,
        };
        let receipt = signed.map(|signed| signed.statement);
        Ok(Some(ReceiptRow { receipt, user_id, kind: row.kind, valid }))
    }
}
