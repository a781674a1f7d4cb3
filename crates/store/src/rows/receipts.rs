//! The columns of a receipt, and what they must agree in with what was signed.

use crate::StoreError;
use crate::seal::UserKeyId;
use crate::secrets::{Binding, Secrets};
use crate::sql::{Cells, FromRow};
use domain::keys::subject_key;
use domain::{Fact, ReceiptId, SpaceId, SpaceKey, Status, Tenant};
use evidence::{Attestation, Canonical, Hash, Receipt, ReceiptKind, Signature, Signed};

/// Several active values in one attestation.
const BETWEEN_VALUES: &str = " · ";
const NOTHING_KNOWN: &str = "(nothing known)";

#[derive(Debug, Clone)]
pub struct Attested {
    pub id: ReceiptId,
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

pub(crate) const COLUMNS: &str = "id, space, kind, created, subject_ix, body, signature";

pub(crate) struct SealedReceipt {
    pub id: ReceiptId,
    pub space: Option<SpaceId>,
    pub kind: String,
    pub created: i64,
    pub subject_ix: Option<Vec<u8>>,
    pub body: Vec<u8>,
    pub signature: Option<Vec<u8>>,
}

impl FromRow for SealedReceipt {
    fn from_row(row: &impl Cells) -> Result<Self, StoreError> {
        Ok(Self {
            id: ReceiptId(row.cell(0)?),
            space: row.cell::<Option<i64>>(1)?.map(SpaceId),
            kind: row.cell(2)?,
            created: row.cell(3)?,
            subject_ix: row.cell(4)?,
            body: row.cell(5)?,
            signature: row.cell(6)?,
        })
    }
}

pub(crate) fn binding(tenant: &Tenant, id: ReceiptId) -> Binding<'_> {
    Binding::new("a receipt", tenant.as_str(), id.0)
}

fn malformed(why: impl std::fmt::Display) -> StoreError {
    StoreError::corrupt("a receipt", why)
}

/// Only attestations are found by their subject: the proof of an erasure outlives later erasures.
fn subject_of(receipt: &Receipt) -> Option<&str> {
    match &receipt.kind {
        ReceiptKind::Attestation(attestation) => Some(&attestation.subject),
        ReceiptKind::Erasure(_) => None,
    }
}

/// What is current for the subject, as it is attested.
pub(crate) fn attestation(subject: String, mut facts: Vec<Fact>) -> Attestation {
    facts.retain(|fact| fact.status == Status::Active);
    let values: Vec<&str> = facts.iter().map(|fact| fact.value.as_str()).collect();
    let value = if values.is_empty() { NOTHING_KNOWN.to_owned() } else { values.join(BETWEEN_VALUES) };
    Attestation { subject, value, memory_ids: facts.iter().map(|fact| fact.id).collect() }
}

impl Secrets {
    /// Signs a receipt for the space of that number; the row that is to be kept. An attestation says what was known of the
    /// user, and is sealed under the user's key; the proof of an erasure must outlive that key.
    pub fn receipt_seal(
        &self,
        receipt: Receipt,
        space: SpaceId,
        key: Option<UserKeyId>,
    ) -> Result<SealedReceipt, StoreError> {
        let key = key.filter(|_| subject_of(&receipt).is_some());
        let tenant = receipt.tenant.clone();
        let subject_ix = self.receipt_index(&receipt, Some(space));
        let signed = self.sign(receipt);
        Ok(SealedReceipt {
            id: signed.statement.id,
            space: Some(space),
            kind: signed.statement.kind_word().to_owned(),
            created: signed.statement.ts.as_microsecond(),
            subject_ix,
            body: self.seal_for(key, binding(&tenant, signed.statement.id), &signed.body())?,
            signature: signed.signature.map(|s| s.encode().to_vec()),
        })
    }

    /// The attestation under another key of its user; `None` where it does not open, and is left as it is.
    pub fn receipt_reseal(
        &self,
        key: Option<UserKeyId>,
        tenant: &Tenant,
        id: ReceiptId,
        sealed: &[u8],
    ) -> Result<Option<Vec<u8>>, StoreError> {
        let plain = self.open(binding(tenant, id), sealed).ok();
        plain.map(|plain| self.seal_for(key, binding(tenant, id), &plain)).transpose()
    }

    fn receipt_index(&self, receipt: &Receipt, space: Option<SpaceId>) -> Option<Vec<u8>> {
        subject_of(receipt).zip(space).map(|(subject, id)| {
            let space = SpaceKey { tenant: &receipt.tenant, id };
            self.index("subject", space, &subject_key(subject)).to_vec()
        })
    }

    /// The receipt in the row; its columns have still to be held against it.
    pub fn receipt_open(&self, tenant: &Tenant, row: &SealedReceipt) -> Result<Signed<Receipt>, StoreError> {
        let body = self.open(binding(tenant, row.id), &row.body)?;
        let statement = Receipt::decode(&body).map_err(malformed)?;
        let signature = row.signature.as_deref().map(Signature::decode).transpose().map_err(malformed)?;
        Ok(Signed { statement, signature })
    }

    /// Holds every column against what was signed. `space` is the number of the space that the receipt names.
    pub fn receipt_agrees(
        &self,
        row: &SealedReceipt,
        signed: Signed<Receipt>,
        space: Option<SpaceId>,
    ) -> Result<Signed<Receipt>, StoreError> {
        let statement = &signed.statement;
        let agrees = row.kind == statement.kind_word()
            && row.created == statement.ts.as_microsecond()
            && row.space == space
            && row.subject_ix == self.receipt_index(statement, space);
        if agrees { Ok(signed) } else { Err(malformed("a column was changed")) }
    }

    /// The receipt, if it is exactly what was signed. Where signing is off, if it is readable.
    pub fn receipt_vouched(
        &self,
        tenant: &Tenant,
        id: ReceiptId,
        signed: Signed<Receipt>,
    ) -> Option<Signed<Receipt>> {
        let holds = match self.signing() {
            Some(signing) => signed.verify(Some(&signing.keyring), id, tenant).is_ok(),
            None => true,
        };
        holds.then_some(signed)
    }
}
