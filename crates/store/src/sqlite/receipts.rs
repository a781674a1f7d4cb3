//! Receipts: attestations of what is known, and proofs of what was erased.

use super::Store;
use super::db::Db;
use super::tx::Tx;
use crate::StoreError;
use crate::call::{Call, Record};
use crate::secrets::Place;
use domain::keys::subject_key;
use domain::{Caller, Space, Status, Tenant};
use evidence::{Attestation, Canonical, Hash, Kind, Receipt, Signature, Signed};

/// Several active values in one attestation.
const BETWEEN_VALUES: &str = " · ";
const NOTHING_KNOWN: &str = "(nothing known)";

#[derive(Debug, Clone)]
pub struct Attested {
    pub id: i64,
    pub value: String,
    pub audit_head: Hash,
}

/// A receipt as it was found.
#[derive(Debug, Clone)]
pub struct ReceiptRow {
    /// `None` when it cannot even be read.
    pub receipt: Option<Receipt>,
    /// Whose it is; `None` for a receipt from before they had an owner.
    pub user_id: Option<String>,
    pub kind: String,
    pub valid: bool,
}

fn place(tenant: &str, id: i64) -> Place<'_> {
    Place::new("a receipt", tenant, id)
}

/// The columns of one receipt.
pub(crate) struct SealedReceipt {
    pub id: i64,
    space: Option<i64>,
    kind: String,
    created: i64,
    subject_ix: Option<Vec<u8>>,
    body: Vec<u8>,
    signature: Option<Vec<u8>>,
}

const COLUMNS: &str = "id, space, kind, created, subject_ix, body, signature";

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
        let signed = self.receipt_open(tenant, &row)?;
        let holds = match &self.secrets.keyring {
            Some(keys) => signed.verify(Some(keys), id, &Tenant::new(tenant)).is_ok(),
            None => true,
        };
        Ok(holds.then_some(signed))
    }

    /// Opens a receipt and holds every column against what was signed.
    pub fn receipt_open(&self, tenant: &str, row: &SealedReceipt) -> Result<Signed<Receipt>, StoreError> {
        let malformed = |e: &dyn std::fmt::Display| StoreError::corrupt("a receipt", e.to_string());
        let body = self.secrets.open(place(tenant, row.id), &row.body)?;
        let statement = Receipt::decode(&body).map_err(|e| malformed(&e))?;
        let signature =
            row.signature.as_deref().map(Signature::decode).transpose().map_err(|e| malformed(&e))?;
        let space = match &statement.space {
            Some(space) => self.space_find(tenant, space)?.map(|found| found.id),
            None => None,
        };
        let subject_ix = subject_of(&statement).zip(space).map(|(subject, space)| {
            self.secrets.index("subject", tenant, space, &subject_key(subject)).to_vec()
        });
        let agrees = row.kind == statement.kind_word()
            && row.created == statement.ts.as_microsecond()
            && row.space == space
            && row.subject_ix == subject_ix;
        if agrees { Ok(Signed { statement, signature }) } else { Err(malformed(&"a column was changed")) }
    }
}

/// Only attestations are found by their subject: the proof of an erasure outlives later erasures.
fn subject_of(receipt: &Receipt) -> Option<&str> {
    match &receipt.kind {
        Kind::Attestation(attestation) => Some(&attestation.subject),
        Kind::Erasure(_) => None,
    }
}

impl Tx<'_> {
    /// Signs and keeps a receipt for the space; returns its number.
    pub fn receipt_issue(&mut self, call: &Call, space: &Space, kind: Kind) -> Result<i64, StoreError> {
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
        let subject_ix = subject_of(&receipt)
            .map(|subject| self.secrets.index("subject", tenant, row.id, &subject_key(subject)));
        let signed = Signed::new(receipt, self.secrets.signer.as_ref());
        let body = self.secrets.seal(place(tenant, id), &signed.body())?;
        self.db().run(
            "INSERT INTO receipt (tenant, id, space, kind, created, subject_ix, body, signature)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            (
                tenant,
                id,
                row.id,
                signed.statement.kind_word(),
                call.caller.now.as_microsecond(),
                subject_ix,
                body,
                signed.signature.map(|s| s.encode().to_vec()),
            ),
        )?;
        Ok(id)
    }
}

impl Store {
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
            let mut facts = tx.db().facts_standing(tenant, row.id, &subject_key(&subject))?;
            facts.retain(|fact| fact.status == Status::Active);
            let values: Vec<&str> = facts.iter().map(|fact| fact.value.as_str()).collect();
            let value =
                if values.is_empty() { NOTHING_KNOWN.to_owned() } else { values.join(BETWEEN_VALUES) };
            let attestation = Attestation {
                subject,
                value: value.clone(),
                memory_ids: facts.iter().map(|fact| fact.id).collect(),
            };
            let audit_head = tx.chain.at.hash;
            let id = tx.receipt_issue(call, &space, Kind::Attestation(attestation))?;
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
