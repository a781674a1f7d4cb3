//! Receipts: attestations of what is known, and proofs of what was erased.

use super::signing_view::learn;
use super::{facts, spaces};
use crate::StoreError;
use crate::call::Call;
use crate::records::{Recorded, SubjectAttested};
use crate::rows::receipts::{Attested, COLUMNS, ReceiptRow, SealedReceipt, attestation};
use crate::rows::spaces::SpaceRow;
use crate::script::{Db, Ground, Query, Reach, Rows, Script, Series, StoreResult};
use crate::sql::params;
use crate::store::Store;
use domain::{Caller, ReceiptId, Space, SpaceKey, Tenant};
use evidence::{Erasure, Position, Receipt, ReceiptKind, Signed};

pub(super) async fn of_space<D: Db>(db: &mut D, space: SpaceKey<'_>) -> StoreResult<Vec<SealedReceipt>> {
    let sql = format!("SELECT {COLUMNS} FROM receipt WHERE tenant = $1 AND space = $2 ORDER BY id");
    db.all(&sql, &params![space.tenant, space.id]).await
}

async fn row<D: Db>(db: &mut D, tenant: &Tenant, id: ReceiptId) -> StoreResult<Option<SealedReceipt>> {
    let sql = format!("SELECT {COLUMNS} FROM receipt WHERE tenant = $1 AND id = $2");
    db.one(&sql, &params![tenant, id]).await
}

/// The receipt of that number, if it is exactly what was signed. Where signing is off, if it is readable.
pub(super) async fn vouched<D: Db>(
    db: &mut D,
    tenant: &Tenant,
    id: ReceiptId,
) -> StoreResult<Option<Signed<Receipt>>> {
    let Some(row) = row(db, tenant, id).await? else { return Ok(None) };
    let signed = open(db, tenant, &row).await?;
    Ok(db.secrets().receipt_vouched(tenant, id, signed))
}

/// What the receipt of that number erased, and where, if it is exactly what was signed.
pub(super) async fn erasure<D: Db>(
    db: &mut D,
    tenant: &Tenant,
    id: ReceiptId,
) -> StoreResult<Option<(Erasure, SpaceRow, Space)>> {
    let signed = match vouched(db, tenant, id).await {
        Err(error) if error.is_of_content() => None,
        found => found?,
    };
    let Some(Receipt { kind: ReceiptKind::Erasure(erasure), space: Some(space), .. }) =
        signed.map(|signed| signed.statement)
    else {
        return Ok(None);
    };
    let row = spaces::find(db, tenant, &space).await?;
    Ok(row.map(|row| (erasure, row, space)))
}

/// Opens a receipt and holds every column against what was signed.
pub(super) async fn open<D: Db>(
    db: &mut D,
    tenant: &Tenant,
    row: &SealedReceipt,
) -> StoreResult<Signed<Receipt>> {
    let signed = db.secrets().receipt_open(tenant, row)?;
    let space = match &signed.statement.space {
        Some(space) => spaces::find(db, tenant, space).await?.map(|found| found.id),
        None => None,
    };
    db.secrets().receipt_agrees(row, signed, space)
}

/// Signs and keeps a receipt for the space, anchored to the log at this position; returns its number.
pub(super) async fn issue<R: Rows>(
    rows: &mut R,
    call: &Call,
    space: &Space,
    kind: ReceiptKind,
    audit: Position,
) -> StoreResult<ReceiptId> {
    let row = spaces::open(rows, &call.caller.tenant, space).await?;
    issue_in(rows, &call.caller, (row, space), kind, audit).await
}

/// The same for a space that is known, and that need not be locked.
pub(super) async fn issue_in<R: Rows>(
    rows: &mut R,
    caller: &Caller,
    space: (SpaceRow, &Space),
    kind: ReceiptKind,
    audit: Position,
) -> StoreResult<ReceiptId> {
    let id = ReceiptId(rows.take(&caller.tenant, Series::Receipt, 1).await?);
    keep(rows, caller, id, space, kind, audit).await?;
    Ok(id)
}

/// Signs and keeps a receipt under a number that was taken for it.
pub(super) async fn keep<R: Rows>(
    rows: &mut R,
    caller: &Caller,
    id: ReceiptId,
    (row, space): (SpaceRow, &Space),
    kind: ReceiptKind,
    audit: Position,
) -> StoreResult<()> {
    let tenant = &caller.tenant;
    let space = Some(space.clone());
    let receipt = Receipt { id, tenant: tenant.clone(), space, ts: caller.now, kind, audit };
    let sealed = rows.db().secrets().receipt_seal(receipt, row.id, row.key)?;
    let sql = "INSERT INTO receipt (tenant, id, space, kind, created, subject_ix, body, signature)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    let values = params![
        tenant,
        id,
        row.id,
        &sealed.kind,
        sealed.created,
        sealed.subject_ix.as_deref(),
        &sealed.body,
        sealed.signature.as_deref(),
    ];
    rows.run(sql, &values).await?;
    Ok(())
}

struct SubjectAttest {
    call: Call,
    space: Space,
    subject: String,
}

impl Script for SubjectAttest {
    type Output = Attested;

    fn ground(&self) -> Ground<'_> {
        Ground::within(&self.call, &self.space)
    }

    async fn run<R: Rows>(&self, rows: &mut R) -> StoreResult<Attested> {
        let (tenant, subject) = (&self.call.caller.tenant, self.subject.as_str());
        let row = spaces::open(rows, tenant, &self.space).await?;
        let mut held = facts::of_subject(rows.db(), SpaceKey { tenant, id: row.id }, subject).await?;
        held.retain(|fact| !fact.has_run_out(self.call.caller.now));
        let attestation = attestation(subject.to_owned(), held);
        let value = attestation.value.clone();
        let audit = rows.log_end().await?.at();
        let id = issue(rows, &self.call, &self.space, ReceiptKind::Attestation(attestation), audit).await?;
        let attested = Attested { id, value, audit_head: audit.hash };
        let record = SubjectAttested { subject, attested: &attested }.record();
        rows.record(&self.call, &record, &[]).await?;
        Ok(attested)
    }
}

struct ReceiptGet {
    tenant: Tenant,
    id: ReceiptId,
}

impl Query for ReceiptGet {
    type Output = Option<ReceiptRow>;

    fn reach(&self) -> Reach<'_> {
        Reach::Tenant(&self.tenant)
    }

    async fn run<D: Db>(&self, db: &mut D) -> StoreResult<Option<ReceiptRow>> {
        let (tenant, id) = (&self.tenant, self.id);
        let Some(row) = row(db, tenant, id).await? else { return Ok(None) };
        let signed = match open(db, tenant, &row).await {
            Ok(signed) => Some(signed),
            Err(error) if error.is_of_content() => None,
            Err(error) => return Err(error),
        };
        learn(db).await?;
        let signing = db.secrets().signing();
        let keys = signing.as_ref().map(|signing| &signing.keyring);
        let valid = signed.as_ref().is_some_and(|signed| signed.verify(keys, id, tenant).is_ok());
        // Who may see a receipt that cannot be read is decided by the row that it is in.
        let user_id = match row.space {
            Some(space) => spaces::user_of(db, tenant, space).await?,
            None => None,
        };
        let receipt = signed.map(|signed| signed.statement);
        Ok(Some(ReceiptRow { receipt, user_id, kind: row.kind, valid }))
    }
}

impl Store {
    /// Signs what is active for the subject now, anchored to the end of the audit log.
    pub async fn subject_attest(
        &self,
        call: Call,
        space: Space,
        subject: String,
    ) -> Result<Attested, StoreError> {
        // What is signed must not rest on a row that somebody put back.
        self.facts_standing(&call.caller, &space, &subject).await?;
        self.write(SubjectAttest { call, space, subject }).await
    }

    pub async fn receipt_get(
        &self,
        caller: &Caller,
        id: ReceiptId,
    ) -> Result<Option<ReceiptRow>, StoreError> {
        self.read(ReceiptGet { tenant: caller.tenant.clone(), id }).await
    }
}
